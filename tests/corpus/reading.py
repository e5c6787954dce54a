"""Recorded AdmissionReviews, read as a stream from a folder of .jsonl.gz files.

A line is `{"scenario", "seq", "ts", "outcome", "apiVersion", "kind", "request"}`.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
CHECKED_IN: Final = ROOT / "tests" / "recorded"
SHARED: Final = ROOT.parent / "shared" / "skyhook" / "recorded"
SHARED_REJECTED: Final = SHARED.parent / "rejected"

DISTILLED: Final = "distilled.jsonl.gz"
EXCEPTION_FILE: Final = "exceptions.jsonl.gz"
REJECTED_FILE: Final = "rejected.jsonl.gz"
REPLAY_PREFIX: Final = "replay-"

DAMAGE: Final[frozenset[tuple[str, int]]] = frozenset(
    {("chainsaw-skyhook-malformed-node-state", 44), ("migration", 2)}
    | {("malformed", seq) for seq in (154, 167, 181, 193, 207, 292, 314, 421, 468)}
)
"""Writes in which a person damages a Node annotation on purpose: each must be denied."""

ECHO: Final[tuple[str, int]] = ("malformed", 323)
"""The operator's answer to damage that the guard would have stopped: may be denied."""

EXCEPTIONS: Final[frozenset[tuple[str, int]]] = DAMAGE | {ECHO}


def files(folder: Path) -> list[Path]:
    """The recordings of a folder, in name order."""
    return sorted(folder.glob("*.jsonl.gz"))


def lines(folder: Path, *, names: Collection[str] | None = None) -> Iterator[bytes]:
    """Raw lines without their newline; `names` limits the files."""
    for path in files(folder):
        if names is not None and path.name not in names:
            continue
        with gzip.open(path) as stream:
            for line in stream:
                yield line.rstrip(b"\n")


def reviews(folder: Path, *, names: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """Decoded lines, each a fresh dict that the caller may change."""
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    for line in lines(folder, names=names):
        yield decode(line)


def distilled(folder: Path = CHECKED_IN) -> Iterator[dict[str, Any]]:
    """Every checked-in review that the real API server was asked about.

    What upstream refused is left out; the exceptions are in. Replayed scenarios repeat some
    of the distilled reviews: those come once, in the order of the file that sorts first.
    """
    seen: set[str] = set()
    names = [path.name for path in files(folder) if path.name != REJECTED_FILE]
    for review in reviews(folder, names=names):
        uid = review["request"]["uid"]
        if uid not in seen:
            seen.add(uid)
            yield review


def origin(review: dict[str, Any]) -> tuple[str, int]:
    """Scenario and sequence number: unique but for `big-300-full`, which was recorded twice."""
    return review["scenario"], review["seq"]


def damage(folder: Path = SHARED) -> list[dict[str, Any]]:
    """The entries of `damage.json`: scenario, seq, user, why, file.

    Raises:
        FileNotFoundError: the folder holds no damage.json.
    """
    entries: list[dict[str, Any]] = json.loads((folder / "damage.json").read_text())
    return entries


def best_folder() -> Path:
    """The full recordings where they are present, else the checked-in set."""
    return SHARED if SHARED.is_dir() else CHECKED_IN
