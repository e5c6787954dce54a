"""How long calls take."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

if TYPE_CHECKING:
    from collections.abc import Iterator

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


class Latencies(Collector):
    """One histogram by path."""

    def __init__(self, name: str, documentation: str) -> None:
        self._name = name
        self._documentation = documentation
        self._type = "histogram"
        self._labelnames = ("webhook",)
        self._paths: dict[str, Latency] = {}

    def describe(self) -> Iterator[HistogramMetricFamily]:
        """What there is, also while nothing has been counted."""
        yield HistogramMetricFamily(self._name, self._documentation, labels=self._labelnames)

    def labels(self, path: str) -> Latency:
        """The one of a path."""
        return self._paths.setdefault(path, Latency())

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """For Prometheus."""
        family = HistogramMetricFamily(self._name, self._documentation, labels=self._labelnames)
        for path, latency in self._paths.items():
            sums = accumulate(latency.counts)
            edges = (*map(floatToGoString, BUCKETS), "+Inf")
            buckets = [(edge, float(count)) for edge, count in zip(edges, sums, strict=True)]
            family.add_metric([path], buckets, latency.total)
        yield family
