"""Where texts come from: files, whole folders, standard input; what is no text is passed over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

MOST: Final = 8 * 1024 * 1024
"""Bytes of a file found in a folder that is looked at."""
MANIFESTS: Final = (".yaml", ".yml", ".json")
_PASSED_OVER: Final = frozenset({"node_modules", "__pycache__", "vendor"})


def is_manifest(name: str) -> bool:
    """Whether a file's name says that it holds YAML or JSON."""
    return name.lower().endswith(MANIFESTS)


def texts(paths: Iterable[str], stdin: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each, folders sorted; hidden files and folders are passed over.

    Raises OSError for a path that cannot be read.
    """
    for path in paths:
        if path == "-":
            yield "<stdin>", stdin.read()
        elif Path(path).is_dir():
            for name in _within(path):
                data = Path(name).read_bytes()
                if b"\0" not in data[:4096]:
                    yield name, data
        else:
            yield path, Path(path).read_bytes()


def _within(folder: str) -> Iterator[str]:
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _PASSED_OVER)
        for name in sorted(names):
            path = Path(where) / name
            if not name.startswith(".") and path.is_file() and path.stat().st_size <= MOST:
                yield str(path)
