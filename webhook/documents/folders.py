"""The files of a folder that may hold documents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES: Final = (".jsonl", ".jsonl.gz")
YAML: Final = (".yaml", ".yml")
_NAMES: Final = (*YAML, ".json", ".json.gz", *LINES)


def walk_folder(folder: str) -> Iterator[str]:
    """Paths of the documents in a folder and below, sorted name by name.

    A folder is entered once, however many links lead to it. A folder that cannot be listed is handed out
    as if it were a file, so that whoever opens it meets the error and the rest is still read.
    """
    entered: set[tuple[int, int]] = set()
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        if path is not folder and not os.path.isdir(path):
            yield path
            continue
        try:
            status = os.stat(path)
            identity = (status.st_dev, status.st_ino)
            entries = [] if identity in entered else _entries(path)
        except OSError:
            yield path
            continue
        entered.add(identity)
        waiting.extend(entries)


def _entries(folder: str) -> list[str]:
    """Subfolders and files of interest, the last one first."""
    with os.scandir(folder) as entries:
        kept = [entry.path for entry in entries if _is_wanted(entry)]
    return sorted(kept, reverse=True)


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith("."):
        return False
    named = entry.name.lower().endswith(_NAMES)
    try:
        return entry.is_dir() or (named and (entry.is_file() or not os.path.exists(entry.path)))
    except OSError:  # a link to itself
        return named
