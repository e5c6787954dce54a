"""The end of a TLS connection: a good-bye, and what the peer still sends read away."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio
    import ssl
    from collections.abc import Callable

_PIECE: Final = 256 * 1024


class Parting:
    """To close over unread bytes would reset the last answer away, so they are read for a while."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        tls: ssl.SSLSocket,
        seconds: float,
        over: Callable[[], None],
    ) -> None:
        """`seconds`: how long; `over`: called once, when the peer has ended it too or time is up."""
        self._over = over
        with suppress(OSError, ValueError):
            tls.unwrap()
        with suppress(OSError):
            tls.shutdown(socket.SHUT_WR)
        self._left_over = socket.socket(fileno=tls.detach())
        self._timer = loop.call_later(seconds, over)
        loop.add_reader(self._left_over.fileno(), self._drain)

    def _drain(self) -> None:
        try:
            if self._left_over.recv(_PIECE):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._over()

    def close(self) -> None:
        """Gives the descriptor back; whoever calls has taken it out of the loop."""
        self._timer.cancel()
        self._left_over.close()
