"""Sources of one JSON document a line, streamed: memory is bounded by the longest line allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

from webhook.documents.problem import DocumentError
from webhook.documents.streams import UNREADABLE, pieces, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE: Final = 64 * 1024 * 1024
"""Longest line read, in bytes; an AdmissionReview holds two objects of at most about 3 MB."""

_BOM: Final = b"\xef\xbb\xbf"


def read_lines(
    stream: BinaryIO, source: str = "<stdin>", *, max_line: int = MAX_LINE
) -> Iterator[tuple[int, bytes]]:
    """`split_lines` of a stream; gzip is recognised by its first bytes."""
    return split_lines(pieces(stream), source, max_line=max_line)


def split_lines(
    parts: Iterator[bytes], source: str, *, max_line: int = MAX_LINE
) -> Iterator[tuple[int, bytes]]:
    """The lines that hold anything, with their numbers from 1, without line ends.

    What was read before an error is handed out first.

    Raises:
        DocumentError: a line that is too long, gzip data that are damaged or cut off (then also the
            unfinished last line is lost), or a stream that cannot be read.
    """
    number = 0
    try:
        for line in _split(parts, max_line):
            number += 1
            content = line.strip()
            if number == 1:
                content = content.removeprefix(_BOM)
            if content:
                yield number, content
    except UNREADABLE as error:
        raise DocumentError(source, number + 1, None, reason(error)) from None
    except _TooLongError:
        message = f"the line is longer than {max_line} bytes"
        raise DocumentError(source, number + 1, None, message) from None


class _TooLongError(Exception):
    """A line beyond the limit."""


def _split(parts: Iterator[bytes], max_line: int) -> Iterator[bytes]:
    """Cut by `find`, one slice a line: a split of the whole piece takes twice as long."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        start, end = 0, part.find(b"\n")
        while end >= 0:
            size += end - start
            if size > max_line:
                raise _TooLongError
            line = part[start:end]
            yield b"".join([*held, line]) if held else line
            held, size = [], 0
            start = end + 1
            end = part.find(b"\n", start)
        if start < len(part):
            held.append(part[start:])
            size += len(part) - start
        if size > max_line:
            raise _TooLongError
    yield b"".join(held)
