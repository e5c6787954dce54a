"""Makes `tests/recorded/` from the full recordings: `python -m tests.corpus.distill`.

The smallest review of each kind of change, two more drawn by the seed, the known
exceptions, a few whole scenarios in order, and what upstream's own webhook refused.
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
import sys
import tempfile
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tests.corpus import reading
from tests.corpus.kinds import Kind, kind

if TYPE_CHECKING:
    from collections.abc import Iterable

SEED: Final = 20261129
DRAWN: Final = 3
LARGEST_DRAWN: Final = 40_000
LIMIT: Final = 6 * 1024 * 1024
REPLAYED: Final = (
    "chainsaw-cli-lifecycle",
    "chainsaw-cli-reset",
    "chainsaw-skyhook-explicit-uninstall",
    "chainsaw-skyhook-interrupt-grouping",
    "chainsaw-skyhook-malformed-node-state",
    "chainsaw-skyhook-package-upgrade",
    "chainsaw-skyhook-uninstall-cancel",
    "compartments-move",
    "migration",
    "missing-policy",
    "operator-upgrade",
)
"""Whole scenarios: interrupt, upgrade, uninstall, batches, the CLI, damage and repair, rollback."""
HOST_PATHS: Final = tuple(
    f"{path}/".encode() for path in (reading.ROOT.parent, Path.home(), tempfile.gettempdir())
)


@dataclass(slots=True)
class Chosen:
    """What one pass over the recordings keeps. Keys are (length, scenario, seq)."""

    rng: random.Random
    smallest: dict[Kind, tuple[tuple[int, str, int], bytes]] = field(default_factory=dict)
    drawn: dict[Kind, list[bytes]] = field(default_factory=dict)
    counts: Counter[Kind] = field(default_factory=Counter)
    exceptions: list[bytes] = field(default_factory=list)
    replayed: dict[str, list[bytes]] = field(default_factory=dict)
    largest: bytes = b""

    def add(self, line: bytes, review: dict[str, Any]) -> None:
        """Take one recorded line into account."""
        scenario, seq = reading.origin(review)
        if (scenario, seq) in reading.EXCEPTIONS:
            self.exceptions.append(line)
        if scenario in REPLAYED:
            self.replayed.setdefault(scenario, []).append(line)
        if len(line) > len(self.largest):
            self.largest = line
        key, size = kind(review), (len(line), scenario, seq)
        self.counts[key] += 1
        kept = self.drawn.setdefault(key, [])
        if len(kept) < DRAWN:
            kept.append(line)
        elif (place := self.rng.randrange(self.counts[key])) < DRAWN:
            kept[place] = line
        if key not in self.smallest or size < self.smallest[key][0]:
            self.smallest[key] = (size, line)

    def distilled(self, largest_drawn: int) -> list[bytes]:
        """The smallest of each kind, those drawn that are not too large, the largest of all."""
        kept = {line for _, line in self.smallest.values()} | {self.largest}
        for drawn in self.drawn.values():
            kept.update(line for line in drawn if len(line) <= largest_drawn)
        return sorted(kept, key=_order)


def _order(line: bytes) -> tuple[str, int]:
    review = msgspec.json.decode(line)
    return review["scenario"], review["seq"]


def _write(path: Path, lines: Iterable[bytes]) -> int:
    """Write gzip without name and time, so that the same lines give the same bytes."""
    raw = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=0) as stream:
        for line in lines:
            stream.write(line + b"\n")
    path.write_bytes(raw.getvalue())
    return len(raw.getvalue())


def choose(folder: Path, seed: int) -> Chosen:
    """One pass over all recordings of a folder."""
    chosen = Chosen(random.Random(seed))
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    for line in reading.lines(folder):
        chosen.add(line, decode(line))
    return chosen


def write(chosen: Chosen, rejected: Path, target: Path, seed: int, largest_drawn: int) -> int:
    """Write all files and the index; returns the bytes written."""
    sets: dict[str, list[bytes]] = {
        reading.DISTILLED: chosen.distilled(largest_drawn),
        reading.EXCEPTION_FILE: sorted(chosen.exceptions, key=_order),
        reading.REJECTED_FILE: sorted(reading.lines(rejected), key=_order),
    }
    for scenario, lines in chosen.replayed.items():
        sets[f"{reading.REPLAY_PREFIX}{scenario}.jsonl.gz"] = sorted(lines, key=_order)
    for name, lines in sets.items():
        if any(mark in line for line in lines for mark in HOST_PATHS):
            raise ValueError(f"{name}: a review names a path of the recording host")
    sizes = {name: _write(target / name, lines) for name, lines in sorted(sets.items())}
    (target / "INDEX.md").write_text(_index(chosen, sets, sizes, seed, largest_drawn))
    return sum(sizes.values())


def _index(
    chosen: Chosen,
    sets: dict[str, list[bytes]],
    sizes: dict[str, int],
    seed: int,
    largest_drawn: int,
) -> str:
    files = "\n".join(
        f"| `{name}` | {len(sets[name]):,} | {sizes[name]:,} |" for name in sorted(sets)
    )
    heads: Counter[tuple[str, ...]] = Counter(key[:4] for key in chosen.counts)
    seen: Counter[tuple[str, ...]] = Counter()
    for key, count in chosen.counts.items():
        seen[key[:4]] += count
    rows = "\n".join(
        f"| {' | '.join(head)} | {count} | {seen[head]:,} |" for head, count in heads.most_common()
    )
    return TEMPLATE.format(
        seed=seed,
        drawn=DRAWN,
        limit=largest_drawn,
        total=sum(chosen.counts.values()),
        kinds=len(chosen.counts),
        files=files,
        rows=rows,
        once=sum(count == 1 for count in chosen.counts.values()),
    )


TEMPLATE: Final = """\
# Recorded reviews, distilled

Made by `python -m tests.corpus.distill` (seed {seed}) from the {total:,} AdmissionReviews in
`../shared/skyhook/recorded/` and those in `rejected/` beside it. No review is altered. The same
input, seed and zlib give the same bytes.

## What is in here

| file | reviews | bytes |
|---|---|---|
{files}

- `distilled`: the smallest review of each of the {kinds:,} kinds of change ({once:,} of them were
  seen only once), up to {drawn} more of each kind drawn with the seed (at most {limit:,} bytes of JSON),
  and the largest review of all. The order is by scenario and seq, with gaps: no replay.
- `exceptions`: the eleven writes of `damage.json`, which must be denied, and their echo
  (malformed 323), which may be. Some of them are in other files too; the key is (scenario, seq).
- `replay-*`: whole scenarios, in order, without gaps.
- `rejected`: what upstream's own webhook refused, with its message. These were never accepted by
  the API server and are no example of a legal write.

A kind of change is: resource, subresource, operation, class of the writer and the set of changed
paths, with names taken out and with old and new words for stage, state, statuses, conditions and
our Node keys (`tests/corpus/kinds.py`).

## Kinds by write

| resource | subresource | operation | writer | kinds | reviews behind them |
|---|---|---|---|---|---|
{rows}
"""


def main() -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=reading.SHARED)
    parser.add_argument("--rejected", type=Path, default=reading.SHARED_REJECTED)
    parser.add_argument("--target", type=Path, default=reading.CHECKED_IN)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--largest-drawn", type=int, default=LARGEST_DRAWN)
    args = parser.parse_args()
    chosen = choose(args.source, args.seed)
    if not chosen.counts:
        print(f"no recordings in {args.source}", file=sys.stderr)
        return 2
    args.target.mkdir(parents=True, exist_ok=True)
    for stale in reading.files(args.target):
        stale.unlink()
    size = write(chosen, args.rejected, args.target, args.seed, args.largest_drawn)
    print(f"seed {args.seed}: {len(chosen.counts)} kinds, {size:,} bytes, zlib {zlib.ZLIB_VERSION}")
    return 0 if size <= LIMIT else 3


if __name__ == "__main__":
    sys.exit(main())
