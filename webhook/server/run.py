"""Starts the listeners, swaps certificates, and ends in order."""

from __future__ import annotations

import asyncio
import atexit
import gc
import os
import signal
import time
from typing import TYPE_CHECKING, Final

from webhook.building import looks
from webhook.certs.serving import ServingContext
from webhook.server.certificates import CRD_GROUPS, Certificates
from webhook.server.handed import Handed
from webhook.server.head import Heads
from webhook.server.lanes import Lanes
from webhook.server.lasting import lasting
from webhook.server.listener import KEEP_ALIVE, Edge, Listener
from webhook.server.log import short
from webhook.server.plain import Plain
from webhook.server.readiness import Readiness
from webhook.server.reload import Reload
from webhook.server.routes import routes_of
from webhook.server.selfcall import CONVERT, conversion

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp import web

    from webhook.server.link import Link
    from webhook.server.state import State

LOOPBACK: Final = "127.0.0.1"
LAST_CALLS: Final = 2.0
"""Seconds for who has just connected to make the call, once nobody else can connect."""
LOOK: Final = 0.05
"""Seconds between two looks at whether calls are still under way at the end."""


class Server:
    """One process: an HTTPS listener, and plain ones for probes and metrics; of a worker the first alone."""

    def __init__(self, state: State, link: Link | None = None) -> None:
        """`link`: the line to the supervisor, of a worker; its port is `state.port`."""
        self.state = state
        self.tls = ServingContext(client_ca_pem=_client_ca(state))
        self.worker = link is not None
        self.certificates: Certificates | Handed = (
            Certificates(state, self.tls)
            if link is None
            else Handed(
                state, self.tls, link, {"metrics": self._exposed, "ready": self._asked_ready}
            )
        )
        self.port = state.settings.port
        self.ports: dict[str, int] = {}
        self._listeners: list[Listener] = []
        self._stop = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.readiness: Readiness | None = None

    async def start(self) -> None:
        """Listens, then serves. Raises CertError without a usable certificate, OSError without a port.

        The probes answer from the first moment on; until there is a certificate every handshake is
        refused and we are not ready.
        """
        settings = self.state.settings
        host, port = await self._listen_for_reviews()
        self.readiness = Readiness(host, port, self._ca, time.monotonic)
        if settings.client_ca is not None:  # the one path that never asks for a certificate
            self.readiness.sample = (CONVERT, conversion(CRD_GROUPS[0]))
        if not self.worker:
            plain = Plain(self.state, self.readiness, self._exposed, self._told)
            try:
                self.ports = await plain.start()
            finally:
                self._listeners += plain.listeners
        await self.certificates.connect()
        if self.certificates.shared is not None:
            self.readiness.trusted = self.certificates.shared.owner.seen_right
        await self.certificates.first()
        if settings.cross_check != "off":
            from webhook.server.crosscheck import cross_check_of

            self.state.cross_check = await cross_check_of(self.state)
        if settings.record is not None:
            from webhook.server.recording import recorder_of

            self.state.recorder = recorder_of(self.state)
        if self.state.recorder is not None:
            self.state.recorder.start()
        for work in (*self.certificates.works(), *self._reloading()):
            self._tasks.add(asyncio.get_running_loop().create_task(lasting(work, self.state.log)))
        gc.freeze()  # some hundred objects of it are garbage: fewer than the look for them is worth
        gc.enable()
        gc.collect()  # counts what is left: a full collection waits for a quarter as much again
        event = "worker serving" if self.worker else "serving"
        self.state.log("info", event, port=self.port, **self.ports)

    async def _listen_for_reviews(self) -> tuple[str, int]:
        """Returns also where this very process can be asked: workers share their port."""
        state, settings = self.state, self.state.settings
        routes = routes_of(state)

        def app() -> web.Application:
            from webhook.server.app import review_app

            return review_app(routes)

        def lanes(edge: Edge) -> Lanes:
            return Lanes(state, Heads(routes), edge.protocol, KEEP_ALIVE)

        edge = Edge(app, settings.shutdown_grace)
        listener = Listener(edge, settings.shutdown_grace, self.tls, lanes=lanes)
        self._listeners.append(listener)
        port = state.port if self.worker else settings.port
        await listener.start(settings.bind_address, port, shared=self.worker)
        self.port = state.port = listener.port
        if not self.worker:
            return settings.bind_address, self.port
        own = Listener(edge, settings.shutdown_grace, self.tls, lanes=lanes)
        self._listeners.append(own)
        await own.start(LOOPBACK, 0)
        return LOOPBACK, own.port

    async def _exposed(self) -> bytes:
        return self.state.metrics.text()

    async def _asked_ready(self) -> dict[str, str | None]:
        """For the supervisor: why we are not ready, and what else is to be told."""
        why = "starting" if self.readiness is None else await self.readiness()
        return {"why": why, "more": self._told()}

    def _told(self) -> str:
        """What readiness adds about the settings, while the file is not what is in force."""
        state = self.state
        if not state.refused_settings:
            return ""
        why = short(state.refused_settings.replace("\n", "; "))
        return (
            f"settings: generation {state.generation} stays in force; the file is refused: {why}\n"
        )

    def _reloading(self) -> list[Callable[[], Awaitable[None]]]:
        source = self.state.source
        works: list[Callable[[], Awaitable[None]]] = []
        if source is not None:
            works.append(Reload(self.state, source).run)
        works.append(self._follow)
        return works

    async def _follow(self) -> None:
        """Follows the operator while settings ask for it; else it is asked again a little later."""
        if looks(self.state.settings):
            from webhook.server.following import Following

            await Following(self.state).run()

    def _ca(self) -> bytes | None:
        bundle = self.tls.bundle
        return bundle.ca_pem if bundle is not None else None

    async def run(self, on_ready: Callable[[Server], None] | None = None) -> bool:
        """Serves until SIGTERM or SIGINT, then drains; a second signal ends at once. Returns True."""
        loop = asyncio.get_running_loop()
        self.state.log.gather(loop.call_later)
        atexit.register(self.state.log.flush)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._signalled, number)
        try:
            if await self._started():
                if on_ready is not None:
                    on_ready(self)
                await self._stop.wait()
                await self.drain()
        finally:
            await self.close()
        self.state.log("info", "ended")
        return True

    async def _started(self) -> bool:
        """Whether it serves: a signal may come while it still waits for a certificate."""
        starting = asyncio.ensure_future(self.start())
        stopping = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if starting.done():
            starting.result()
            return True
        starting.cancel()
        await asyncio.wait((starting,))
        return False

    def _signalled(self, number: int) -> None:
        if self._stop.is_set():
            self.state.log("warning", "ending at once")
            os._exit(128 + number)  # as a shell reports it; there is nothing to be put in order
        self._stop.set()

    async def drain(self) -> None:
        """Not ready, serve on for the delay with Connection: close, let calls finish, close."""
        state = self.state
        state.draining = True
        if self.readiness is not None:
            self.readiness.draining = True
        state.log("info", "draining", seconds=state.settings.shutdown_delay)
        await asyncio.sleep(state.settings.shutdown_delay)
        for listener in self._listeners:
            listener.stop()
        latest = min(listener.latest() for listener in self._listeners)
        await asyncio.sleep(max(0.0, LAST_CALLS - latest))
        await self._calls_ended()

    async def _calls_ended(self) -> None:
        """Waits for calls under way: aiohttp would stop reading a body that still arrives."""
        end = time.monotonic() + self.state.settings.shutdown_grace
        while self.state.room.calls and time.monotonic() < end:  # noqa: ASYNC110 - a count, no event
            await asyncio.sleep(LOOK)

    async def close(self) -> None:
        """Closes listeners and connections; calls under way get the grace period."""
        running = tuple(self._tasks)
        self._tasks.clear()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for listener in self._listeners:
            await listener.close()
        self._listeners.clear()
        if self.state.recorder is not None:
            await asyncio.to_thread(self.state.recorder.stop)
            self.state.recorder = None
        if self.state.cross_check is not None:
            await self.state.cross_check.close()
            self.state.cross_check = None
        await self.certificates.close()


def _client_ca(state: State) -> bytes | None:
    path = state.settings.client_ca
    return None if path is None else path.read_bytes()
