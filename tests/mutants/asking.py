"""One mutant before the unit tests: those that call its function, the quickest first."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import pytest

from tests.mutants.covering import ARGUMENTS, TestFile
from tests.mutants.forked import OUT, Mutating, forked
from tests.mutants.sample import ROOT

if TYPE_CHECKING:
    from tests.mutants.sample import Mutant

AT_ONCE = 4
"""Test files that are collected together."""
ENOUGH = 12.0
"""Seconds of tests that a mutant must survive, beside all those of its own function."""


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
    """A pytest plugin that runs the given tests, in their order, and says which one fails."""

    def __init__(self, tests: list[str], say: int) -> None:
        self.order = {name: at for at, name in enumerate(tests)}
        self.say = say

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Only what was asked for."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order),
            key=lambda item: self.order[item.nodeid],
        )

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
    mirror = mutant.module.rpartition("/")[2].removesuffix(".py")
    return [*_rounds(own, mirror, 10 * ENOUGH), *_rounds(others, mirror, ENOUGH)]


def _rounds(files: dict[str, list[tuple[float, str]]], mirror: str, most: float) -> list[list[str]]:
    def rank(name: str) -> tuple[bool, float]:
        return f"test_{mirror}." not in name, sum(s for s, _ in files[name])

    names = sorted((name for name in files if files[name]), key=rank)
    rounds, spent = [], 0.0
    for at in range(0, len(names), AT_ONCE):
        tests: list[str] = []
        for seconds, test in sorted(t for name in names[at : at + AT_ONCE] for t in files[name]):
            spent += seconds
            if spent <= most:
                tests.append(test)
        rounds.append(tests)
    return [tests for tests in rounds if tests]


def ask(mutant: Mutant | None, rounds: list[list[str]], seconds: float) -> Answer:
    """What becomes of a mutant (None: of no mutant at all, the control)."""
    hear, say = os.pipe()

    def work() -> int:
        if mutant is not None:
            sys.meta_path.insert(0, Mutating(mutant))  # type: ignore[arg-type]
        for tests in rounds:
            names = list(dict.fromkeys(test.partition("::")[0] for test in tests))
            status = pytest.main(
                [*ARGUMENTS, *(str(ROOT / name) for name in names)], plugins=[Picker(tests, say)]
            )
            if status != 0:
                return int(status)
        return 0

    status = forked(work, seconds)
    os.close(say)
    with os.fdopen(hear, "rb") as pipe:
        by = pipe.read().decode(errors="replace")
    fate = Fate.SURVIVED if status == 0 else Fate.TIMED_OUT if status == OUT else Fate.KILLED
    return Answer(fate, by or f"exit {status}" * (status != 0), sum(map(len, rounds)))
