"""What a session does where no control plane can be had: it skips, says why, and fails in CI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDS_A_CLUSTER = "tests/e2e/test_controlplane.py::test_our_crds_are_established"


def run(tmp_path: Path, *flags: str, ci: str) -> subprocess.CompletedProcess[str]:
    """Pytest on a machine without Go and without anything built."""
    env = {
        **{name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ},
        "PATH": str(tmp_path),
        "SKYHOOK_WEBHOOK_CONTROLPLANE_CACHE": str(tmp_path / "cache"),
        "CI": ci,
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-rs",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.kube.plugin",
        *flags,
        NEEDS_A_CLUSTER,
    ]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_without_go_the_tests_are_skipped_with_the_reason(tmp_path: Path):
    done = run(tmp_path, ci="")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 skipped" in done.stdout
    assert "no control plane: " in done.stdout
    assert "no `go` on PATH" in done.stdout


def test_in_ci_the_same_is_a_failure(tmp_path: Path):
    done = run(tmp_path, ci="true")
    assert done.returncode == 1
    assert "1 error" in done.stdout


@pytest.mark.parametrize(
    ("chosen", "count"), [("cluster", "1 skipped"), ("not cluster", "1 deselected")]
)
def test_what_needs_a_cluster_carries_the_marker(tmp_path: Path, chosen: str, count: str):
    assert count in run(tmp_path, "-m", chosen, ci="").stdout
