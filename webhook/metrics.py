"""What the server counts, for Prometheus. No label holds a name, a user, a uid or an error text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)
from prometheus_client.exposition import generate_latest

if TYPE_CHECKING:
    from datetime import datetime

    from webhook.reviews.engine import Judged, Mutated

BUCKETS: Final = (
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_OPERATIONS: Final = frozenset({"CREATE", "UPDATE", "DELETE", "CONNECT"})
_SUBRESOURCES: Final = frozenset({"", "status", "scale"})


class CertificateMetrics:
    """What certificates report (``webhook.certs.observer``)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._expiry = Gauge(
            "skyhook_webhook_certificate_expiry_timestamp_seconds",
            "When the served leaf or its CA is over",
            ["cert"],
            registry=registry,
        )
        self._phase = Gauge(
            "skyhook_webhook_rotation_phase",
            "1 for the phase that the rotation is in",
            ["phase"],
            registry=registry,
        )
        self._held = Gauge(
            "skyhook_webhook_rotation_held",
            "1 while the rotation waits for an object or a replica",
            registry=registry,
        )
        self._complaint = Gauge(
            "skyhook_webhook_certificate_source_broken",
            "1 while the source offers nothing usable and an older pair is served",
            registry=registry,
        )
        self._bundles = Gauge(
            "skyhook_webhook_ca_bundle_right",
            "Whether the caBundles of an object are what they should be",
            ["kind", "object"],
            registry=registry,
        )
        self._repairs = Counter(
            "skyhook_webhook_ca_bundle_writes_total",
            "caBundles written, by object",
            ["kind", "object"],
            registry=registry,
        )

    def expiry(self, certificate: str, not_after: datetime) -> None:
        """When the ``leaf`` or the ``ca`` is over."""
        self._expiry.labels(certificate).set(not_after.timestamp())

    def phase(self, phase: str) -> None:
        """Where the rotation stands."""
        for name in ("steady", "publishing", "serving", "retiring"):
            self._phase.labels(name).set(name == phase)

    def held(self, reason: str | None) -> None:
        """Whether the rotation waits."""
        self._held.set(reason is not None)

    def complaint(self, message: str | None) -> None:
        """Whether something is wrong with the source."""
        self._complaint.set(message is not None)

    def ca_bundle(self, kind: str, name: str, *, right: bool) -> None:
        """Whether an object's caBundles are right; the objects are ours and few."""
        self._bundles.labels(kind, name).set(right)

    def ca_bundle_written(self, kind: str, name: str) -> None:
        """A caBundle was repaired."""
        self._repairs.labels(kind, name).inc()


class CrossCheckMetrics:
    """What the cross-check with Nodes reports (``webhook.server.crosscheck``)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._reviews = Counter(
            "skyhook_webhook_cross_checks_total",
            "Reviews that changed copies of Nodes, by result: borne-out by what was remembered or read,"
            " untrue, or unproven either way",
            ["result"],
            registry=registry,
        )
        self._reads = Counter(
            "skyhook_webhook_node_reads_total",
            "Nodes read for the cross-check, by result: found, absent, late, failed, refused"
            " (no right to), or limited (not read: too many in a second)",
            ["result"],
            registry=registry,
        )
        self._last = (0, 0)
        self._nodes = Gauge(
            "skyhook_webhook_remembered_nodes",
            "Nodes, and the objects whose records they keep, that are remembered",
            registry=registry,
        )
        self._bytes = Gauge(
            "skyhook_webhook_remembered_bytes",
            "Bytes of Nodes' annotations that are remembered",
            registry=registry,
        )

    def compared(self, result: str) -> None:
        """What came of one review's copies."""
        self._reviews.labels(result).inc()

    def read(self, result: str) -> None:
        """What came of one read."""
        self._reads.labels(result).inc()

    def remembered(self, nodes: int, size: int) -> None:
        """How much is remembered."""
        if (nodes, size) != self._last:
            self._last = nodes, size
            self._nodes.set(nodes)
            self._bytes.set(size)


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
        self.latency = Histogram(
            "controller_runtime_webhook_latency_seconds",
            "Time from the whole body to the answer, in seconds",
            ["webhook"],
            buckets=BUCKETS,
            registry=self.registry,
        )
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
        self._children: dict[tuple[str, ...], Counter] = {}

    def know(self, kinds: frozenset[str]) -> None:
        """The kinds that are guarded from now on; those of before are counted on by name."""
        self._kinds |= kinds

    def count(self, judged: Judged) -> None:
        """Counts one verdict."""
        request, verdict = judged.request, judged.verdict
        subresource = request.sub_resource or ""
        key = (
            request.kind.kind if request.kind.kind in self._kinds else "other",
            subresource if subresource in _SUBRESOURCES else "other",
            request.operation if request.operation in _OPERATIONS else "other",
            verdict.writer.value,
            "true" if verdict.allowed else "false",
        )
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = self.reviews.labels(*key)
        child.inc()
        for effect, findings in (
            ("deny", verdict.denied),
            ("warn", verdict.warned),
            ("audit", verdict.audited),
        ):
            for finding in findings:
                self.findings.labels(finding.rule, effect).inc()
        if verdict.broken_glass:
            self.glass.labels(key[0]).inc()
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

    def count_conversion(self, desired: str, served: frozenset[str], objects: int) -> None:
        """Counts the objects of one conversion call."""
        self.conversions.labels(desired if desired in served else "other").inc(objects)

    def text(self) -> bytes:
        """The exposition that Prometheus scrapes."""
        return generate_latest(self.registry)
