"""The supervisor of `workers: N`: keeps so many processes, which share the port, as if they were one."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from webhook.server.certificates import Certificates
from webhook.server.lasting import lasting
from webhook.server.link import Link, told
from webhook.server.listener import bound
from webhook.server.plain import Plain, exposed
from webhook.server.readiness import LONGEST_WAIT
from webhook.server.spreading import Spreading
from webhook.server.summing import Exposition

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.server.state import State

WORKER: Final = "_SKYHOOK_WEBHOOK_WORKER"
"""The variable by which a process knows that it is a worker: its number, its end of the line, the port."""
QUICK: Final = 10.0
"""Seconds; who dies sooner has not really lived."""
MOST_QUICK: Final = 5
"""Quick deaths in a row, of whichever workers, after which the supervisor gives up."""
FIRST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 15.0
ANSWER: Final = 5.0
"""Seconds that a worker may take to answer the supervisor."""
_ONE_MEMORY: Final = (
    "cross_check: memory knows the reviews of one process only; with several workers use live"
)
LAST: Final = 10.0
"""Seconds over its own limits after which a worker that does not end is killed."""


class Worker:
    """One process."""

    def __init__(self, number: int, process: asyncio.subprocess.Process, link: Link) -> None:
        self.number = number
        self.process = process
        self.link = link
        self.serving = False
        self._asked: dict[int, asyncio.Future[Any]] = {}

    async def listen(self, on_serving: Callable[[], None]) -> None:
        """Takes what it says, until it is gone."""
        async for message in self.link.messages():
            if "serving" in message:
                self.serving = True
                on_serving()
            elif (waiting := self._asked.pop(message["id"], None)) and not waiting.done():
                waiting.set_result(message["answer"])
        self.serving = False
        for waiting in self._asked.values():
            waiting.cancel()

    async def ask(self, what: str) -> Any:
        """Its answer. Raises TimeoutError when there is none."""
        number = len(self._asked) and max(self._asked) + 1
        waiting = self._asked[number] = asyncio.get_running_loop().create_future()
        self.link.send(ask=what, id=number)
        try:
            async with asyncio.timeout(ANSWER):
                return await waiting
        except asyncio.CancelledError:
            raise TimeoutError from None
        finally:
            self._asked.pop(number, None)


class Supervisor:
    """Owns certificates, probes and metrics; its workers own the reviews.

    Attributes:
        port, ports: as of `Server`.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.port = state.settings.port
        self.ports: dict[str, int] = {}
        self._tls = Spreading(self._spread)
        self._certificates = Certificates(state, self._tls)
        self._plain = Plain(state, self._ready, self._metrics, lambda: self._told)
        self._reserved: socket.socket | None = None
        self._workers: dict[int, Worker] = {}
        self._read: dict[int, Exposition] = {}  # what each worker last said of its metrics
        self._ended = Exposition("")  # what workers have counted that are no more
        self._quick = 0
        self._failed = False
        self._draining = False
        self._stop = asyncio.Event()
        self._all = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = time.monotonic()
        self._told = ""

    async def run(self, on_ready: Callable[[Supervisor], None] | None = None) -> bool:
        """Serves until SIGTERM or SIGINT; False when the workers would not live.

        Raises ValueError for settings that need a single process.
        """
        if self.state.settings.cross_check == "memory":
            raise ValueError(_ONE_MEMORY)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._signalled, number)
        try:
            await self._start()
            waiting = [loop.create_task(e.wait()) for e in (self._all, self._stop)]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if not self._stop.is_set():
                self.state.log("info", "serving", port=self.port, **self.ports)
                if on_ready is not None:
                    on_ready(self)
            await self._stop.wait()
            for task in waiting:
                task.cancel()
        finally:
            await self._end()
        self.state.log("error" if self._failed else "info", "ended")
        return not self._failed

    async def _start(self) -> None:
        gc.freeze()
        gc.enable()
        settings = self.state.settings
        self._reserved = bound(settings.bind_address, settings.port, shared=True)
        self.port = self.state.port = self._reserved.getsockname()[1]
        self.ports = await self._plain.start()
        await self._certificates.connect()
        for number in range(1, settings.workers + 1):
            self._begin(self._kept(number))
        await self._certificates.first()
        for work in self._certificates.works():
            self._begin(lasting(work, self.state.log))

    def _begin(self, work: Any) -> None:
        self._tasks.add(asyncio.get_running_loop().create_task(work))

    async def _kept(self, number: int) -> None:
        """One worker, for good."""
        while not self._draining:
            began = time.monotonic()
            worker = await self._spawned(number)
            code = await worker.process.wait()
            worker.link.close()
            self._ended.add(self._read.pop(number, Exposition("")).counted())
            self.state.metrics.workers.dec()
            if self._draining:
                return
            lived = time.monotonic() - began
            self._quick = self._quick + 1 if lived < QUICK else 0
            self.state.log(
                "error", "worker ended", worker=number, code=code, seconds=round(lived, 1)
            )
            if self._quick >= MOST_QUICK:
                self.state.log("error", "workers die at once; giving up", times=self._quick)
                self._failed = True
                self._stop.set()
                return
            self.state.metrics.restarts.inc()
            await asyncio.sleep(min(LONGEST_PAUSE, FIRST_PAUSE * 2**self._quick))

    async def _spawned(self, number: int) -> Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "webhook", *sys.argv[1:]),
                env={**os.environ, WORKER: f"{number},{theirs.fileno()},{self.port}"},
                pass_fds=(theirs.fileno(),),
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is ours to pass on
            )
        link = Link(ours)
        await link.open()
        worker = self._workers[number] = Worker(number, process, link)
        self.state.metrics.workers.inc()
        if self._tls.bundle is not None:
            link.send(bundle=told(self._tls.bundle))
        self._begin(worker.listen(self._one_more))
        return worker

    def _one_more(self) -> None:
        if all(w.serving for w in self._workers.values()):
            self._all.set()

    def _spread(self) -> None:
        """A new certificate, to every worker."""
        if self._tls.bundle is not None:
            for worker in self._workers.values():
                worker.link.send(bundle=told(self._tls.bundle))

    async def _ready(self) -> str | None:
        """None when every worker is ready, else why not."""
        if self._draining:
            return "shutting down"
        if self._awaits_trust():
            return "the caBundle has not been seen right yet"
        for number in range(1, self.state.settings.workers + 1):
            worker = self._workers.get(number)
            if worker is None or not worker.serving:
                return f"worker {number} has not started yet"
            try:
                answer = await worker.ask("ready")
            except TimeoutError:
                return f"worker {number} does not answer"
            self._told = answer["more"]
            if answer["why"] is not None:
                return f"worker {number}: {answer['why']}"
        return None

    def _awaits_trust(self) -> bool:
        shared = self._certificates.shared
        if shared is None or shared.owner.seen_right.is_set():
            return False
        return time.monotonic() - self._started < LONGEST_WAIT

    async def _metrics(self) -> bytes:
        """Ours and every worker's, and what those counted that have ended."""
        total = Exposition("")
        for number, worker in self._workers.items():
            if worker.serving:
                with suppress(TimeoutError):
                    self._read[number] = Exposition(await worker.ask("metrics"))
        for found in (self._ended, *self._read.values()):
            total.add(found)
        own = Exposition((await exposed(self.state)).decode())
        own.samples["skyhook_webhook_settings_generation"] = {}
        total.add(own)
        return total.text().encode()

    def _signalled(self, number: int) -> None:
        if self._stop.is_set():
            self.state.log("warning", "ending at once")
            for worker in self._workers.values():
                with suppress(ProcessLookupError):
                    worker.process.kill()
            os._exit(128 + number)
        self._stop.set()

    async def _end(self) -> None:
        """All workers drain together; whoever is over every limit is killed."""
        self._draining = True
        settings = self.state.settings
        for worker in self._workers.values():
            if worker.process.returncode is None:
                with suppress(ProcessLookupError):
                    worker.process.terminate()
        waiting = [asyncio.ensure_future(w.process.wait()) for w in self._workers.values()]
        if waiting:
            limit = settings.shutdown_delay + settings.shutdown_grace + LAST
            _, late = await asyncio.wait(waiting, timeout=limit)
            if late:
                self.state.log("warning", "workers did not end in time", number=len(late))
            for worker in self._workers.values():
                if worker.process.returncode is None:
                    worker.process.kill()
                    await worker.process.wait()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._plain.close()
        await self._certificates.close()
        if self._reserved is not None:
            self._reserved.close()
