"""TLS on the socket itself: what a protocol writes arrives whole at peers of every kind, and nothing is left open."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from webhook.certs.development import ensure_development_certificate
from webhook.server.accepting import Accepting
from webhook.server.connection import A_TURN, HIGH, LEAST, RECORD, Connection, Reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LARGE = bytes(range(256)) * 16 * 1024
"""4 MiB: more than any socket holds."""


class Echo(Reader):
    """Answers every byte with so many others; remembers what it was told."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.buffer = bytearray(64)
        self.told: list[str] = []
        self.lost = asyncio.Event()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def get_buffer(self, sizehint: int) -> Any:
        return self.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.told.append(f"{nbytes} bytes")
        if self.buffer[:1] == b"!":
            raise RuntimeError
        self.transport.write(self.answer)

    def turn_over(self) -> None:
        self.told.append("over")

    def pause_writing(self) -> None:
        assert self.transport.get_write_buffer_size() > HIGH
        self.told.append("pause")

    def resume_writing(self) -> None:
        self.told.append("resume")

    def connection_lost(self, exc: Exception | None) -> None:
        self.told.append("lost" if exc is None else type(exc).__name__)
        self.lost.set()


def told(
    tmp_path: Path,
    answer: bytes | Echo,
    peer: Callable[[ssl.SSLSocket], object],
    patience: float = 5.0,
) -> list[str]:
    """What the protocol heard while a peer did something in a thread of its own."""
    ensure_development_certificate(tmp_path, now=datetime.now(UTC))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "tls.crt", tmp_path / "tls.key")
    protocol = answer if isinstance(answer, Echo) else Echo(answer)

    def connect(port: int) -> None:
        trusting = ssl.create_default_context(cafile=tmp_path / "ca.crt")
        plain = socket.create_connection(("127.0.0.1", port), 20)
        with trusting.wrap_socket(plain, server_hostname="localhost") as sock:
            peer(sock)

    async def served() -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        limits = (5.0, 2.0, patience)
        accepting = Accepting(listening, context, lambda: protocol, limits, lambda: None)
        asyncio.get_running_loop().set_exception_handler(
            lambda _, said: protocol.told.append(said["message"])
        )
        await asyncio.to_thread(connect, listening.getsockname()[1])
        async with asyncio.timeout(10):
            await protocol.lost.wait()
        accepting.close()

    asyncio.run(served())
    return protocol.told


def whole(sock: ssl.SSLSocket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size and (piece := sock.recv(100_000)):
        found += piece
    return bytes(found)


def test_a_small_answer_is_one_read_and_one_write(tmp_path):
    def peer(sock):
        sock.sendall(b"a" * 40)
        assert whole(sock, 2) == b"ok"

    assert told(tmp_path, b"ok", peer) == ["40 bytes", "over", "over", "lost"]


def test_a_peer_that_reads_late_gets_all_of_a_large_answer(tmp_path):
    def peer(sock):
        sock.sendall(b"a")
        time.sleep(0.2)
        assert whole(sock, len(LARGE)) == LARGE

    found = told(tmp_path, LARGE, peer)
    assert found[:2] == ["1 bytes", "pause"]
    assert "resume" in found


def test_a_peer_that_does_not_read_is_not_read_from(tmp_path):
    """It may ask for as much as it likes: no more than what is over the mark waits for it here."""
    echo, asked = Echo(bytes(1_000_000)), 60
    before_it_reads = []

    def peer(sock):
        for _ in range(asked):
            sock.sendall(b"a" * 64)
        time.sleep(0.5)
        before_it_reads.append(echo.told.count("64 bytes"))
        assert len(whole(sock, asked * 1_000_000)) == asked * 1_000_000

    told(tmp_path, echo, peer)
    assert before_it_reads[0] < asked // 2, "what sockets hold, and one more"


def test_a_peer_that_never_reads_on_is_let_go(tmp_path):
    """Whoever waits to write to it would hold its call, and the room for others', for good."""
    echo = Echo(LARGE)

    def peer(sock):
        sock.sendall(b"a")
        for _ in range(100):
            time.sleep(0.05)
            if "lost" in echo.told:
                return
        raise AssertionError("it is still held")

    assert told(tmp_path, echo, peer, patience=0.3) == ["1 bytes", "pause", "over", "lost"]


def test_a_peer_that_reads_on_now_and_then_is_not_let_go(tmp_path):
    def peer(sock):
        sock.sendall(b"a")
        found = b""
        while len(found) < len(LARGE):
            time.sleep(0.2)
            found += whole(sock, min(1_000_000, len(LARGE) - len(found)))

    assert "resume" in told(tmp_path, LARGE, peer, patience=0.6)


class Leaving(Echo):
    """Ends its connection as soon as it may write again, in an orderly way or not."""

    def __init__(self, answer: bytes, faulty: bool) -> None:
        super().__init__(answer)
        self.faulty = faulty

    def resume_writing(self) -> None:
        super().resume_writing()
        self.transport.close()
        if self.faulty:
            raise RuntimeError


@pytest.mark.parametrize("faulty", [False, True])
def test_who_is_told_to_go_on_may_end_the_connection(tmp_path, faulty):
    def peer(sock):
        sock.sendall(b"a")
        time.sleep(0.2)
        assert whole(sock, len(LARGE)) == LARGE

    end = ["a protocol failed", "RuntimeError"] if faulty else ["lost"]
    found = told(tmp_path, Leaving(LARGE, faulty), peer)
    assert [x for x in found if x != "over"] == ["1 bytes", "pause", "resume", *end]


class Handing(Echo):
    """Hands its connection over with the first answer."""

    def __init__(self, answer: bytes, other: Echo) -> None:
        super().__init__(answer)
        self.other = other

    def buffer_updated(self, nbytes: int) -> None:
        super().buffer_updated(nbytes)
        self.other.transport = self.transport
        self.transport.set_protocol(self.other)

    @property
    def lost(self) -> asyncio.Event:
        return self.other.lost

    @lost.setter
    def lost(self, event: asyncio.Event) -> None:
        pass


def test_who_takes_over_is_told_to_pause_before_it_is_told_to_go_on(tmp_path):
    """Aiohttp ends a connection that tells it to go on with what it never paused."""
    other = Echo(b"")

    def peer(sock):
        sock.sendall(b"a")
        time.sleep(0.2)
        assert whole(sock, len(LARGE)) == LARGE

    told(tmp_path, Handing(LARGE, other), peer)
    assert [x for x in other.told if x != "over"] == ["pause", "resume", "lost"]


def test_a_handshake_with_more_certificates_than_the_socket_takes_goes_on(tmp_path):
    ensure_development_certificate(tmp_path, now=datetime.now(UTC))
    chain = (tmp_path / "tls.crt").read_bytes() + (tmp_path / "ca.crt").read_bytes() * 90
    (tmp_path / "chain.crt").write_bytes(chain)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "chain.crt", tmp_path / "tls.key")

    def connect(port: int) -> bytes:
        trusting = ssl.create_default_context(cafile=tmp_path / "ca.crt")
        with socket.socket() as plain:
            plain.settimeout(20)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            plain.connect(("127.0.0.1", port))
            with trusting.wrap_socket(plain, server_hostname="localhost") as sock:
                sock.sendall(b"a")
                return sock.recv(2)

    async def served() -> bytes:
        listening = socket.create_server(("127.0.0.1", 0))
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
        echo = Echo(b"ok")
        accepting = Accepting(listening, context, lambda: echo, (5.0, 2.0, 5.0), lambda: None)
        answer = await asyncio.to_thread(connect, listening.getsockname()[1])
        async with asyncio.timeout(10):
            await echo.lost.wait()
        accepting.close()
        return answer

    assert asyncio.run(served()) == b"ok"


def test_what_is_decrypted_already_is_handed_over_in_the_same_turn(tmp_path):
    """A record of 200 bytes, a buffer of 64: no event would tell of the rest."""

    def peer(sock):
        sock.sendall(b"a" * 200)
        assert whole(sock, 8) == b"ok" * 4

    assert told(tmp_path, b"ok", peer)[:5] == ["64 bytes"] * 3 + ["8 bytes", "over"]


class Slow(Echo):
    """Takes its time over the first byte, so that the peer gets ahead; answers nothing."""

    def __init__(self, size: int) -> None:
        super().__init__(b"")
        self.buffer = bytearray(size)
        self.turns = [0]

    def buffer_updated(self, nbytes: int) -> None:
        if self.turns == [0]:
            time.sleep(0.5)
        self.turns[-1] += nbytes

    def turn_over(self) -> None:
        self.turns.append(0)


@pytest.mark.parametrize("size", [64, 4 * RECORD])
def test_records_of_one_byte_do_not_make_a_turn_last(tmp_path, size):
    """Their reads are counted, not their bytes: a turn of 256 KiB of them would last for seconds."""
    sent = 3_000

    def peer(sock):
        for _ in range(sent):
            sock.sendall(b"a")
        sock.unwrap().close()  # waits until all is read

    slow = Slow(size)
    told(tmp_path, slow, peer)
    assert sum(slow.turns) == sent
    assert max(slow.turns) <= A_TURN // LEAST


def test_a_protocol_that_fails_is_said_and_its_connection_ends(tmp_path):
    def peer(sock):
        sock.sendall(b"!")
        with suppress(ConnectionResetError):
            assert not sock.recv(10)

    found = told(tmp_path, b"ok", peer)
    assert found == ["1 bytes", "a protocol failed", "RuntimeError"]


def test_a_peer_that_goes_without_reading_leaves_nothing_behind(tmp_path):
    def peer(sock):
        sock.sendall(b"a")
        time.sleep(0.1)

    assert told(tmp_path, LARGE, peer)[:2] == [
        "1 bytes",
        "pause",
    ]  # and its end, which is waited for


def test_a_connection_without_protocol_says_so():
    with pytest.raises(RuntimeError):
        Connection.get_protocol(_Unmade())


class _Unmade(Connection):
    def __init__(self) -> None:
        self._protocol = None
