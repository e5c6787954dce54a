"""The tutorial docs/your-own-crd.md, run from the first line to the last."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = ROOT / "docs" / "your-own-crd.md"
FILES = ROOT / "docs" / "your-own-crd"
_BLOCK = re.compile(
    r"^```(?P<kind>\w+)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks() -> Iterator[tuple[str, str | None, str]]:
    for found in _BLOCK.finditer(PAGE.read_text()):
        yield found["kind"], found["file"], found["text"]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """(command, what it prints) of a console block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def run(command: str, folder: Path, last: int) -> subprocess.CompletedProcess[str]:
    """The command in a shell that knows skyhook-webhook and the exit code of the one before."""
    shell = f'skyhook-webhook() {{ "{sys.executable}" -m webhook "$@"; }}\n(exit {last})\n{command}'
    return subprocess.run(
        ["bash", "-c", shell],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    last = 0
    for kind, file, text in blocks():
        if file is not None:
            (tmp_path / file).write_text(text)
        if kind == "console":
            for command, printed in commands(text):
                done = run(command, tmp_path, last)
                last = done.returncode
                assert done.stdout == printed, f"$ {command}\n{done.stdout}{done.stderr}"
                assert last in (0, 1), f"$ {command}\n{done.stderr}"


def test_the_page_has_what_the_test_looks_for() -> None:
    kinds = [(kind, file) for kind, file, _ in blocks()]
    files = ["database.yaml", "before.yaml", "after.yaml", "settings.yaml", "shop.yaml"]
    assert [f for _, f in kinds if f] == files
    assert sum(kind == "console" for kind, _ in kinds) >= 4


@pytest.mark.parametrize("word", ["def ", "import ", "lambda"])
def test_the_tutorial_needs_no_python(word: str) -> None:
    assert word not in PAGE.read_text()
