"""The quick way: everything is collected once, and a child per mutant changes the functions' code.

It tells only of functions: what a module does while it is imported is done already. A mutant that
survives here, and that has to do with importing, is asked again in `asking`, from the import on.
"""

from __future__ import annotations

import ast
import gc
import os
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

import pytest

from tests.mutants.asking import UNFIT, Answer, Fate, fate_of, tests_for, time_for
from tests.mutants.covering import ARGUMENTS, TestFile
from tests.mutants.forked import forked
from tests.mutants.operators import changes
from tests.mutants.sample import ROOT, Mutant, modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Key = tuple[int, str]
"""First line and qualified name of a function."""


def swapped(mutants: list[Mutant], files: dict[str, TestFile], tell: Callable[..., None]) -> None:
    """Ask all mutants in one process that has collected every test, and tell of each answer.

    The answer comes with whether it is final: killed, or survived without having been imported.
    """
    session = _Session(mutants, files, tell)
    quick = [a for a in ARGUMENTS if a != "-x"]
    pytest.main([*quick, "-s", *(str(ROOT / name) for name in files)], plugins=[session])


class _Session:
    """A pytest plugin that runs mutants instead of the tests."""

    def __init__(
        self, mutants: list[Mutant], files: dict[str, TestFile], tell: Callable[..., None]
    ) -> None:
        self.mutants = mutants
        self.files = files
        self.tell = tell
        self.items: dict[str, pytest.Item] = {}
        self.functions: dict[str, list[FunctionType]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Every mutant in its own child, with the tests that were collected."""
        self.items = {item.nodeid: item for item in session.items}
        self.functions = _functions()
        gc.collect()
        gc.freeze()
        for mutant in self.mutants:
            answer, whole = self._ask(mutant)
            key = f"{mutant.module}:{mutant.function[-1] if mutant.function else 0}"
            early = any(key in file.around for file in self.files.values())
            self.tell(mutant, answer, answer.fate is not Fate.SURVIVED or (whole and not early))
        return True

    def _ask(self, mutant: Mutant) -> tuple[Answer, bool]:
        new = _changed(mutant)
        if not mutant.function or not new:
            return Answer(Fate.SURVIVED, "", 0), False
        rounds = tests_for(mutant, self.files)
        names = [name for tests in rounds for name in tests if name in self.items]
        hear, say = os.pipe()
        status = forked(lambda: self._run(mutant, new, names, say), time_for(rounds, self.files))
        os.close(say)
        with os.fdopen(hear, "rb") as pipe:
            by = pipe.read().decode(errors="replace")
        return Answer(
            fate_of(status), by or f"exit {status}" * (status != 0), len(names)
        ), status != UNFIT

    def _run(self, mutant: Mutant, new: dict[Key, CodeType], names: list[str], say: int) -> int:
        try:
            for function in self.functions.get(mutant.module, []):
                code = new.get((function.__code__.co_firstlineno, function.__code__.co_qualname))
                if code is not None:
                    function.__code__ = code
        except ValueError:  # it closes over less than it did
            return UNFIT
        chosen = [self.items[name] for name in names]
        session = chosen[0].session if chosen else None
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session is not None and session.testsfailed:
                os.write(say, item.nodeid.encode()[:500])
                return 1
        return 0


def _functions() -> dict[str, list[FunctionType]]:
    """All functions there are, closures too, by module."""
    ours = {str(ROOT / module): module for module in modules()}
    found: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename in ours:
            found.setdefault(ours[one.__code__.co_filename], []).append(one)
    return found


def _changed(mutant: Mutant) -> dict[Key, CodeType]:
    """The code of the functions that the mutant changes."""
    path = ROOT / mutant.module
    text = path.read_text()
    tree = ast.parse(text)
    changes(tree)[mutant.number].apply()
    before = dict(_codes(compile(text, str(path), "exec", dont_inherit=True)))
    after = dict(_codes(compile(tree, str(path), "exec", dont_inherit=True)))
    return {key: code for key, code in after.items() if code != before.get(key)}


def _codes(code: CodeType) -> Iterator[tuple[Key, CodeType]]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield (part.co_firstlineno, part.co_qualname), part
            yield from _codes(part)
