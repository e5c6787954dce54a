"""The edges of a track as one table: (from, to) -> class, whatever form the profile gave them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity
from webhook.lifecycle.model import ABSENT, ANY, EdgeClass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webhook.core.writer import Writer
    from webhook.lifecycle.model import Edges, Scalar, Track

STRICT: Final = EdgeClass(documented=True, about="a usual step")
SKIP: Final = EdgeClass(default=Severity.WARN, changes_only=False, about="legal, but unusual")


@dataclass(frozen=True, slots=True)
class EdgeTable:
    """Which steps a track may take.

    Attributes:
        edges: (from, to) -> name of the class; ``absent`` stands for no value.
        classes: the classes by name.
        odd: the classes that are never suggested.
        known: what has been worked out for messages; the table never changes.
    """

    edges: Mapping[tuple[Scalar, Scalar], str]
    classes: Mapping[str, EdgeClass]
    odd: frozenset[str] = frozenset()
    known: dict[object, list[Scalar]] = field(default_factory=dict, compare=False, repr=False)

    def severity(self, old: Scalar, new: Scalar, writer: Writer) -> Severity | None:
        """What becomes of the step; None when nobody makes it."""
        name = self.edges.get((old, new))
        if name is None:
            return None
        cls = self.classes[name]
        if cls.changes_only and ABSENT in (old, new):
            return Severity.ALLOW
        return cls.writers.get(writer, cls.default)

    def documented(self, old: Scalar, new: Scalar) -> bool:
        """Whether the system's own document names the step."""
        name = self.edges.get((old, new))
        return name is not None and self.classes[name].documented

    def onward(self, old: Scalar, most_certain: int = 2) -> list[Scalar]:
        """Where one may go from ``old``: targets of the first classes that have any."""
        key = (old, most_certain)
        if key not in self.known:
            self.known[key] = self._onward(old, most_certain)
        return self.known[key]

    def way(self, old: Scalar, new: Scalar) -> list[Scalar]:
        """The shortest documented way from ``old`` to ``new``, ends included; [] if none."""
        key = ("way", old, new)
        if key not in self.known:
            self.known[key] = self._way(old, new)
        return self.known[key]

    def _onward(self, old: Scalar, most_certain: int) -> list[Scalar]:
        found: list[Scalar] = []
        used: list[str] = []
        for name in self.classes:
            targets = [b for (a, b), n in self.edges.items() if a == old and n == name]
            if targets and len(used) < most_certain and name not in self.odd:
                used.append(name)
                found += [t for t in targets if t != ABSENT and t not in found]
        return found

    def _way(self, old: Scalar, new: Scalar) -> list[Scalar]:
        before: dict[Scalar, Scalar] = {}
        queue = deque([old])
        while queue and new not in before:
            here = queue.popleft()
            for (a, b), name in self.edges.items():
                if a == here and b not in before and self.classes[name].documented and b != ABSENT:
                    before[b] = here
                    queue.append(b)
        if new not in before:
            return []
        way = [new]
        while way[-1] != old or len(way) == 1:
            way.append(before[way[-1]])
        return way[::-1]


def edge_table(
    track: Track, values: list[Scalar], classes: Mapping[str, EdgeClass]
) -> EdgeTable | None:
    """The table of a track; None when any legal value may follow any other.

    Raises ValueError when the table names a class or a value that is not declared.
    """
    if track.table is not None:
        return _from_classes(track.table, values, classes)
    if track.edges is None:
        return None
    edges: dict[tuple[Scalar, Scalar], str] = {}
    sources = [v for v in values if v not in track.terminal]
    for name, table in (("strict", track.edges), ("skip", track.skips)):
        for pair in _pairs(table, sources):
            if pair[0] != pair[1]:
                edges.setdefault(pair, name)
    for name, entries in (("strict", track.entry), ("skip", track.entry_skips)):
        for value in values if entries is None else entries:
            edges.setdefault((ABSENT, value), name)
    return EdgeTable(edges, {"strict": STRICT, "skip": SKIP}, frozenset({"skip"}))


def _from_classes(
    table: Mapping[str, Edges], values: list[Scalar], classes: Mapping[str, EdgeClass]
) -> EdgeTable:
    edges: dict[tuple[Scalar, Scalar], str] = {}
    known = {*values, ABSENT}
    for name, rows in table.items():
        if name not in classes:
            raise ValueError(f"edge class {name!r} is not declared; declared: {', '.join(classes)}")
        for pair in _pairs(rows, values):
            for value in pair:
                if value not in known:
                    raise ValueError(f"class {name!r} names {value!r}, which is no value here")
            if pair[0] != pair[1]:
                edges.setdefault(pair, name)
    return EdgeTable(edges, {name: classes[name] for name in table})


def _pairs(table: Edges, sources: list[Scalar]) -> list[tuple[Scalar, Scalar]]:
    pairs: list[tuple[Scalar, Scalar]] = []
    for source, targets in table.items():
        for start in sources if source == ANY else [source]:
            pairs += [(start, target) for target in targets]
    return pairs
