"""The way from the API server to the replicas: connections handed on whole, as kube-proxy does."""

from __future__ import annotations

import asyncio
import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Pipe(asyncio.Protocol):
    """One end of a connection; what it gets goes to the other end."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.peer: Pipe | None = None
        self.over = False
        self._early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def join(self, peer: Pipe) -> None:
        """Both ends are there."""
        self.peer, peer.peer = peer, self
        for data in self._early:
            self.data_received(data)
        self._early.clear()

    def data_received(self, data: bytes) -> None:
        if self.peer is None or self.peer.transport is None:
            self._early.append(data)
        else:
            self.peer.transport.write(data)

    def eof_received(self) -> bool:
        """The other way stays open until it ends as well, or the connection is lost."""
        self.over = True
        if self.peer is None or self.peer.transport is None or self.peer.over:
            return False
        self.peer.transport.write_eof()
        return True

    def connection_lost(self, _exc: Exception | None) -> None:
        if self.peer is not None and self.peer.transport is not None:
            self.peer.transport.close()


class Front(Pipe):
    """The API server's end; the other one is dialled when it is made, once."""

    def __init__(self, choose: Callable[[], int | None]) -> None:
        super().__init__()
        self._choose = choose

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._dialling = asyncio.get_running_loop().create_task(self._dial())

    async def _dial(self) -> None:
        assert self.transport is not None
        port = self._choose()
        try:
            if port is None:
                raise ConnectionRefusedError
            loop = asyncio.get_running_loop()
            _, back = await loop.create_connection(Pipe, "127.0.0.1", port)
        except OSError:
            self.transport.abort()
            return
        if self.transport.is_closing() or self.over:
            assert back.transport is not None
            back.transport.close()
        self.join(back)


class Balancer:
    """A port on 127.0.0.1, served by a thread of its own.

    `choose` names the port of the replica that a new connection goes to, None while there is none.
    """

    def __init__(self, choose: Callable[[], int | None]) -> None:
        self._choose = choose
        self._pipes: weakref.WeakSet[Pipe] = weakref.WeakSet()
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(
            self._loop.create_server(self._front, "127.0.0.1", 0)
        )
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def _front(self) -> Front:
        front = Front(self._choose)
        self._pipes.add(front)
        return front

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Closes what is still open."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._server.close()
        for pipe in tuple(self._pipes):
            if pipe.transport is not None:
                pipe.transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0.1))
        self._loop.close()
