"""Peers that are no API server: dropped in time, without a flood of lines, without memory kept (B42)."""

from __future__ import annotations

import contextlib
import socket
import ssl
import time

import pytest

from tests.lifecycle.skyhook import skyhook
from tests.reviews.builders import body
from tests.server.process import JSON_TYPE, drained, serving
from webhook.server.listener import HANDSHAKE_TIMEOUT, KEEP_ALIVE

LEGAL = body(skyhook(), skyhook())
API_SERVER_IDLE = 90.0
MIB = 2**20


def at_once(port: int) -> None:
    """Connects and goes away."""
    with socket.create_connection(("127.0.0.1", port), 10):
        pass


def plainly(port: int) -> None:
    """HTTP to the TLS port."""
    with socket.create_connection(("127.0.0.1", port), 10) as sock, contextlib.suppress(OSError):
        sock.sendall(b"GET /validate HTTP/1.1\r\nHost: x\r\n\r\n")
        sock.recv(100)


def distrustfully(port: int, context: ssl.SSLContext) -> None:
    """A whole handshake, but for a client that does not know our CA."""
    with (
        socket.create_connection(("127.0.0.1", port), 10) as sock,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        context.wrap_socket(sock, server_hostname="localhost")


def storm(server, scale: int) -> tuple[int, list[int]]:
    """B42 in so many parts of its size; the growth of resident memory, and what calls got meanwhile."""
    stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for _ in range(20):
        server.call(LEGAL)
    before, statuses = server.memory("VmRSS"), []
    silent = [socket.create_connection(("127.0.0.1", server.port), 10) for _ in range(20)]
    with server.session() as session:
        for number in range(9000 // scale):
            kind = number % 9
            if kind < 5:
                at_once(server.port)
            elif kind < 7:
                plainly(server.port)
            else:
                distrustfully(server.port, stranger)
            if number % 100 == 0:
                statuses.append(server.call(LEGAL).status)
                session.request("POST", "/validate", LEGAL, JSON_TYPE)
                with session.getresponse() as answer:
                    answer.read()
                    statuses.append(answer.status)
    for sock in silent:
        sock.close()
    return server.memory("VmRSS") - before, statuses


def told(lines: list[dict]) -> list[dict]:
    return [line for line in lines if line["event"] != "review"]


@pytest.mark.parametrize("scale", [9, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_storm_of_broken_handshakes_costs_neither_memory_nor_lines_nor_calls(tmp_path, scale):
    with serving(tmp_path) as server:
        lines = len(server.lines)
        grown, statuses = storm(server, scale)
        print(f"{9000 // scale} broken handshakes: {grown / MIB:.1f} MiB")
        assert grown < 30 * MIB
        assert set(statuses) == {200}
        assert told(server.lines[lines:]) == []
        assert server.ready().status == 200


@pytest.mark.nightly  # it waits for the ten seconds
def test_silent_peers_are_dropped_within_the_handshake_timeout(tmp_path):
    with serving(tmp_path) as server:
        lines, started = len(server.lines), time.monotonic()
        silent = [socket.create_connection(("127.0.0.1", server.port), 10) for _ in range(20)]
        for sock in silent:
            sock.settimeout(HANDSHAKE_TIMEOUT * 2)
            assert sock.recv(10) == b""
            sock.close()
        assert HANDSHAKE_TIMEOUT - 1 < time.monotonic() - started < HANDSHAKE_TIMEOUT * 2
        assert told(server.lines[lines:]) == []
        assert server.call(LEGAL).status == 200


def test_a_connection_outlives_the_api_servers_idle_time_and_not_much_more():
    assert API_SERVER_IDLE * 1.5 < KEEP_ALIVE < API_SERVER_IDLE * 3


@pytest.mark.nightly
def test_a_connection_that_was_idle_longer_than_an_api_server_keeps_one_still_answers(server):
    with server.session() as session:
        for pause in (API_SERVER_IDLE + 5, 0):
            session.request("POST", "/validate", LEGAL, JSON_TYPE)
            with session.getresponse() as answer:
                answer.read()
            kept = session.sock
            time.sleep(pause)
        assert session.sock is kept


@pytest.mark.nightly
def test_who_never_sends_a_whole_head_is_dropped_in_the_end(server):
    with server.connect() as mute, server.connect() as slow:
        started = time.monotonic()
        slow.sendall(b"POST /validate HTTP/1.1\r\nHost: x\r\n")
        while time.monotonic() - started < KEEP_ALIVE - 10:
            time.sleep(10)
            slow.sendall(b"X-More: x\r\n")
        assert drained(slow, 30) == b""
        assert drained(mute, 30) == b""
        assert KEEP_ALIVE - 5 < time.monotonic() - started < KEEP_ALIVE + 30
