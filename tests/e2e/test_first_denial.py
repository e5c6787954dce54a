"""docs/first-denial.md, walked by a new user: every command, and what it prints."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.conftest import ROOT
from tests.e2e.guarding import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.controlplane.build import Binaries

PAGE = ROOT / "docs" / "first-denial.md"
TEN_MINUTES = 600
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recipe(target: str) -> str:
    """The last command of a Makefile's target."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    command = ["make", "--no-print-directory", "-n", "-o", "setup", target]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    lines = done.stdout.replace("\\\n", " ").strip().splitlines()
    return lines[-1].replace(".venv/bin/python", shlex.quote(sys.executable))


def steps() -> Iterator[tuple[str, str]]:
    """(command, what it prints) in the order of the page."""
    for block in BLOCK.finditer(PAGE.read_text()):
        for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


@contextmanager
def terminal(command: str, folder: Path, env: dict[str, str], until: str) -> Iterator[str]:
    """A command that goes on running; what it printed up to the line that holds `until`."""
    started = time.monotonic()
    process = subprocess.Popen(
        f"exec {command}", shell=True, cwd=folder, env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    try:
        while until not in said:
            line = process.stdout.readline()
            assert line, said
            assert time.monotonic() - started < TEN_MINUTES
            said += line
        yield said
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def user(folder: Path, env: dict[str, str], port: int) -> Iterator[tuple[str, str, str]]:
    """(command, what the page says, what was printed), typed into one shell after the other."""
    state = folder / "state"
    state.write_text("")
    wrapped = f'skyhook-webhook() {{ "{sys.executable}" -m webhook "$@"; }}\n. {state}\n'
    last = 0
    for command, printed in steps():
        script = f"{wrapped}(exit {last})\n{command.replace('9443', str(port))}\ncode=$?\n"
        script += f"declare -p STATE > {state} 2> /dev/null\nexit $code"
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=env, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
        )  # fmt: skip
        last = done.returncode
        yield command, printed, done.stdout
        if "manifests --url" in command:
            _until_called(folder, env)


def _until_called(folder: Path, env: dict[str, str]) -> None:
    """What takes a person's hand a second or two."""
    bad = '{"apiVersion": "skyhook.nvidia.com/v1alpha1", "kind": "Skyhook", "metadata": {"name": "x"},'
    bad += ' "spec": {"packages": {"A_B": {"version": "1", "image": "i"}}}}'
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        done = subprocess.run(
            ["kubectl", "create", "--dry-run=server", "-f", "-"],
            input=bad, cwd=folder, env=env, text=True, capture_output=True, check=False,
        )  # fmt: skip
        if "(skyhook.package-key)" in done.stderr:
            return
        time.sleep(0.2)
    raise AssertionError(done.stderr)


def test_the_page_leads_to_a_denied_write_in_ten_minutes(
    control_plane_binaries: Binaries, tmp_path: Path
) -> None:
    for name in ("manifests", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    path = f"{control_plane_binaries.kubectl.parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    env["KUBEBUILDER_ASSETS"] = str(control_plane_binaries.folder)
    started = time.monotonic()
    port = free_port()
    serve = recipe("run").replace(".venv/bin/skyhook-webhook", f"{sys.executable} -m webhook")
    for fixed in ("9443", "8080", "8081"):
        serve = serve.replace(fixed, str(port if fixed == "9443" else free_port()))
    with (
        terminal(recipe("playground"), tmp_path, env, "export KUBECONFIG=") as up,
        terminal(serve, tmp_path, env, "https://127.0.0.1"),
    ):
        env["KUBECONFIG"] = up.rpartition("export KUBECONFIG=")[2].strip()
        denied = 0
        for command, printed, got in user(tmp_path, env, port):
            assert not printed or got == printed, command
            denied += "is invalid" in got
    assert denied >= 2
    assert time.monotonic() - started < TEN_MINUTES
