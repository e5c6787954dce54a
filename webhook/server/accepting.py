"""Takes TLS connections from a listening socket."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING, Final

from webhook.server.connection import Connection

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable

BACKLOG: Final = 1024
_FULL: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
PAUSE: Final = 1.0
"""Seconds for which nobody is accepted once there is no descriptor or memory for one more."""


class Accepting:
    """Accepts until it is closed; what it has accepted lives on."""

    def __init__(
        self,
        listening: socket.socket,
        context: ssl.SSLContext,
        make: Callable[[], asyncio.BaseProtocol],
        limits: tuple[float, float, float],
        connected: Callable[[], None],
    ) -> None:
        """`limits`: as of `Connection`; `connected`: told of everybody who comes. Raises OSError."""
        self._loop = asyncio.get_running_loop()
        self._listening = listening
        self._context = context
        self._make = make
        self._limits = limits
        self._connected = connected
        self._again: asyncio.TimerHandle | None = None
        listening.setblocking(False)
        listening.listen(BACKLOG)
        self._listen()

    def _listen(self) -> None:
        self._again = None
        self._loop.add_reader(self._listening.fileno(), self._accept)

    def _accept(self) -> None:
        for _ in range(BACKLOG):
            try:
                plain, _address = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                said = {"message": "nobody can be accepted", "exception": error}
                self._loop.call_exception_handler(said)
                self._loop.remove_reader(self._listening.fileno())
                self._again = self._loop.call_later(PAUSE, self._listen)
                return
            self.take(plain)

    def take(self, plain: socket.socket) -> None:
        """Serves somebody who has connected."""
        self._connected()
        plain.setblocking(False)
        try:
            Connection(plain, self._context, self._make, self._limits)
        except (OSError, ValueError):  # has gone again
            plain.close()

    def close(self) -> None:
        """Accepts nobody any more, and closes the socket."""
        if self._again is not None:
            self._again.cancel()
        self._loop.remove_reader(self._listening.fileno())
        self._listening.close()
