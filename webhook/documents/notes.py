"""Remarks made while a text is read: problems whose place is still an offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.documents.problem import Problem, ProblemKind, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.documents.position import Lines, Steps

SHOWN: Final = 60  # characters of a key or a value quoted in a message
_MOST: Final = 1_000  # remarks kept of one document: a person reads none beyond


@dataclass(frozen=True, slots=True)
class Remark:
    """A problem before its line and column are known; `offset` counts characters of the text read."""

    offset: int
    path: Steps
    message: str
    severity: Severity
    kind: ProblemKind

    def at(self, lines: Lines) -> Problem:
        """The problem that this is, in the source whose lines are given."""
        position = lines.position(self.offset)
        return Problem(position, self.path, self.message, self.severity, self.kind)


class Notes:
    """Collects the remarks on one document. `steps` gives the path to what is read at the moment."""

    __slots__ = ("_lines", "_steps", "readable", "remarks")

    def __init__(self, steps: Callable[[], Steps], lines: Lines) -> None:
        self._steps = steps
        self._lines = lines
        self.remarks: list[Remark] = []
        self.readable = True

    def line_of(self, offset: int) -> int:
        """Line of an offset, for messages that speak of a second place."""
        return self._lines.position(offset).line

    def warn(self, offset: int, kind: ProblemKind, message: str) -> None:
        """For what kubectl reads as something else than was probably meant."""
        self._add(offset, kind, message, Severity.WARNING)

    def error(self, offset: int, kind: ProblemKind, message: str) -> None:
        """For what would be lost though kubectl reads the text."""
        self._add(offset, kind, message, Severity.ERROR)

    def refuse(self, offset: int, kind: ProblemKind, message: str) -> None:
        """For what makes the document unreadable to kubectl too; reading on finds more to report."""
        self.readable = False
        self._add(offset, kind, message, Severity.ERROR)

    def _add(self, offset: int, kind: ProblemKind, message: str, severity: Severity) -> None:
        if len(self.remarks) < _MOST:
            self.remarks.append(Remark(offset, self._steps(), message, severity, kind))


def shown(text: str) -> str:
    """A key or value as it stands in a message: quoted, on one line, and cut."""
    return f'"{text}"' if len(text) <= SHOWN and text.isprintable() else f"{text[:SHOWN]!r}…"


def beyond_64_bits(text: str) -> str:
    """What becomes of a written integer that fits neither a signed 64-bit integer nor JSON in Go."""
    return f"{text} exceeds 64 bits and arrives as {float(text.replace('_', ''))!r}; if it is text, put it in quotes"
