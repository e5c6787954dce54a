"""What certificates and the cross-check report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge

if TYPE_CHECKING:
    from datetime import datetime


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
