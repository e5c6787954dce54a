"""The plain ports of a process: metrics, and health."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from webhook.server.listener import KEEP_ALIVE, Edge, Listener
from webhook.server.pages import metrics_pages, probe_pages
from webhook.server.plainlane import PlainLanes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp import web

    from webhook.server.pages import Pages
    from webhook.server.state import State


class Address(str):
    """``host:port`` as a flag gives it; an empty host is every address, ``0`` is none."""

    __slots__ = ()

    def parts(self) -> tuple[str, int] | None:
        """(host, port), or None for no listener. Raises ValueError."""
        if self in ("", "0"):
            return None
        host, colon, port = self.rpartition(":")
        if not colon or not port.isdigit():
            raise ValueError(f"{str(self)!r} is no host:port")
        return host.strip("[]") or "0.0.0.0", int(port)  # noqa: S104


class Plain:
    """Both listeners.

    Attributes:
        listeners: those that were asked for.
    """

    def __init__(
        self,
        state: State,
        ready: Callable[[], Awaitable[str | None]],
        metrics: Callable[[], Awaitable[bytes]],
        more: Callable[[], str],
    ) -> None:
        """`more`: what readiness tells besides."""
        self._settings = state.settings
        self._ready = ready
        self._metrics = metrics
        self._more = more
        self.listeners: list[Listener] = []

    async def start(self) -> dict[str, int]:
        """Ports by name. Raises OSError."""
        settings, grace = self._settings, self._settings.shutdown_grace
        ports = {}
        for name, text, pages in (
            ("metrics", settings.metrics_bind_address, metrics_pages(self._metrics)),
            ("health", settings.health_probe_bind_address, probe_pages(self._ready, self._more)),
        ):
            address = Address(text).parts()
            if address is not None:
                listener = Listener(
                    Edge(partial(_app, pages), grace), grace, lanes=partial(_lanes, pages)
                )
                self.listeners.append(listener)
                await listener.start(*address)
                ports[name] = listener.port
        return ports

    async def close(self) -> None:
        """Ends both."""
        for listener in self.listeners:
            await listener.close()
        self.listeners.clear()


def _app(pages: Pages) -> web.Application:
    from webhook.server.app import pages_app

    return pages_app(pages)


def _lanes(pages: Pages, edge: Edge) -> PlainLanes:
    return PlainLanes(pages, edge.protocol, KEEP_ALIVE)


async def exposed(state: State) -> bytes:
    """This process's metrics."""
    return state.metrics.text()
