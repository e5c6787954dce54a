"""apiVersion and kind of manifests, cut out of the text and put back into it; every other byte stays."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from webhook.documents import read_documents
from webhook.migrating.names import KINDS, is_old, new_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.documents import Document

_BOM: Final = "\ufeff"
_VALUE: Final = r"""(['"]?)%s\1\s*:\s*(['"]?)(%s)\2(?=[\s,}\]]|$)"""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One value that is renamed.

    Attributes:
        start, end: offsets in the text.
        line: counted from 1.
        field: apiVersion or kind.
        old, new: the value.
    """

    start: int
    end: int
    line: int
    field: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Renamed:
    """What a text becomes.

    Attributes:
        text: the new one; the old one where nothing changes, or where it could not be done.
        changes: in their order.
        objects: how many were renamed.
        unreadable: why (line, reason) the text is no manifest; None where it could be read.
        stuck: lines on which an object stands that could not be renamed.
    """

    text: str
    changes: tuple[Change, ...] = ()
    objects: int = 0
    unreadable: tuple[int, str] | None = None
    stuck: tuple[int, ...] = ()


def renamed(data: bytes, name: str) -> Renamed:
    """The text with apiVersion and kind of old objects renamed. Never raises for any content."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return Renamed("", unreadable=(data[: error.start].count(b"\n") + 1, "this is not UTF-8"))
    documents = tuple(read_documents(data, name))
    for document in documents:
        for problem in document.errors:
            return Renamed(text, unreadable=(problem.position.line, problem.message))
    body = text.removeprefix(_BOM)
    starts = _starts(body)
    olds = [one for one in documents if _old(one.value)]
    found: set[Change] = set()
    for one in olds:
        found.update(_changes(one, body, starts))
    changes = tuple(sorted(found))
    new = _applied(body, changes)
    if not _right(documents, new, name):
        lines = tuple(one.position().line for one in olds)
        return Renamed(text, stuck=lines)
    shift = len(text) - len(body)
    moved = tuple(replace(c, start=c.start + shift, end=c.end + shift) for c in changes)
    return Renamed(text[:shift] + new, moved, len(olds))


def _starts(text: str) -> list[int]:
    """Offsets of lines, which end with a line feed and nothing else."""
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _old(value: Any) -> bool:
    return isinstance(value, dict) and is_old(value.get("apiVersion"), value.get("kind"))


def _changes(document: Document, text: str, starts: list[int]) -> Iterator[Change]:
    """Those of an object, and of the typed list around it, which may have given it its kind."""
    value = document.value
    around = [replace(document, prefix=())] if document.prefix else []
    for one in (document, *around):
        for field, known in (
            ("apiVersion", {value["apiVersion"]: new_version(value["apiVersion"])}),
            ("kind", KINDS),
        ):
            place = one.position((field,))
            offset = starts[place.line - 1] + place.column - 1
            for old, new in known.items():
                found = re.compile(_VALUE % (field, re.escape(old))).match(text, offset)
                if found is not None and old != new:
                    yield Change(found.start(3), found.end(3), place.line, field, old, new)


def _applied(text: str, changes: tuple[Change, ...]) -> str:
    pieces, place = [], 0
    for change in changes:
        pieces += [text[place : change.start], change.new]
        place = change.end
    return "".join(pieces) + text[place:]


def _right(documents: tuple[Document, ...], text: str, name: str) -> bool:
    """Whether the new text, read again, says what the old one said, under the new names."""
    again = tuple(read_documents(text.encode(), name))
    return [_renamed_value(one.value) for one in documents] == [one.value for one in again]


def _renamed_value(value: Any) -> Any:
    if not _old(value):
        return value
    return {
        **value,
        "apiVersion": new_version(value["apiVersion"]),
        "kind": KINDS[value["kind"]],
    }
