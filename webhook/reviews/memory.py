"""What Nodes say and lately said, as reviews of writes to them showed it; bounded in every way.

A review is no commit: one write may be reviewed several times, and may fail after all. So what a
review asks for is remembered as something that the Node may have held, never as what it holds.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MIB: Final = 1024 * 1024
_OVERHEAD: Final = 128
"""Bytes that a value costs beside its text."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is remembered.

    Attributes:
        lately: seconds for which a value that was overwritten still counts.
        values: distinct values of one annotation; the oldest goes first.
        size: bytes of all; the Node that was written the longest ago goes first.
    """

    lately: float = inf
    values: int = 64
    size: int = 32 * MIB


@dataclass(slots=True)
class _Held:
    """A value (None: absent), and when a review last had it on one of its sides."""

    value: str | None
    last: float

    @property
    def size(self) -> int:
        return _OVERHEAD + len(self.value or "")


@dataclass(slots=True)
class _Node:
    """``since``: from when on nothing of this Node was forgotten that still counts."""

    since: float
    annotations: dict[str, list[_Held]] = field(default_factory=dict)


class Memory:
    """Annotations of Nodes. Times are seconds on any one clock, the caller's."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self.size = 0
        self._nodes: OrderedDict[str, _Node] = OrderedDict()

    def __len__(self) -> int:
        """The number of Nodes."""
        return len(self._nodes)

    def saw(self, node: str, now: float, *sides: Mapping[str, str]) -> None:
        """What the annotations were on each side of a review, the later side last.

        A side holds every annotation that counts and that the Node had: what it lacks was absent.
        """
        found = self._nodes.get(node)
        if found is None:
            found = self._nodes[node] = _Node(now)
        self._nodes.move_to_end(node)
        for name in {*found.annotations, *(name for side in sides for name in side)}:
            held = found.annotations.setdefault(name, [])
            for side in sides:
                self._push(held, side.get(name), now)
            self._trim(found, held, now)
        while self.size > self.bounds.size and len(self._nodes) > 1:
            self._forget()

    def knows(self, node: str) -> bool:
        """Whether anything is remembered of this Node."""
        return node in self._nodes

    def since(self, node: str) -> float:
        """From when on all is known that came here of this Node; infinity for an unknown one."""
        found = self._nodes.get(node)
        return inf if found is None else found.since

    def held(self, node: str, annotation: str, now: float) -> tuple[str | None, ...]:
        """The values that count, the latest last; () for a Node that is not known."""
        found = self._nodes.get(node)
        if found is None:
            return ()
        held = found.annotations.get(annotation)
        if not held:
            return (None,)  # the Node's reviews would have shown it
        latest, oldest = held[-1].last, now - self.bounds.lately
        return tuple(h.value for h in held if h.last == latest or h.last >= oldest)

    def _push(self, held: list[_Held], value: str | None, now: float) -> None:
        for place, one in enumerate(held):
            if one.value == value:
                one.last = now
                held.append(held.pop(place))
                return
        held.append(_Held(value, now))
        self.size += held[-1].size

    def _trim(self, node: _Node, held: list[_Held], now: float) -> None:
        oldest = now - self.bounds.lately
        while held[0].last < oldest or len(held) > self.bounds.values:
            gone = held.pop(0)
            self.size -= gone.size
            if gone.last >= oldest:
                node.since = now  # it still counted

    def _forget(self) -> None:
        _, node = self._nodes.popitem(last=False)
        self.size -= sum(one.size for held in node.annotations.values() for one in held)
