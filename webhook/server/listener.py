"""One listening socket with its connections; it ends without resetting anybody who has connected."""

from __future__ import annotations

import asyncio
import math
import socket
import time
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from webhook.server.accepting import BACKLOG, Accepting

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

    from webhook.certs.serving import ServingContext

KEEP_ALIVE: Final = 180.0
"""Longer than the API server's 90 s, so that it is never us who close a connection in use.

It is also what a peer has that never sends a whole head, so it is not much longer.
"""
HANDSHAKE_TIMEOUT: Final = 10.0
CLOSE_TIMEOUT: Final = 5.0
"""Seconds that a peer gets to answer the end of a TLS session."""
READ_TIMEOUT: Final = 30.0
"""Seconds for which a peer may leave unread what waits for it: no API server waits longer for a webhook."""
LAST_WORDS: Final = 0.2
"""Seconds for what was answered last to leave, at the very end."""


class AnyLanes(Protocol):
    """Connections of one kind."""

    def lane(self) -> asyncio.BaseProtocol:
        """A new connection's protocol."""
        ...

    async def end(self, grace: float, /) -> list[asyncio.Transport]:
        """Ends them; returns those that are still open."""
        ...


class Edge:
    """An application under aiohttp, which is loaded when it is first needed."""

    def __init__(self, make: Callable[[], web.Application], grace: float) -> None:
        """`grace`: seconds that calls get which are under way at the end."""
        self._make = make
        self._grace = grace
        self._runner: web.AppRunner | None = None
        self._loading = asyncio.Lock()

    async def load(self) -> web.Server:
        """Aiohttp, ready to take connections."""
        async with self._loading:
            if self._runner is None:
                await asyncio.to_thread(import_module, "webhook.server.app")
                self._runner = await self._set_up()
        server = self._runner.server
        if server is None:
            raise RuntimeError("a connection outside of start and close")
        return server

    async def _set_up(self) -> web.AppRunner:
        from aiohttp import web

        runner = web.AppRunner(
            self._make(),
            access_log=None,
            keepalive_timeout=KEEP_ALIVE,
            lingering_time=2.0,
            shutdown_timeout=self._grace,
            handle_signals=False,
        )
        await runner.setup()
        return runner

    async def protocol(self) -> asyncio.Protocol:
        """For one more connection."""
        return (await self.load())()

    async def close(self) -> list[asyncio.Transport]:
        """Ends; returns the connections that were open."""
        if self._runner is None:
            return []
        server = self._runner.server
        open_ = [c.transport for c in server.connections if c.transport] if server else []
        await self._runner.cleanup()
        return open_


class Listener:
    """Serves on one address: by lanes, and by aiohttp for what those hand over.

    Attributes:
        port: the one that was bound, where 0 was asked for.
    """

    def __init__(
        self,
        edge: Edge,
        grace: float,
        tls: ServingContext | None = None,
        *,
        lanes: Callable[[Edge], AnyLanes],
    ) -> None:
        """`grace`: seconds that calls get which are under way at the end."""
        self._tls = tls.outer if tls is not None else None
        self.edge = edge
        self._grace = grace
        self._lanes = lanes(edge)
        self._server: asyncio.Server | Accepting | None = None
        self._socket: socket.socket | None = None
        self._late: set[asyncio.Task[object]] = set()
        self._latest = -math.inf
        self.port = 0

    async def start(self, host: str, port: int, *, shared: bool = False) -> None:
        """Raises OSError without the address. `shared`: other processes listen there as well."""
        self._socket = bound(host, port, shared=shared)
        if self._tls is not None:
            limits = (HANDSHAKE_TIMEOUT, CLOSE_TIMEOUT, READ_TIMEOUT)
            make = self._lanes.lane
            self._server = Accepting(self._socket, self._tls, make, limits, self._connected)
        else:
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(
                self._protocol, sock=self._socket, backlog=BACKLOG
            )
        self.port = self._socket.getsockname()[1]

    def _protocol(self) -> asyncio.BaseProtocol:
        self._connected()
        return self._lanes.lane()

    def _connected(self) -> None:
        self._latest = time.monotonic()

    def latest(self) -> float:
        """Seconds since somebody connected; infinite while nobody has."""
        return time.monotonic() - self._latest

    def stop(self) -> None:
        """Nobody connects any more; who waits to be accepted is, for closing would reset them."""
        if self._server is None or self._socket is None:
            return
        server, waiting = self._server, _waiting(self._socket)
        server.close()
        self._server = self._socket = None
        for connection in waiting:
            self._connected()
            if isinstance(server, Accepting):
                server.take(connection)
            else:
                task = asyncio.get_running_loop().create_task(self._serve_late(connection))
                self._late.add(task)
                task.add_done_callback(self._late.discard)

    async def _serve_late(self, connection: socket.socket) -> None:
        try:
            loop = asyncio.get_running_loop()
            await loop.connect_accepted_socket(self._protocol, connection)
        except OSError:
            connection.close()  # gone again: no line

    async def close(self) -> None:
        """Stops, and ends every connection; calls under way get the grace period."""
        self.stop()
        for task in tuple(self._late):
            task.cancel()
        await asyncio.gather(*self._late, return_exceptions=True)
        open_ = await self._lanes.end(self._grace)
        open_ += await self.edge.close()
        if open_:
            await asyncio.sleep(LAST_WORDS)
        for transport in open_:
            transport.abort()  # a peer that says nothing to our end would hold it for seconds
        await asyncio.sleep(0)


def _waiting(listening: socket.socket) -> list[socket.socket]:
    """Everybody who has connected and has not been accepted."""
    found: list[socket.socket] = []
    while len(found) < BACKLOG:
        try:
            connection, _ = listening.accept()
        except OSError:  # nobody, or somebody who has left, or no descriptor for one more
            break
        connection.setblocking(False)
        found.append(connection)
    return found


def bound(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A socket that can listen there. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind((host, port))
    except OSError:
        sock.close()
        raise
    return sock
