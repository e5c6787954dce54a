"""Reviews judged with what is known of Nodes: remembered from their own reviews, or read."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf
from typing import TYPE_CHECKING, Any, Final

from webhook.certs.cluster import ClusterError, in_cluster
from webhook.core.evidence import NoEvidence
from webhook.core.managed import status_changed
from webhook.core.writer import Writer
from webhook.reviews.crosscheck import Copies, Recalled
from webhook.reviews.decode import request_of
from webhook.reviews.engine import Judged
from webhook.reviews.memory import Bounds, Memory
from webhook.server.log import short
from webhook.server.nodes import NodeReader

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from webhook.catalog import Catalog
    from webhook.certs.apiclient import ApiCluster
    from webhook.core.evidence import Evidence
    from webhook.metrics import CrossCheckMetrics
    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict
    from webhook.reviews.wire import AdmissionRequest
    from webhook.server.state import State

_NOTHING: Final = NoEvidence()


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One call: who judges, what, and which of it are copies."""

    engine: Engine
    api_version: str
    request: AdmissionRequest
    copies: Copies


class CrossCheck:
    """One process's memory of Nodes, and its way to read one.

    Without a reader memory alone is the evidence, once it has listened for long enough: right
    where every review comes to this one process. With one, memory only spares reads: other
    replicas get reviews too, so that nothing is found that the API server has not confirmed.
    """

    def __init__(
        self,
        memory: Memory,
        metrics: CrossCheckMetrics,
        reader: NodeReader | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = _now,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """``clock``: seconds that only grow; ``now``: the time of day; ``close``: ends what the reader uses."""
        self.memory = memory
        self.reader = reader
        self._close = close
        self._metrics = metrics
        self._clock = clock
        self._now = now
        self._copies: tuple[Catalog, Copies] | None = None

    async def judge(self, engine: Engine, body: bytes) -> Judged:
        """The verdict on the review in a body. Raises ReviewError."""
        found = self.look(engine, body)
        return found if isinstance(found, Judged) else await found

    def look(self, engine: Engine, body: bytes) -> Judged | Coroutine[Any, Any, Judged]:
        """The same at once, where nothing has to be read. Raises ReviewError."""
        review = engine.opening.review(body)
        request = request_of(review)
        copies = self._copies_of(engine.catalog)
        evidence = self._first_look()
        verdict = engine.judge_request(request, evidence)
        missed = copies.missed(verdict)
        owners = copies.missed_owners(verdict)
        if isinstance(evidence, Recalled):
            owners = (*owners, *evidence.unknown())
        asked = _Asked(engine, review.api_version, request, copies)
        if missed or owners:
            return self._looked_into(asked, verdict, missed, owners)
        if isinstance(evidence, Recalled) and evidence.seen:
            self._metrics.compared("borne-out" if evidence.knew() else "unproven")
        return self._judged(asked, verdict)

    def _judged(self, asked: _Asked, verdict: Verdict) -> Judged:
        request, memory = asked.request, self.memory
        asked.copies.remember(memory, request, self._clock(), allowed=verdict.allowed)
        self._metrics.remembered(len(memory), memory.size)
        return Judged.of(asked.api_version, request, verdict)

    async def close(self) -> None:
        """Ends the connections to the API server."""
        if self._close is not None:
            await self._close()

    def _copies_of(self, catalog: Catalog) -> Copies:
        if self._copies is None or self._copies[0] is not catalog:  # settings were reloaded
            self._copies = catalog, Copies.of(catalog)
        return self._copies[1]

    def _first_look(self) -> Evidence:
        if self.reader is None:
            return Recalled(self.memory, self._clock(), self.memory.bounds.lately)
        if self.reader.resting:
            return _NOTHING
        return Recalled(self.memory, self._clock(), inf, suspicious=True)

    async def _looked_into(
        self,
        asked: _Asked,
        verdict: Verdict,
        missed: tuple[str, ...],
        owners: tuple[str, ...],
    ) -> Judged:
        """The verdict to give after a first look found what nothing remembered bears out."""
        engine, request, copies = asked.engine, asked.request, asked.copies
        evidence: Evidence = _NOTHING
        if verdict.writer is not Writer.PERSON or not missed or self._calm(request):
            if self.reader is None:
                self._metrics.compared("untrue")
                return self._judged(asked, verdict)
            live = await self.reader.read(missed, owners)
            now = self._clock()
            for name, node in live.items():
                copies.saw(self.memory, name, node, now)
            evidence = Recalled(self.memory, now, inf, live=live)
        verdict = engine.judge_request(request, evidence)
        untrue = copies.missed(verdict) or copies.missed_owners(verdict)
        known = isinstance(evidence, Recalled) and evidence.knew((*missed, *owners))
        self._metrics.compared("untrue" if untrue else "borne-out" if known else "unproven")
        return self._judged(asked, verdict)

    def _calm(self, request: AdmissionRequest) -> bool:
        """Whether the status is as it has been for a while.

        Else a person's tool may put back, with the whole status that it read just before, a copy
        that the operator has replaced since; how old that copy was, nothing tells.
        """
        old, _ = request.objects()
        written = None if old is None else status_changed(old)
        lately = timedelta(seconds=self.memory.bounds.lately)
        return written is not None and self._now() - written >= lately


async def cross_check_of(state: State) -> CrossCheck | None:
    """As the settings ask for it; None where it is off, or where there is no way to read a Node."""
    settings, log = state.settings, state.log
    metrics, lately = state.metrics.cross_check, settings.cross_check_seconds
    if settings.cross_check == "off":
        return None
    memory = Memory(Bounds(lately=lately, size=settings.cross_check_bytes))
    if settings.cross_check == "memory":
        return CrossCheck(memory, metrics)
    cluster = await _cluster(state)
    if cluster is None:
        log("info", "no cross-check with Nodes: there is no way to an API server")
        return None
    reader = NodeReader(
        lambda key: cluster.stored(key) if key.startswith("/") else cluster.node_metadata(key),
        lately=timedelta(seconds=lately),
        within=settings.cross_check_timeout,
        per_second=settings.cross_check_reads,
        clock=time.monotonic,
        now=_now,
        count=metrics.read,
        say=lambda why: log("warning", "no cross-check: Nodes cannot be read", why=short(why)),
    )
    await reader.try_out()
    return CrossCheck(memory, metrics, reader, close=cluster.close)


async def _cluster(state: State) -> ApiCluster | None:
    """The API server, of a Pod that may talk to one or of a kubeconfig."""
    settings = state.settings
    if settings.kubeconfig is None and not in_cluster():
        return None
    from webhook.certs.apiclient import ApiCluster

    try:
        return await ApiCluster.connect(
            namespace=settings.namespace or "", kubeconfig=settings.kubeconfig
        )
    except ClusterError as error:
        state.log("warning", "no cross-check with Nodes", why=short(str(error)))
        return None
