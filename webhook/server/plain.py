"""The plain ports of a process: metrics, and health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webhook.server.listener import Edge, Listener

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp import web

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
        for name, text, app in (
            ("metrics", settings.metrics_bind_address, self._metrics_app),
            ("health", settings.health_probe_bind_address, self._probe_app),
        ):
            address = Address(text).parts()
            if address is not None:
                listener = Listener(Edge(app, grace), grace)
                self.listeners.append(listener)
                await listener.start(*address)
                ports[name] = listener.port
        return ports

    async def close(self) -> None:
        """Ends both."""
        for listener in self.listeners:
            await listener.close()
        self.listeners.clear()

    def _metrics_app(self) -> web.Application:
        from webhook.server.app import metrics_app

        return metrics_app(self._metrics)

    def _probe_app(self) -> web.Application:
        from webhook.server.app import probe_app

        return probe_app(self._ready, self._more)


async def exposed(state: State) -> bytes:
    """This process's metrics."""
    return state.metrics.text()
