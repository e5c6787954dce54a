"""A child of this process per run: what is imported here is not imported again there."""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib.util
import os
import resource
import signal
import sys
import time
import traceback
from importlib.machinery import ModuleSpec, SourceFileLoader
from typing import TYPE_CHECKING, Any

from tests.mutants.operators import changes
from tests.mutants.sample import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType

    from tests.mutants.sample import Mutant

MEMORY = 3 * 2**30
"""Address space of a child in bytes: a mutant that grows without end dies alone."""
OUT = 124
"""The exit status of a child that ran out of its time."""


def forked(work: Callable[[], int], seconds: float) -> int:
    """The exit status of the work in a child; `OUT` after so much CPU time, or ten times as long."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 3))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            with open(os.devnull, "r+b") as nowhere:
                for stream in (0, 1, 2):
                    os.dup2(nowhere.fileno(), stream)
            gc.disable()
            status = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    end = time.monotonic() + 10 * seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else OUT
        if time.monotonic() > end:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.01)


def warm() -> None:
    """Import what every child needs, and nothing of ours that may be mutated."""
    import aiohttp.pytest_plugin
    import aiohttp.test_utils
    import click  # noqa: F401
    import cryptography.x509  # noqa: F401
    import hypothesis.strategies
    import jsonpatch  # noqa: F401
    import msgspec  # noqa: F401
    import prometheus_client  # noqa: F401
    import pydantic_settings  # noqa: F401
    import rich.console  # noqa: F401
    import ruamel.yaml  # noqa: F401
    import yaml  # noqa: F401
    from hypothesis import Phase, settings

    assert hypothesis.strategies
    assert aiohttp.test_utils
    settings.register_profile(
        "mutants", database=None, deadline=None, phases=(Phase.explicit, Phase.generate)
    )
    settings.load_profile("mutants")
    ours = [name for name in sys.modules if name.partition(".")[0] == "webhook"]
    assert not ours, ours


class Mutating:
    """Finds one module of ours as a mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self.path = ROOT / mutant.module
        self.name = ".".join(self.path.relative_to(ROOT).with_suffix("").parts)
        self.name = self.name.removesuffix(".__init__")
        tree = ast.parse(self.path.read_text())
        changes(tree)[mutant.number].apply()
        self.code = compile(tree, str(self.path), "exec", dont_inherit=True)

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The mutant's specification, None for every other module."""
        if name != self.name:
            return None
        loader = _Loader(name, str(self.path))
        loader.code = self.code
        return importlib.util.spec_from_file_location(name, self.path, loader=loader)


class _Loader(SourceFileLoader):
    code: CodeType

    def get_code(self, _fullname: str) -> Any:
        """The mutant's, instead of the file's."""
        return self.code
