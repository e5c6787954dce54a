"""`make fuzz`: every target for some time; executions, speed, coverage, and a file for each crash.

With atheris (extra `fuzz`) inputs that reach new code are kept and built upon; without it, or with
--plain, recorded inputs are damaged blindly. `http` sends bytes to a live server either way.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

TARGETS = ("envelope", "view", "annotation", "patches", "conversion", "profiles", "yaml", "http")
LONGEST = 20_000
_DONE = re.compile(r"^#(\d+)\s+DONE\s+cov: (\d+).*?corp: (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What one target came to; `coverage` in edges of our code, or "" where nobody counts."""

    executions: int
    coverage: str
    kept: str
    crashes: int


def main() -> int:
    """Runs what is asked for; 1 when anything crashed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--out", type=Path, default=Path("dist/fuzz"), help="corpora and crashes")
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        guided_here(args)
    print("| target | by | executions | a second | edges | kept inputs | crashes |", flush=True)
    print("|---|---|---|---|---|---|---|", flush=True)
    crashed = 0
    for name in args.targets:
        started = time.monotonic()
        how, found = one(name, args)
        seconds = time.monotonic() - started
        cells = (name, how, f"{found.executions:,}", f"{found.executions / seconds:,.0f}",
                 found.coverage, found.kept, found.crashes)  # fmt: skip
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        crashed += found.crashes
    return int(crashed > 0)


def one(name: str, args: Any) -> tuple[str, Outcome]:
    folder = args.out / name
    folder.mkdir(parents=True, exist_ok=True)
    if name == "http":
        return "damage", live(folder, args)
    if not args.plain and importlib.util.find_spec("atheris") is not None:
        return "atheris", guided(name, folder, args)
    return "damage", blind(name, folder, args)


def guided(name: str, folder: Path, args: Any) -> Outcome:
    """libFuzzer in a process of its own, which it ends itself."""
    command = [sys.executable, "-m", "tests.fuzz.run", name, "--inside"]
    command += ["--seconds", str(args.seconds), "--seed", str(args.seed), "--out", str(args.out)]
    before = set(folder.glob("crash-*"))
    executions = kept = coverage = 0
    left, begun = args.seconds, time.monotonic()
    while left > 0:  # a crash ends libFuzzer; what is left of the time is for the others
        command[command.index("--seconds") + 1] = str(int(left) or 1)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        (folder / "last.log").write_text(done.stderr[-200_000:])
        found = _DONE.search(done.stderr)
        numbers = re.findall(r"^#(\d+)\s", done.stderr, re.MULTILINE)
        executions += int(numbers[-1]) if numbers else 0
        coverage, kept = (int(found[2]), int(found[3])) if found else (coverage, kept)
        left = args.seconds - (time.monotonic() - begun)
        if done.returncode == 0:
            break
    crashes = set(folder.glob("crash-*")) - before
    return Outcome(executions, str(coverage), str(kept), len(crashes))


def guided_here(args: Any) -> None:
    """Instruments our code, and fuzzes until time is over; never returns."""
    import atheris

    with atheris.instrument_imports(include=["webhook"]):
        from tests.fuzz.targets import TARGETS as FUNCTIONS
    from tests.fuzz.corpora import seeds
    from tests.fuzz.mutating import mutated

    (name,) = args.targets
    folder, corpus = args.out / name, args.out / name / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds(name):
        (corpus / hashlib.sha256(seed).hexdigest()[:20]).write_bytes(seed)

    def damage(data: bytes, most: int, seed: int) -> bytes:
        chance = Random(seed)
        if chance.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return mutated(data, chance)[:most]

    flags = [f"-max_total_time={args.seconds}", f"-seed={args.seed}", f"-max_len={LONGEST}"]
    flags += [
        f"-artifact_prefix={folder}/",
        "-timeout=20",
        "-rss_limit_mb=3000",
        "-print_final_stats=1",
    ]
    function = FUNCTIONS[name]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], function, custom_mutator=damage)
    atheris.Fuzz()


def blind(name: str, folder: Path, args: Any) -> Outcome:
    """Recorded inputs, damaged once to four times."""
    from tests.fuzz.corpora import seeds
    from tests.fuzz.mutating import mutated
    from tests.fuzz.targets import TARGETS as FUNCTIONS

    begin, chance, function = seeds(name), Random(args.seed), FUNCTIONS[name]
    executions, crashes, places = 0, 0, set[str]()
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        data = chance.choice(begin)
        for _ in range(chance.randint(1, 4)):
            data = mutated(data, chance)[:LONGEST]
        executions += 1
        try:
            function(data)
        except Exception:
            text = traceback.format_exc()
            place = text[text.rindex("File ") :][:120]
            if place not in places:  # one file for each place
                places.add(place)
                crashes += 1
                crash(folder, data, text)
    return Outcome(executions, "", "", crashes)


def live(folder: Path, args: Any) -> Outcome:
    """Raw bytes to a real server, which must answer a good call in between, and log no fault."""
    from tests.fuzz import http_edge

    chance = Random(args.seed)
    with tempfile.TemporaryDirectory() as place:
        executions, broken = http_edge.hammer(Path(place), chance, args.seconds)
    for data, why in broken:
        crash(folder, data, why)
    return Outcome(executions, "", "", len(broken))


def crash(folder: Path, data: bytes, why: str) -> None:
    name = hashlib.sha256(data).hexdigest()[:16]
    (folder / f"crash-{name}").write_bytes(data)
    (folder / f"crash-{name}.txt").write_text(why)


if __name__ == "__main__":
    os.nice(10)
    sys.exit(main())
