"""How long calls take."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from webhook.metrics.exposition import labelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.metrics.exposition import Registry

BUCKETS: Final = (
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip


class Latency:
    """How long the calls of one path took: a histogram that costs a bisection to add to."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total = 0.0

    def observe(self, seconds: float) -> None:
        """Adds one call."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds


class Latencies:
    """One histogram by path."""

    kind = "histogram"

    def __init__(self, name: str, about: str, *, registry: Registry) -> None:
        self.name, self.about = name, about
        self.names: tuple[str, ...] = ("webhook",)
        self._paths: dict[str, Latency] = {}
        registry.families.append(self)

    def labels(self, path: str) -> Latency:
        """The one of a path."""
        return self._paths.setdefault(path, Latency())

    def samples(self) -> Iterator[tuple[str, str, float]]:
        """For the exposition."""
        for path, latency in self._paths.items():
            edges = (*map(repr, BUCKETS), "+Inf")
            sums = tuple(accumulate(latency.counts))
            for edge, count in zip(edges, sums, strict=True):
                yield "_bucket", labelled(("le", "webhook"), (edge, path)), float(count)
            labels = labelled(self.names, (path,))
            yield "_count", labels, float(sums[-1])
            yield "_sum", labels, latency.total
