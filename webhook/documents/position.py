"""Where a value stands in its text: offsets kept while reading, lines and columns worked out on demand."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Steps: TypeAlias = tuple[str | int, ...]
"""A path into a value: keys of mappings and indexes of lists, outermost first."""

Node: TypeAlias = "tuple[int, dict[str, tuple[int, Node]] | list[Node] | str | None]"
"""An offset and what stands there: entries (offset of the key, node), items, the written text of an
unquoted scalar, or None for a quoted one. A plain tuple, because there is one for every scalar."""

_BREAK = re.compile("\n")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source: line and column, both from 1; a column counts characters."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Lines:
    """Turns offsets of one stretch of text into positions in the whole source."""

    __slots__ = ("_breaks", "_first_line", "text")

    def __init__(self, text: str, first_line: int = 1) -> None:
        self.text = text
        self._first_line = first_line
        self._breaks: list[int] | None = None

    def position(self, offset: int) -> Position:
        """Position of a character offset; the list of line ends is made at the first call."""
        if self._breaks is None:
            self._breaks = [match.start() for match in _BREAK.finditer(self.text)]
        row = bisect_left(self._breaks, offset)
        start = self._breaks[row - 1] + 1 if row else 0
        return Position(self._first_line + row, offset - start + 1)


class Layout:
    """The nodes of one document; those of JSON are found only when someone asks for a position."""

    __slots__ = ("_find_root", "_root", "lines")

    def __init__(self, lines: Lines, find_root: Callable[[], Node]) -> None:
        self.lines = lines
        self._find_root = find_root
        self._root: Node | None = None

    def position(self, steps: Steps) -> Position:
        """Position of the key or item that `steps` lead to, or of its nearest known ancestor."""
        offset, _, _ = self._walk(steps)
        return self.lines.position(offset)

    def written(self, steps: Steps) -> str | None:
        """Text of the unquoted scalar at `steps`; None if it is quoted, no scalar, or not there."""
        _, node, whole = self._walk(steps)
        return node[1] if whole and isinstance(node[1], str) else None

    def _walk(self, steps: Steps) -> tuple[int, Node, bool]:
        if self._root is None:
            self._root = self._find_root()
        node = self._root
        offset = node[0]
        for step in steps:
            content = node[1]
            if isinstance(content, dict) and isinstance(step, str) and step in content:
                offset, node = content[step]
            elif isinstance(content, list) and type(step) is int and 0 <= step < len(content):
                node = content[step]
                offset = node[0]
            else:
                return offset, node, False
        return offset, node, True
