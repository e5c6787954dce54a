"""The folder of recordings: packed files that follow one another, the oldest taken away in time."""

from __future__ import annotations

import os
import socket
import zlib
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENDING: Final = ".jsonl.gz"
OPEN: Final = ".part"
"""Behind the name of a file that is being written; what a crash leaves can be read all the same."""
_PREFIX: Final = "reviews-"
_GZIP: Final = 31


class Shelf:
    """Appends lines; at most so many bytes lie in the folder.

    Args:
        folder: made when it is not there, readable by its owner alone.
        most_bytes: of all recordings in the folder, packed.
        file_bytes: packed bytes after which a file is closed.
        file_seconds: age after which a file is closed.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        *,
        most_bytes: int,
        file_bytes: int,
        file_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._folder = folder
        self._most = most_bytes
        self._file_bytes = min(file_bytes, max(most_bytes // 2, 1))
        self._file_seconds = file_seconds
        self._clock = clock
        self._file: IO[bytes] | None = None
        self._path = folder
        self._packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP)
        self._size = 0
        self._opened = 0.0
        self._number = 0
        self._dirty = False

    def append(self, line: bytes) -> None:
        """Writes a line. Raises OSError."""
        if self._file is None:
            self._open()
        self._write(self._packer.compress(line))
        self._dirty = True

    def flush(self) -> None:
        """What was appended can be read from now on. Raises OSError."""
        if self._file is None:
            return
        if self._dirty:
            self._write(self._packer.flush(zlib.Z_SYNC_FLUSH))
            self._file.flush()
            self._dirty = False
        if self._size >= self._file_bytes or self._clock() - self._opened >= self._file_seconds:
            self.close()

    def close(self) -> None:
        """Ends the file that is being written. Raises OSError."""
        if self._file is None:
            return
        file, self._file = self._file, None
        with file:
            file.write(self._packer.flush(zlib.Z_FINISH))
        self._path.rename(self._path.with_name(self._path.name.removesuffix(OPEN)))
        self.tidy()

    def abandon(self) -> None:
        """Lets the file go as it is, after an error; the next line begins another."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:
                return

    def tidy(self) -> None:
        """Takes the oldest recordings away until the rest fits. Raises OSError."""
        found = []
        for path in self._folder.glob(f"{_PREFIX}*"):
            try:
                status = path.stat()
            except FileNotFoundError:  # another replica was quicker
                continue
            if path != self._path or self._file is None:
                found.append((status.st_mtime, path.name, status.st_size))
        room = self._most - self._file_bytes  # for the file that comes next
        total = sum(size for _, _, size in found)
        for _, name, size in sorted(found):
            if total <= room:
                return
            (self._folder / name).unlink(missing_ok=True)
            total -= size

    def _open(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._opened = self._clock()
        self._number += 1
        stamp = f"{self._opened:.0f}"
        host = socket.gethostname()
        name = f"{_PREFIX}{stamp}-{host}-{os.getpid()}-{self._number:04}{ENDING}{OPEN}"
        self._path = self._folder / name
        number = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._file = os.fdopen(number, "wb")
        self._packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP)
        self._size = 0
        self.tidy()

    def _write(self, packed: bytes) -> None:
        if self._file is not None and packed:
            self._file.write(packed)
            self._size += len(packed)
