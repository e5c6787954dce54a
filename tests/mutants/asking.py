"""One mutant before the unit tests: those that call its function, the quickest first."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.mutants.covering import ARGUMENTS, TestFile
from tests.mutants.forked import OUT, Mutating, forked
from tests.mutants.sample import ROOT

if TYPE_CHECKING:
    from tests.mutants.sample import Mutant

AT_ONCE = 4
"""Test files that are collected together."""
UNFIT = 9
"""The exit status of a child that could not be asked in this way."""
FILES = 8
"""Test files that are asked at most: the module's own, then the quickest."""
ENOUGH = 2.0
"""CPU seconds of tests that a mutant must survive, beside four times as much of its own."""


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a mutant, by which test, and how many were asked."""

    fate: Fate
    by: str
    asked: int


class Picker:
    """A pytest plugin that runs the given tests, in their order, and says which one fails.

    A mutant may change a test's name (the part in brackets): a name that is not known runs as well.
    """

    def __init__(self, tests: list[str], known: set[str], say: int) -> None:
        self.order = {name: at for at, name in enumerate(tests)}
        self.functions = {name.partition("[")[0]: at for name, at in self.order.items()}
        self.known = known
        self.say = say

    def place(self, name: str) -> int | None:
        """A test's place in the order; None for one that is not asked."""
        if name in self.order or name in self.known:
            return self.order.get(name)
        return self.functions.get(name.partition("[")[0])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Only what was asked for."""
        placed = [(self.place(item.nodeid), at, item) for at, item in enumerate(items)]
        asked = [(place, at, item) for place, at, item in placed if place is not None]
        items[:] = [item for _, _, item in sorted(asked, key=lambda one: one[:2])]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The failure that ends the run."""
        if report.failed:
            os.write(self.say, report.nodeid.encode()[:500])


def tests_for(mutant: Mutant, files: dict[str, TestFile]) -> list[list[str]]:
    """The tests to ask, in rounds of a few files: the function's own, then those that rest on it.

    The latter are needed: what the first test of a file compiles, the others only use.
    """
    line = mutant.function[-1] if mutant.function else 0
    key = f"{mutant.module}:{line}"
    own: dict[str, list[tuple[float, str]]] = {}
    others: dict[str, list[tuple[float, str]]] = {}
    for name, file in files.items():
        mine = sorted((s, test) for test, (s, called) in file.tests.items() if key in called)
        if mine:
            own[name] = mine
        if mine or key in file.around:
            rest = {test for _, test in mine}
            others[name] = sorted((s, t) for t, (s, _) in file.tests.items() if t not in rest)
    mirror = Path(mutant.module).stem, f"tests/{mutant.package}/"
    return [*_rounds(own, mirror, 4 * ENOUGH), *_rounds(others, mirror, ENOUGH)]


def _rounds(
    files: dict[str, list[tuple[float, str]]], mirror: tuple[str, str], most: float
) -> list[list[str]]:
    """The files that bear the module's name first, then those of its package, then the quickest."""

    def rank(name: str) -> tuple[bool, bool, float]:
        stem, folder = mirror
        return stem not in Path(name).stem, folder not in name, sum(s for s, _ in files[name])

    names = sorted((name for name in files if files[name]), key=rank)[:FILES]
    rounds, spent = [], 0.0
    for some in [names[:2], *(names[at : at + AT_ONCE] for at in range(2, len(names), AT_ONCE))]:
        tests: list[str] = []
        for seconds, test in sorted(t for name in some for t in files[name]):
            spent += seconds
            if spent <= most:
                tests.append(test)
        rounds.append(tests)
    return [tests for tests in rounds if tests]


def ask(mutant: Mutant | None, rounds: list[list[str]], known: set[str], seconds: float) -> Answer:
    """What becomes of a mutant (None: of no mutant at all, the control)."""
    hear, say = os.pipe()

    def work() -> int:
        if mutant is not None:
            sys.meta_path.insert(0, Mutating(mutant))  # type: ignore[arg-type]
        for tests in rounds:
            names = list(dict.fromkeys(test.partition("::")[0] for test in tests))
            status = pytest.main(
                [*ARGUMENTS, *(str(ROOT / name) for name in names)],
                plugins=[Picker(tests, known, say)],
            )
            if status != 0:
                return int(status)
        return 0

    status = forked(work, seconds)
    os.close(say)
    with os.fdopen(hear, "rb") as pipe:
        by = pipe.read().decode(errors="replace")
    return Answer(fate_of(status), by or f"exit {status}" * (status != 0), sum(map(len, rounds)))


def fate_of(status: int) -> Fate:
    """What the exit status of a child says."""
    if status in {0, UNFIT}:
        return Fate.SURVIVED
    return Fate.TIMED_OUT if status == OUT else Fate.KILLED


def time_for(rounds: list[list[str]], files: dict[str, TestFile]) -> float:
    """CPU seconds after which a mutant has run too long."""
    asked = (files[test.partition("::")[0]].tests[test][0] for tests in rounds for test in tests)
    return 15 + 3 * sum(asked)
