"""Streams of bytes, unpacked where they begin like gzip, whatever the name says."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE: Final = 256 * 1024
UNREADABLE: Final = (EOFError, OSError, zlib.error)
"""What `pieces` raises."""

_MAGIC: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 31  # zlib's window bits for a gzip header and its checksum


def pieces(stream: BinaryIO) -> Iterator[bytes]:
    """The stream in pieces of bounded size, as they arrive.

    Raises:
        EOFError: the gzip data end too early.
        zlib.error: the gzip data are damaged.
        OSError: the stream cannot be read.
    """
    raw = _raw_pieces(stream)
    first = b""
    for piece in raw:
        first += piece
        if len(first) >= len(_MAGIC):
            break
    if first.startswith(_MAGIC):
        yield from _gunzip(first, raw)
        return
    if first:
        yield first
    yield from raw


def reason(error: Exception) -> str:
    """The error in words, without the file's name."""
    if isinstance(error, zlib.error):
        return f"the gzip data are damaged: {str(error).rpartition(': ')[2]}"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read: {error.strerror}"
    return str(error)


def _raw_pieces(stream: BinaryIO) -> Iterator[bytes]:
    # read1 hands out what is there; read would wait for a whole piece from a slow pipe.
    read = getattr(stream, "read1", stream.read)
    while piece := read(PIECE):
        yield piece


def _gunzip(first: bytes, raw: Iterator[bytes]) -> Iterator[bytes]:
    unpack = zlib.decompressobj(_GZIP_WINDOW)
    between = False  # members: a file may hold several, and zeros behind the last
    data = first
    while True:
        if between:
            data = data.lstrip(b"\0")
            if data:
                unpack, between = zlib.decompressobj(_GZIP_WINDOW), False
        if not between:
            out = unpack.decompress(data, PIECE)
            if out:
                yield out
            between = unpack.eof
            data = unpack.unused_data if between else unpack.unconsumed_tail
            if data or (len(out) == PIECE and not between):
                continue
        following = next(raw, None)
        if following is None:
            break
        data = following
    if not between:
        raise EOFError("the gzip data end too early: the file is cut off")


class _Pieces(io.RawIOBase):
    """A raw stream over pieces of bytes."""

    def __init__(self, source: Iterator[bytes], file: BinaryIO | None) -> None:
        self._source = source
        self._file = file
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = memoryview(next(self._source, b""))
        target = memoryview(buffer)
        count = min(len(target), len(self._left))
        target[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def unpacked(source: Iterator[bytes], file: BinaryIO | None) -> BinaryIO:
    """A stream over pieces, which closes the file that they come from."""
    return io.BufferedReader(_Pieces(source, file), PIECE)
