"""One TLS connection as a transport of asyncio's, read and written by OpenSSL on the socket itself.

asyncio's own (sslproto) carries every byte through two memory BIOs and some thirty functions a
call; here a small call is one read and one write, and a large body goes from the socket's record
into the buffer that it is judged in.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from webhook.server.parting import Parting

if TYPE_CHECKING:
    from collections.abc import Callable

A_TURN: Final = 256 * 1024
"""Bytes that are read in one turn of the loop; then others have theirs."""
LEAST: Final = 1024
"""Bytes that a read counts as at least: of records of one byte, a turn would last for seconds."""
RECORD: Final = 16 * 1024
"""Bytes of the longest TLS record: for protocols that have no buffer of their own."""
HIGH: Final = 64 * 1024
"""Bytes that may wait for a peer that reads slowly, before whoever writes is told to pause."""


class Reader(asyncio.BufferedProtocol):
    """A protocol that is told also when nothing more is there for now."""

    __slots__ = ()

    def turn_over(self) -> None:
        """What is not whole yet will come in a later turn, or never."""


class Connection(asyncio.Transport):
    """A connection from the first byte of its handshake on.

    The protocol is made once the handshake is through; who never gets there leaves no line. What
    OpenSSL cannot do now because the other direction is full (renegotiation, which is off, or a key
    update to a peer that does not read) ends the connection: there is no state to wait in.
    """

    def __init__(
        self,
        plain: socket.socket,
        context: ssl.SSLContext,
        make: Callable[[], asyncio.BaseProtocol],
        limits: tuple[float, float, float],
    ) -> None:
        """`limits`: seconds for the handshake, for the peer to answer the end, and to read on. Raises OSError."""
        super().__init__()
        plain.getpeername()  # who has gone already would leave half a wrapper
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._loop = asyncio.get_running_loop()
        self._sock = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        self._fill: Callable[[int, Any], int] = self._sock.read  # type: ignore[assignment]
        self._fd = self._sock.fileno()
        self._make = make
        self._protocol: asyncio.BaseProtocol | None = None
        self._into: Reader | None = None
        _, self._farewell, self._patience = limits
        self._unsent: deque[bytes] = deque()
        self._waiting = 0  # bytes of them
        self._full = False  # the protocol is told to pause
        self._paused = False
        self._closing = False
        self._gone = False
        self._wrote = False  # an answer went out while something was read
        self._parting: Parting | None = None
        self._timer = self._loop.call_later(limits[0], self.abort)
        self._loop.add_reader(self._fd, self._shake)

    def _shake(self) -> None:
        try:
            self._sock.do_handshake()
        except ssl.SSLWantReadError:
            if self._loop.remove_writer(self._fd):
                self._loop.add_reader(self._fd, self._shake)
            return
        except ssl.SSLWantWriteError:  # a long chain of certificates
            self._loop.remove_reader(self._fd)
            self._loop.add_writer(self._fd, self._shake)
            return
        except (OSError, ValueError):  # no TLS, no common version, a peer that has gone
            self.abort()
            return
        self._timer.cancel()
        self._loop.remove_writer(self._fd)
        self._loop.add_reader(self._fd, self._readable)
        protocol = self._make()
        self.set_protocol(protocol)
        self._guarded(protocol.connection_made, self)

    def _readable(self) -> None:
        """Reads until nothing is there, an answer has gone out, or it is the turn of others.

        Who waits for an answer sends nothing more, so nobody looks. What OpenSSL has decrypted is
        read to the end: no event would tell of it again.
        """
        self._wrote = False
        left = A_TURN
        while self.is_reading():
            try:
                got = self._read(left)
            except ssl.SSLWantReadError:
                break
            except OSError as error:
                self._turn_over()
                self._lost(error)
                return
            if not got:
                self._turn_over()
                self._ended()
                return
            left -= max(got, LEAST)
            if (self._wrote or left <= 0) and not self._sock.pending():
                break
        self._turn_over()

    def _turn_over(self) -> None:
        if self._into is not None and not self._closing:
            self._guarded(self._into.turn_over)

    def _read(self, most: int) -> int:
        """Hands over what is there; returns 0 at the end of it. Raises OSError."""
        into = self._into
        if into is None:
            data = self._sock.read(RECORD)
            if data:
                self._guarded(self._protocol.data_received, data)  # type: ignore[union-attr]
            return len(data)
        room: Any = into.get_buffer(-1)
        got = total = self._fill(len(room), room)
        while got >= LEAST and len(room) - total >= RECORD and total < most:  # a large body
            try:
                got = self._fill(RECORD, room[total:])
            except ssl.SSLWantReadError:
                break
            total += got
        if total:
            self._guarded(into.buffer_updated, total)
        return total

    def _guarded(self, call: Callable[..., object], *given: object) -> None:
        """Calls the protocol; a fault of ours ends the connection, and is said."""
        try:
            call(*given)
        except Exception as error:  # noqa: BLE001 - the outermost handler of a protocol
            said = {"message": "a protocol failed", "exception": error, "transport": self}
            self._loop.call_exception_handler(said)
            self._lost(error)

    def _ended(self) -> None:
        """The peer sends nothing more."""
        self._guarded(self._protocol.eof_received)  # type: ignore[union-attr]
        self.close()

    def write(self, data: Any) -> None:
        """Sends now what the peer takes now, and the rest once it takes more."""
        self._wrote = True
        if self._closing or not data:
            return
        if not self._unsent:
            try:
                sent = self._sock.write(data)
            except ssl.SSLWantWriteError:
                sent = 0
            except OSError as error:
                self._lost(error)
                return
            if sent == len(data):
                return
            data = data[sent:]
            self._loop.add_writer(self._fd, self._writable)
            self._timer = self._loop.call_later(self._patience, self.abort)
        self._unsent.append(bytes(data))
        self._waiting += len(data)
        if self._waiting > HIGH and not self._full:
            self._full = True  # who does not read is not read from either
            self._loop.remove_reader(self._fd)
            self._guarded(self._protocol.pause_writing)  # type: ignore[union-attr]

    def _writable(self) -> None:
        """Goes on with the piece that did not fit: OpenSSL wants the very same bytes again."""
        if not self._closing:  # it has read on
            self._timer.cancel()
            self._timer = self._loop.call_later(self._patience, self.abort)
        try:
            while self._unsent:
                piece = self._unsent[0]
                sent = self._sock.write(piece)  # all or nothing, as CPython sets OpenSSL up; still
                self._waiting -= sent
                if sent == len(piece):
                    self._unsent.popleft()
                else:
                    self._unsent[0] = piece[sent:]
        except ssl.SSLWantWriteError:
            return
        except OSError as error:
            self._lost(error)
            return
        self._timer.cancel()
        self._loop.remove_writer(self._fd)
        if self._full:
            self._full = False
            self._guarded(self._protocol.resume_writing)  # type: ignore[union-attr]
            self._read_on()
        if self._closing and not self._unsent:
            self._part()

    def close(self) -> None:
        """Ends once all is sent."""
        if self._closing:
            return
        self._closing = True
        self._loop.remove_reader(self._fd)
        if not self._unsent:
            self._part()
        else:
            self._timer.cancel()
            self._timer = self._loop.call_later(self._farewell, self.abort)

    def _part(self) -> None:
        if self._gone or self._parting is not None:  # whoever was told to go on has ended it
            return
        self._timer.cancel()
        self._parting = Parting(self._loop, self._sock, self._farewell, self.abort)

    def abort(self) -> None:
        """Ends now."""
        self._lost(None)

    def _lost(self, error: Exception | None) -> None:
        """The connection is no more; its protocol hears so in the next turn."""
        if self._gone:
            return
        self._gone = self._closing = True
        self._timer.cancel()
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._unsent.clear()
        self._sock.close()
        if self._parting is not None:
            self._parting.close()
        self._loop.call_soon(self._farewell_to_protocol, error)

    def _farewell_to_protocol(self, error: Exception | None) -> None:
        protocol, self._protocol, self._into = self._protocol, None, None
        if protocol is not None:
            protocol.connection_lost(error)

    def is_closing(self) -> bool:
        """Whether nothing can be written any more."""
        return self._closing

    def is_reading(self) -> bool:
        """Whether what comes is handed over."""
        return not self._paused and not self._full and not self._closing

    def pause_reading(self) -> None:
        """What comes from now on waits in the socket."""
        if not self._closing:
            self._paused = True
            self._loop.remove_reader(self._fd)

    def resume_reading(self) -> None:
        """Reads again, from the next turn on."""
        if self._paused:
            self._paused = False
            self._read_on()

    def _read_on(self) -> None:
        if self.is_reading():
            self._loop.add_reader(self._fd, self._readable)
            if self._sock.pending():
                self._loop.call_soon(self._readable)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Who is told what comes; at once, if too much waits for the peer."""
        self._protocol = protocol
        self._into = protocol if isinstance(protocol, Reader) else None
        if self._full:
            self._guarded(protocol.pause_writing)

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Who is told. Raises RuntimeError outside of handshake and end."""
        if self._protocol is None:
            raise RuntimeError("a connection without protocol")
        return self._protocol

    def get_write_buffer_size(self) -> int:
        """Bytes that wait for the peer."""
        return self._waiting

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What asyncio's TLS transports know under the names that aiohttp and we ask for."""
        if name in ("socket", "ssl_object"):
            return self._sock
        if name == "sslcontext":
            return self._sock.context
        if name == "peername":
            with suppress(OSError):
                return self._sock.getpeername()
        return default
