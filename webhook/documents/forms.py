"""In which form a source holds its documents, told by its beginning."""

from __future__ import annotations

from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Final

from webhook.documents.streams import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE: Final = b"\xef\xbb\xbf \t\r\n"
_SNIFFED: Final = 16 * 1024 * 1024
"""Bytes of a first line after which it is taken for one of many."""


class Form(StrEnum):
    """How a source holds its documents: as a text, or one JSON document a line."""

    DOCUMENTS = "documents"
    LINES = "lines"


def form_of(source: Iterator[bytes]) -> tuple[Form, Iterator[bytes]]:
    """The form, and the whole source again: an error met on the way is met again by its reader."""
    seen: list[bytes] = []
    start = b""
    try:
        for piece in source:
            seen.append(piece)
            start = (start + piece).lstrip(_SPACE)
            form = _form_of_start(start)
            if form is not None:
                return form, chain(seen, source)
    except UNREADABLE as error:
        return Form.DOCUMENTS, chain(seen, _fail(error))
    return Form.DOCUMENTS, iter(seen)


def _fail(error: Exception) -> Iterator[bytes]:
    raise error
    yield  # a generator, so that it raises when it is read


def _form_of_start(start: bytes) -> Form | None:
    """Lines, if the first one is a whole object and another follows; None if more must be seen."""
    if start and not start.startswith(b"{"):
        return Form.DOCUMENTS
    first, newline, rest = start.partition(b"\n")
    if newline and not first.rstrip().endswith(b"}"):
        return Form.DOCUMENTS
    rest = rest.lstrip()
    if rest:
        return Form.LINES if rest.startswith(b"{") else Form.DOCUMENTS
    return Form.LINES if len(start) > _SNIFFED else None
