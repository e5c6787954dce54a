"""A source cut into documents the way kubectl cuts it: at lines that begin with `---`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEPARATOR = re.compile(rb"^---([^\n]*)\n?", re.MULTILINE)
_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Chunk:
    """The bytes of one document, without the separators around it.

    Attributes:
        data: the bytes as they are.
        first_line: line of the source on which they begin, from 1.
        refused: text behind the `---` before it, where kubectl takes only a comment; else empty.
    """

    data: bytes
    first_line: int
    refused: bytes


def cut(text: bytes) -> Iterator[Chunk]:
    """The chunks of a source, empty ones too (apimachinery `YAMLReader.Read`)."""
    start, line, refused = 0, 1, b""
    for match in _SEPARATOR.finditer(text):
        yield Chunk(text[start : match.start()], line, refused)
        line += text.count(b"\n", start, match.end())
        start = match.end()
        rest = match.group(1).strip()
        refused = b"" if rest.startswith(b"#") else rest
    yield Chunk(text[start:], line, refused)


def is_wide(text: bytes) -> bool:
    """Whether the bytes are UTF-16 or UTF-32, by their mark or by the zeros in ASCII text."""
    return text[:2] in _BOMS or b"\0" in text[:4]
