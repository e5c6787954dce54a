"""Which test calls which function: every test file once, in a child, under a trace of calls.

A function is named by its file and first line; a module's body by line 0.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.mutants.forked import forked
from tests.mutants.sample import ROOT, modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType, FrameType

FOLDERS = (
    "core",
    "lifecycle",
    "checks",
    "specs",
    "conversions",
    "mutations",
    "reviews",
    "profiles",
)
"""The unit tests that are asked, under `tests/`."""
RECORDED = frozenset({"test_recorded.py", "test_live.py"})
"""Files that play recordings or a cluster: no unit tests."""
LONGEST = 1.5
"""CPU seconds that a test may take under the trace; a longer one is not asked."""
ARGUMENTS = (
    "-q", "-x", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception",
    "-m", "not nightly and not cluster", "--no-header",
    "--tb=no", "--hypothesis-seed=20261129", "-W", "error", "-W",
    "ignore:Module already imported:pytest.PytestAssertRewriteWarning",
)  # fmt: skip


@dataclass(slots=True)
class TestFile:
    """What a test file calls.

    Attributes:
        digest: of its text; another text is traced again.
        around: functions called while it is imported and collected.
        tests: by node id, the CPU seconds and the functions called in set-up and call.
    """

    __test__ = False
    digest: str
    around: set[str] = field(default_factory=set)
    tests: dict[str, tuple[float, set[str]]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


class Tracing:
    """A pytest plugin that writes down which of our functions each test calls."""

    def __init__(self) -> None:
        ours = {str(ROOT / module): module for module in modules()}
        self.names: dict[int, tuple[str, CodeType]] = {}
        self.ours = ours
        self.called: set[str] = set()
        self.found = TestFile("")
        self.failed: set[str] = set()

    def trace(self, frame: FrameType, _event: str, _value: Any) -> None:
        """Of every call; what it returns, None, traces no lines."""
        code = frame.f_code
        named = self.names.get(id(code))  # a code object's own hash is that of all it holds
        if named is None:
            module = self.ours.get(code.co_filename)
            line = 0 if code.co_name == "<module>" else code.co_firstlineno
            named = self.names[id(code)] = (f"{module}:{line}" if module else "", code)
        if named[0]:
            self.called.add(named[0])

    def pytest_collection_finish(self) -> None:
        """What was called so far was called around the tests."""
        self.found.around = self.called
        self.called = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """One test; what it calls in its set-up is its own."""
        self.called = set()
        begun = time.process_time()
        result = yield
        seconds = round(time.process_time() - begun, 4)
        name = item.nodeid
        if name in self.failed or seconds > LONGEST:
            self.found.left_out.append(name)
            self.found.around |= self.called
        else:
            self.found.tests[name] = (seconds, self.called)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What fails or is skipped asks nothing of a mutant."""
        if not report.passed:
            self.failed.add(report.nodeid)


def test_files() -> list[str]:
    """The test files that are asked, from the root of the repository."""
    found = [p for folder in FOLDERS for p in (ROOT / "tests" / folder).rglob("test_*.py")]
    found = [p for p in found if p.name not in RECORDED]
    return sorted(p.relative_to(ROOT).as_posix() for p in found)


def covering(known: Path) -> dict[str, TestFile]:
    """What every test file calls; what is known of an unchanged file is not traced again."""
    before = _read(known) if known.exists() else {}
    now: dict[str, TestFile] = {}
    for name in test_files():
        digest = hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        old = before.get(name)
        if old is not None and old.digest == digest:
            now[name] = old
        else:
            now[name] = _traced(name, digest)
            _write(known, {**before, **now})
    _write(known, now)
    return now


def _traced(name: str, digest: str) -> TestFile:
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "map.json"

        def work() -> int:
            plugin = Tracing()
            sys.settrace(plugin.trace)
            arguments = [a for a in ARGUMENTS if a != "-x"]
            pytest.main([*arguments, str(ROOT / name)], plugins=[plugin])
            sys.settrace(None)
            plugin.found.digest = digest
            _write(into, {name: plugin.found})
            return 0

        forked(work, 300)
        found = _read(into)[name] if into.exists() else TestFile(digest, left_out=[name])
    print(f"{name}: {len(found.tests)} tests, left out {len(found.left_out)}", flush=True)
    return found


def _write(into: Path, files: dict[str, TestFile]) -> None:
    into.write_text(
        json.dumps(
            {
                name: [
                    f.digest,
                    sorted(f.around),
                    {t: [s, sorted(called)] for t, (s, called) in f.tests.items()},
                    f.left_out,
                ]
                for name, f in files.items()
            }
        )
    )


def _read(known: Path) -> dict[str, TestFile]:
    def tests(of: dict[str, tuple[float, Iterable[str]]]) -> dict[str, tuple[float, set[str]]]:
        return {test: (seconds, set(called)) for test, (seconds, called) in of.items()}

    return {
        name: TestFile(digest, set(around), tests(of), left_out)
        for name, (digest, around, of, left_out) in json.loads(known.read_text()).items()
    }
