"""Which Python the virtual environment is made with."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "image" / "interpreter.py"


def script() -> Any:
    """The script as a module; `image` is no package."""
    spec = importlib.util.spec_from_file_location("interpreter", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_one_that_people_name_unless_another_is_much_quicker() -> None:
    chosen = script().chosen
    named, other = (1.0, "named"), (0.9, "other")
    assert chosen([named, other]) == named
    assert chosen([named, other, (0.7, "quick")]) == (0.7, "quick")


def test_what_cannot_make_an_environment_is_passed_over(tmp_path: Path) -> None:
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
    broken.chmod(0o755)
    too_old = tmp_path / "python3.11"
    too_old.write_text("#!/bin/sh\necho 10 0.001 /old/python\n")
    too_old.chmod(0o755)
    assert script().probed(str(broken)) is None
    assert script().probed(str(too_old)) is None
    assert script().probed(str(tmp_path / "absent")) is None
    found = script().probed(sys.executable)
    assert found is not None
    assert found[0] > 0


def test_the_path_is_looked_through_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    mine = tmp_path / "python3.12"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    assert str(mine) in script().candidates()


def test_it_prints_a_python_that_can_run_us() -> None:
    ran = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True)
    version = [ran.stdout.strip(), "-c", "import sys; print(sys.version_info >= (3, 11))"]
    assert subprocess.run(version, capture_output=True, text=True, check=True).stdout == "True\n"
