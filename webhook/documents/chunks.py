"""A source cut into documents the way kubectl cuts it: at lines that begin with `---`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK: Final = b"---"
_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Chunk:
    """The bytes of one document, without the separators around it.

    Attributes:
        data: the bytes as they are.
        first_line: line of the source on which they begin, from 1.
        refused: text behind the `---` before it, where kubectl takes only a comment; else empty.
        refused_line: the line of that text.
    """

    data: bytes
    first_line: int
    refused: bytes
    refused_line: int = field(default=0, compare=False)


def cut(text: bytes) -> Iterator[Chunk]:
    """The chunks of a source, empty ones too (apimachinery `YAMLReader.Read`)."""
    start, line, refused, refused_line = 0, 1, b"", 0
    for separator, end in _separators(text):
        yield Chunk(text[start:separator], line, refused, refused_line)
        refused_line = line + text.count(b"\n", start, separator)
        line += text.count(b"\n", start, end)
        start = end
        rest = text[separator + len(_MARK) : end].strip()
        refused = b"" if rest.startswith(b"#") else rest
    yield Chunk(text[start:], line, refused, refused_line)


def _separators(text: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of each line that begins with `---`, its line end included."""
    at = 0 if text.startswith(_MARK) else text.find(b"\n---") + 1 or -1
    while at >= 0:
        end = text.find(b"\n", at) + 1 or len(text)
        yield at, end
        at = text.find(b"\n---", end - 1) + 1 or -1


def is_wide(text: bytes) -> bool:
    """Whether the bytes are UTF-16 or UTF-32, by their mark or by the zeros in ASCII text."""
    return text[:2] in _BOMS or b"\0" in text[:4]
