"""Anchors and aliases, expanded within bounds: a few lines of YAML must not become gigabytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from webhook.documents.notes import shown
from webhook.documents.problem import ProblemKind, UnreadableError

if TYPE_CHECKING:
    from webhook.documents.position import Node

MAX_DEPTH: Final = 256
"""Levels of nesting read; real manifests stay under 30, and Python's own limit is about 1,000."""

MAX_EXPANSION: Final = 4_000_000
"""What all aliases of a document may add, roughly in bytes of JSON; an object in etcd has 1.5 MB."""


_VALUE: Final = 8  # what a value weighs beside its characters


@dataclass(slots=True)
class _Anchor:
    value: Any
    node: Node
    measure: tuple[int, int] | None = None


class Aliases:
    """The anchors of one document, by name."""

    __slots__ = ("_anchors", "_expanded")

    def __init__(self) -> None:
        self._anchors: dict[str, _Anchor | None] = {}
        self._expanded = 0

    def begin(self, name: str) -> None:
        """An anchored collection opens: an alias to it inside itself is an error."""
        self._anchors[name] = None

    def define(self, name: str, value: Any, node: Node) -> None:
        """What is anchored is complete."""
        self._anchors[name] = _Anchor(value, node)

    def expand(self, name: str, offset: int, level: int) -> tuple[Any, Node]:
        """A copy of the value anchored, and its nodes as they are.

        Raises:
            UnreadableError: no such anchor, an anchor that contains itself, or too large or deep.
        """
        if name not in self._anchors:
            raise UnreadableError(offset, ProblemKind.ALIAS, f"no anchor &{name} before *{name}")
        anchor = self._anchors[name]
        if anchor is None:
            message = f"the alias *{name} stands inside its own anchor &{name}"
            raise UnreadableError(offset, ProblemKind.ALIAS, message)
        if anchor.measure is None:  # at the first alias: most anchors have none or one
            anchor.measure = _measure(anchor.value)
        size, depth = anchor.measure
        self._expanded += size
        if self._expanded > MAX_EXPANSION:
            message = f"the aliases of this document expand to too much at *{shown(name)[1:-1]}"
            raise UnreadableError(offset, ProblemKind.ALIAS, message)
        if level + depth > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels by *{name}"
            raise UnreadableError(offset, ProblemKind.DEPTH, message)
        return _copy(anchor.value), anchor.node


def _measure(value: Any) -> tuple[int, int]:
    """Weight, and levels of nesting."""
    if isinstance(value, dict):
        inner = [_measure(item) for item in value.values()]
        size = sum(map(len, value)) + len(value)
    elif isinstance(value, list):
        inner = [_measure(item) for item in value]
        size = len(value)
    else:
        return (len(value) if isinstance(value, str) else 0) + _VALUE, 0
    return (
        size + sum(part for part, _ in inner) + _VALUE,
        1 + max((depth for _, depth in inner), default=0),
    )


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value
