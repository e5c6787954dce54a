"""Starts the listeners, swaps certificates, and ends in order."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import time
from typing import TYPE_CHECKING, Final

from aiohttp import web

from webhook.certs.serving import ServingContext
from webhook.server.app import metrics_app, probe_app, review_app
from webhook.server.certificates import Certificates
from webhook.server.readiness import Readiness

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from webhook.server.state import State

KEEP_ALIVE: Final = 3600.0
"""Longer than the API server's 90 s, so that it is never us who close a connection in use."""
LAST_CALLS: Final = 0.5
"""Seconds for who has just connected to make the call, once nobody else can connect."""


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


class Server:
    """One process: an HTTPS listener, and plain ones for probes and metrics."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.tls = ServingContext(client_ca_pem=_client_ca(state))
        self.certificates = Certificates(state, self.tls)
        self.port = state.settings.port
        self.ports: dict[str, int] = {}
        self._runners: list[web.AppRunner] = []
        self._stop = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.readiness: Readiness | None = None

    async def start(self) -> None:
        """Serves. Raises CertError without a usable certificate, OSError without the port."""
        settings = self.state.settings
        await self.certificates.first()
        self.port = await self._listen(
            review_app(self.state), settings.bind_address, settings.port, self.tls
        )
        self.state.port = self.port
        self.readiness = Readiness(settings.bind_address, self.port, self._ca, time.monotonic)
        if self.certificates.shared is not None:
            self.readiness.trusted = self.certificates.shared.owner.seen_right
        for name, text, app in (
            ("metrics", settings.metrics_bind_address, metrics_app(self.state)),
            ("health", settings.health_probe_bind_address, probe_app(self.readiness)),
        ):
            address = Address(text).parts()
            if address is not None:
                self.ports[name] = await self._listen(app, *address)
        for work in self.certificates.tasks():
            self._watch(work)
        gc.collect()
        gc.freeze()
        self.state.log("info", "serving", port=self.port, **self.ports)

    def _watch(self, work: Coroutine[None, None, None]) -> None:
        """Runs something beside the server; its end before ours is a fault that is said."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.state.log.fault("background work ended", error)

    def _ca(self) -> bytes | None:
        bundle = self.tls.bundle
        return bundle.ca_pem if bundle is not None else None

    async def _listen(
        self, app: web.Application, host: str, port: int, tls: ServingContext | None = None
    ) -> int:
        runner = web.AppRunner(
            app,
            access_log=None,
            keepalive_timeout=KEEP_ALIVE,
            lingering_time=2.0,
            shutdown_timeout=self.state.settings.shutdown_grace,
            handle_signals=False,
        )
        await runner.setup()
        self._runners.append(runner)
        sock = _bound(host, port)
        await web.SockSite(
            runner,
            sock,
            ssl_context=tls.outer if tls is not None else None,
            backlog=1024,
        ).start()
        found: int = sock.getsockname()[1]
        return found

    async def run(self, on_ready: Callable[[Server], None] | None = None) -> None:
        """Serves until SIGTERM or SIGINT, then drains; a second signal ends at once."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._signalled)
        await self.start()
        if on_ready is not None:
            on_ready(self)
        await self._stop.wait()
        await self.drain()

    def _signalled(self) -> None:
        if self._stop.is_set():
            self.state.log("warning", "ending at once")
            raise SystemExit(1)
        self._stop.set()

    async def drain(self) -> None:
        """Not ready, serve on for the delay with Connection: close, let calls finish, close."""
        state = self.state
        state.draining = True
        if self.readiness is not None:
            self.readiness.draining = True
        state.log("info", "draining", seconds=state.settings.shutdown_delay)
        await asyncio.sleep(state.settings.shutdown_delay)
        for runner in self._runners:
            for site in tuple(runner.sites):
                await site.stop()
        await asyncio.sleep(LAST_CALLS)
        await self.close()
        state.log("info", "ended")

    async def close(self) -> None:
        """Closes listeners, then connections; calls under way get the grace period."""
        running = tuple(self._tasks)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()


def _client_ca(state: State) -> bytes | None:
    path = state.settings.client_ca
    return None if path is None else path.read_bytes()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port))
    return sock
