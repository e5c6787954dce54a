"""What is wrong with a text: problems are values that travel with a document, DocumentError is for the rest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webhook.documents.position import Position, Steps


class Severity(StrEnum):
    """How bad a problem is."""

    ERROR = "error"
    """The text says something that would be lost or that cannot be read."""
    WARNING = "warning"
    """kubectl reads it, but as something else than was probably meant."""


class ProblemKind(StrEnum):
    """What a problem is about; tests and machines compare this, never the message."""

    SYNTAX = "syntax"
    ENCODING = "encoding"
    SEPARATOR = "separator"
    LOST_TEXT = "lost-text"
    DEPTH = "depth"
    ALIAS = "alias"
    MERGE = "merge"
    TAG = "tag"
    DOUBLED_KEY = "doubled-key"
    KEY = "key"
    NUMBER = "number"
    SURROGATE = "surrogate"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a document's text.

    Attributes:
        position: where, in the source.
        path: steps to the value concerned, from the document's own root; empty for the whole.
        message: one sentence or two for the person who wrote the file.
        severity: error, or warning.
        kind: what it is about.
    """

    position: Position
    path: Steps
    message: str
    severity: Severity
    kind: ProblemKind


class DocumentError(Exception):
    """A source that cannot be read: missing, too large, broken gzip, or one of our own files in error.

    Attributes:
        source: name of the file, or "<stdin>".
        line: from 1, or None where no line is concerned.
        column: from 1, or None.
        message: what is wrong, without the place.
    """

    def __init__(self, source: str, line: int | None, column: int | None, message: str) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.message = message
        place = [source, *(str(number) for number in (line, column) if number is not None)]
        super().__init__(f"{':'.join(place)}: {message}")


class UnreadableError(Exception):
    """Inside this package: a document ends here; the reader makes a problem of it."""

    def __init__(self, offset: int, kind: ProblemKind, message: str) -> None:
        self.offset = offset
        self.kind = kind
        self.message = message
        super().__init__(message)
