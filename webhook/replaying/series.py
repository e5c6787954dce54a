"""Counts over time in a bounded number of buckets: wider ones when the time grows long."""

from __future__ import annotations

from typing import Final

import msgspec

WIDTHS: Final = (1, 10, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400, 28 * 86400, 364 * 86400)
"""Seconds; each divides the next."""
MOST_BUCKETS: Final = 600


class Bucket(msgspec.Struct):
    """What happened within one width of time."""

    writes: int = 0
    denied: int = 0
    warned: int = 0

    def count(self, denied: bool, warned: bool) -> None:
        """Counts one write."""
        self.writes += 1
        self.denied += denied
        self.warned += warned

    def add(self, other: Bucket) -> None:
        """Adds the counts of another."""
        self.writes += other.writes
        self.denied += other.denied
        self.warned += other.warned


class Series(msgspec.Struct):
    """Buckets by their number since 1970.

    Attributes:
        width: seconds of each.
        buckets: only those in which something happened.
    """

    width: int = WIDTHS[0]
    buckets: dict[int, Bucket] = {}

    def count(self, time: float, denied: bool, warned: bool) -> None:
        """Counts a write at a time, in seconds since 1970."""
        self._at(int(time // self.width)).count(denied, warned)
        while len(self.buckets) > MOST_BUCKETS:
            self.widen(self._next_width())

    def merge(self, other: Series) -> None:
        """Adds another series, at the wider of the two widths."""
        if other.width > self.width:
            self.widen(other.width)
        for number, bucket in other.buckets.items():
            self._at(number * other.width // self.width).add(bucket)
        while len(self.buckets) > MOST_BUCKETS:
            self.widen(self._next_width())

    def widen(self, width: int) -> None:
        """The same counts in wider buckets."""
        old, was, self.buckets, self.width = self.buckets, self.width, {}, width
        for number, bucket in old.items():
            self._at(number * was // width).add(bucket)

    def fit(self, most: int) -> Series:
        """A copy in at most so many buckets from the first to the last, empty ones counted."""
        found = Series(self.width, {})
        found.merge(self)
        while found.buckets and max(found.buckets) - min(found.buckets) >= most:
            found.widen(found._next_width())
        return found

    def rows(self) -> list[tuple[float, Bucket]]:
        """(start in seconds since 1970, counts), from the first to the last, empty ones too."""
        if not self.buckets:
            return []
        span = range(min(self.buckets), max(self.buckets) + 1)
        return [(n * self.width, self.buckets.get(n, Bucket())) for n in span]

    def _at(self, number: int) -> Bucket:
        bucket = self.buckets.get(number)
        if bucket is None:
            bucket = self.buckets[number] = Bucket()
        return bucket

    def _next_width(self) -> int:
        return next((width for width in WIDTHS if width > self.width), self.width * 2)
