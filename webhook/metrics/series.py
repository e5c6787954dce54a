"""All series of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics
from prometheus_client.exposition import generate_latest

from webhook.metrics.certificates import CertificateMetrics, CrossCheckMetrics
from webhook.metrics.latency import Latencies

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from webhook.core.writer import Writer
    from webhook.reviews.engine import Judged, Mutated
    from webhook.reviews.verdict import Verdict

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_OPERATIONS: Final = frozenset({"CREATE", "UPDATE", "DELETE", "CONNECT"})
_SUBRESOURCES: Final = frozenset({"", "status", "scale"})

_Asked = tuple[str, str | None, str, "Writer", bool]
"""Kind, subresource, operation, writer, whether it was allowed."""


class Metrics:
    """All series of one process, in a registry of their own.

    The three ``controller_runtime_webhook_*`` names are those that dashboards of Go webhooks read.
    """

    def __init__(self, kinds: frozenset[str]) -> None:
        """``kinds``: the kinds that the catalog guards; all others are counted as "other"."""
        disable_created_metrics()  # type: ignore[no-untyped-call]  # half of the lines, for nobody
        self.registry = CollectorRegistry()
        self._kinds = kinds
        self.certificates = CertificateMetrics(self.registry)
        self.cross_check = CrossCheckMetrics(self.registry)
        self.clients = Counter(
            "skyhook_webhook_client_certificates_total",
            "Calls by path and whether they carried a verified client certificate",
            ["webhook", "verified"],
            registry=self.registry,
        )
        self.requests = Counter(
            "controller_runtime_webhook_requests_total",
            "HTTP requests by webhook path and status code",
            ["webhook", "code"],
            registry=self.registry,
        )
        self.latency = Latencies(
            "controller_runtime_webhook_latency_seconds",
            "Time from the whole body to the answer, in seconds",
        )
        self.registry.register(self.latency)
        self.in_flight = Gauge(
            "controller_runtime_webhook_requests_in_flight",
            "Requests being served",
            ["webhook"],
            registry=self.registry,
        )
        self.shed = Counter(
            "skyhook_webhook_shed_total",
            "Calls refused at once because too many were under way, by path",
            ["webhook"],
            registry=self.registry,
        )
        self.reviews = Counter(
            "skyhook_webhook_reviews_total",
            "Reviews judged, by kind, subresource, operation, writer and verdict",
            ["kind", "subresource", "operation", "writer", "allowed"],
            registry=self.registry,
        )
        self.findings = Counter(
            "skyhook_webhook_findings_total",
            "Findings by rule and by what became of them: deny, warn or audit",
            ["rule", "effect"],
            registry=self.registry,
        )
        self.would_deny = Counter(
            "skyhook_webhook_would_deny_total",
            "Denials that the policy turned into less, by rule",
            ["rule"],
            registry=self.registry,
        )
        self.mutations = Counter(
            "skyhook_webhook_mutations_total",
            "Status writes seen by /mutate, by kind, writer and what was done: patched, left or withheld",
            ["kind", "writer", "done"],
            registry=self.registry,
        )
        self.legacy = Counter(
            "skyhook_webhook_legacy_conditions_total",
            "Status writes of objects that carry prefixed condition types, by kind, writer and whether"
            " the write itself wrote one",
            ["kind", "writer", "written"],
            registry=self.registry,
        )
        self.conversions = Counter(
            "skyhook_webhook_converted_objects_total",
            "Objects converted, by the version asked for",
            ["version"],
            registry=self.registry,
        )
        self.recorded = Counter(
            "skyhook_webhook_recorded_reviews_total",
            "Reviews for --record, by what became of them: written, dropped for want of room, failed",
            ["result"],
            registry=self.registry,
        )
        self.glass = Counter(
            "skyhook_webhook_break_glass_total",
            "Writes let through by a break-glass annotation, by kind",
            ["kind"],
            registry=self.registry,
        )
        self.workers = Gauge(
            "skyhook_webhook_workers",
            "Worker processes that live, with more than one; they count together",
            registry=self.registry,
        )
        self.restarts = Counter(
            "skyhook_webhook_worker_restarts_total",
            "Workers that were begun again because they ended",
            registry=self.registry,
        )
        self.generation = Gauge(
            "skyhook_webhook_settings_generation",
            "Generation of the settings in force; 1 after the start",
            registry=self.registry,
        )
        self.generation.set(1)
        self.settings_broken = Gauge(
            "skyhook_webhook_settings_broken",
            "1 while the settings file cannot be used and earlier settings stay in force",
            registry=self.registry,
        )
        self._children: dict[_Asked, Counter] = {}
        self._converted: dict[str, Counter] = {}

    def know(self, kinds: frozenset[str]) -> None:
        """The kinds that are guarded from now on; those of before are counted on by name."""
        self._kinds |= kinds

    def count(self, judged: Judged) -> None:
        """Counts one verdict."""
        request, verdict = judged.request, judged.verdict
        asked = (
            request.kind.kind,
            request.sub_resource,
            request.operation,
            verdict.writer,
            not verdict.denied,
        )
        child = self._children.get(asked)
        if child is None:
            child = self._child(asked)
        child.inc()
        if verdict.findings:
            self._count_findings(verdict)
        if verdict.broken_glass:
            self.glass.labels(self._kind(request.kind.kind)).inc()

    def _kind(self, kind: str) -> str:
        return kind if kind in self._kinds else "other"

    def _child(self, asked: _Asked) -> Counter:
        """The series for a kind of call; remembered for what is guarded, so that strangers fill nothing."""
        kind, subresource, operation, writer, allowed = asked
        subresource = subresource or ""
        known = subresource in _SUBRESOURCES and operation in _OPERATIONS
        child = self.reviews.labels(
            self._kind(kind),
            subresource if subresource in _SUBRESOURCES else "other",
            operation if operation in _OPERATIONS else "other",
            writer.value,
            "true" if allowed else "false",
        )
        if known and kind in self._kinds:
            self._children[asked] = child
        return child

    def _count_findings(self, verdict: Verdict) -> None:
        for effect, findings in (
            ("deny", verdict.denied),
            ("warn", verdict.warned),
            ("audit", verdict.audited),
        ):
            for finding in findings:
                self.findings.labels(finding.rule, effect).inc()
        for rule in verdict.would_deny:
            self.would_deny.labels(rule).inc()

    def count_mutation(self, mutated: Mutated) -> None:
        """Counts what became of one status write."""
        request, mutation = mutated.request, mutated.mutation
        kind = request.kind.kind if request.kind.kind in self._kinds else "other"
        done = "withheld" if mutation.doubt else "left" if mutation.patch is None else "patched"
        self.mutations.labels(kind, mutation.writer.value, done).inc()
        if mutation.carried:
            written = "true" if mutation.written else "false"
            self.legacy.labels(kind, mutation.writer.value, written).inc()

    def count_conversion(
        self, desired: str, served: Callable[[], Container[str]], objects: int
    ) -> None:
        """Counts the objects of one conversion call; what is ``served`` is asked once a version."""
        child = self._converted.get(desired)
        if child is None:
            known = desired in served()
            child = self.conversions.labels(desired if known else "other")
            if known:
                self._converted[desired] = child
        child.inc(objects)

    def text(self) -> bytes:
        """The exposition that Prometheus scrapes."""
        return generate_latest(self.registry)
