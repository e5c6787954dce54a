"""`make mutants`: a sample of mutants before the unit tests, and what became of them by package."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import traceback
from pathlib import Path
from typing import TextIO

from tests.mutants.asking import Answer, Fate, ask, tests_for, time_for
from tests.mutants.covering import TestFile, covering
from tests.mutants.forked import warm
from tests.mutants.sample import MODULES, Mutant, sample
from tests.mutants.swapping import swapped

CONTROL = 900
"""CPU seconds of the control: all tests, nothing changed."""


def main() -> int:
    """Trace, control, sample, table. Exits 1 when the control fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=600, help="mutants, about")
    parser.add_argument("--seed", type=int, default=20261129, help="of the sample")
    parser.add_argument("--work", type=Path, required=True, help="a folder for trace and results")
    parser.add_argument("--again", action="store_true", help="only what survived in that folder")
    parser.add_argument("--resume", action="store_true", help="go on with what was begun there")
    parser.add_argument("--finish", action="store_true", help="only what was not sure yet there")
    parser.add_argument("--no-control", action="store_true", help="do not run the unchanged code")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if not (given.again or given.finish or given.resume):
        for name in ("trace.json", "results.jsonl", "unsure.json"):
            (given.work / name).unlink(missing_ok=True)
    warm()
    gc.freeze()
    files = covering(given.work / "trace.json")
    if not given.no_control and not _control(files):
        return 1
    results = given.work / "results.jsonl"
    drawn = sample(given.count, given.seed)
    before = _known(results)
    if given.again:
        drawn = [m for m in drawn if before.get(str(m), ("survived",))[0] == Fate.SURVIVED]
    print(f"{len(drawn)} mutants, seed {given.seed}", flush=True)
    drawn = [m for m in drawn if given.again or str(m) not in before]
    unsure = given.work / "unsure.json"
    with results.open("a") as out:
        if not given.finish:
            unsure.unlink(missing_ok=True)
            _quick(drawn, files, out, unsure)
        left = set(json.loads(unsure.read_text())) if unsure.exists() else set()
        print(f"{len(left)} of them from the import on", flush=True)
        for mutant in drawn:
            if str(mutant) in left:
                rounds = tests_for(mutant, files)
                answer = Answer(Fate.SURVIVED, "", 0)
                if rounds:
                    answer = ask(mutant, rounds, _names(files), time_for(rounds, files))
                _tell(mutant, answer, out)
    print(table(_known(results)))
    return 0


def _quick(drawn: list[Mutant], files: dict[str, TestFile], out: TextIO, unsure: Path) -> None:
    """Ask all of them in a child, where the product is imported; who is not sure is written down."""
    left: list[str] = []

    def tell(mutant: Mutant, answer: Answer, final: bool) -> None:
        if final:
            _tell(mutant, answer, out)
        else:
            left.append(str(mutant))
            unsure.write_text(json.dumps(left))

    child = os.fork()
    if child == 0:
        try:
            swapped(drawn, files, tell)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(child, 0)


def _tell(mutant: Mutant, answer: Answer, out: TextIO) -> None:
    line = [str(mutant), mutant.package, answer.fate, answer.by, answer.asked]
    print(json.dumps(line), file=out, flush=True)
    if answer.fate is Fate.SURVIVED:
        print(f"survived {answer.asked} tests: {mutant}", flush=True)


def _names(files: dict[str, TestFile]) -> set[str]:
    return {test for file in files.values() for test in (*file.tests, *file.left_out)}


def _control(files: dict[str, TestFile]) -> bool:
    """Whether all tests pass here when nothing is mutated."""
    every = [[*file.tests] for file in files.values() if file.tests]
    left_out = sum(len(file.left_out) for file in files.values())
    answer = ask(None, every, _names(files), CONTROL)
    print(
        f"control: {answer.asked} tests, {left_out} left out: {answer.fate} {answer.by}", flush=True
    )
    return answer.fate is Fate.SURVIVED


def _known(results: Path) -> dict[str, tuple[str, str]]:
    """Fate and package by mutant; the newest counts."""
    lines = results.read_text().splitlines() if results.exists() else []
    return {mutant: (fate, package) for mutant, package, fate, *_ in map(json.loads, lines)}


def table(known: dict[str, tuple[str, str]]) -> str:
    """The results by package, as Markdown."""
    rows = [
        "| package | mutants | killed | timed out | survived | killed, % |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for package in [*MODULES, "all"]:
        fates = [fate for fate, of in known.values() if package in {of, "all"}]
        killed, late = fates.count(Fate.KILLED), fates.count(Fate.TIMED_OUT)
        rate = 100 * (killed + late) / max(1, len(fates))
        left = fates.count(Fate.SURVIVED)
        rows.append(f"| {package} | {len(fates)} | {killed} | {late} | {left} | {rate:.1f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    raise SystemExit(main())
