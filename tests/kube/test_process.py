"""Server processes of the tests: a failure shows its log, and nothing outlives the session."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kube.process import ProcessFailedError, ServerProcess, free_port

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
STARTS_AND_WAITS = """
import sys, time
from pathlib import Path
from tests.kube.process import ServerProcess
child = ServerProcess("sleeper", ["sleep", "60"], Path(sys.argv[1]))
print(child.pid, flush=True)
time.sleep(60)
"""


def is_running(pid: int) -> bool:
    """Zombies do not count: whoever inherits them may be slow to reap."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def within_seconds(limit: float, holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + limit
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_process_that_ends_early_shows_its_code_and_its_log(tmp_path: Path):
    command = ["sh", "-c", "echo the port is taken >&2; exit 3"]
    process = ServerProcess("server", command, tmp_path / "log")
    with pytest.raises(ProcessFailedError, match=r"server ended with 3:\nthe port is taken"):
        process.wait_ready(lambda: False)


def test_a_process_is_stopped_by_its_id_and_stopping_twice_is_fine(tmp_path: Path):
    process = ServerProcess("sleeper", ["sleep", "60"], tmp_path / "log")
    assert is_running(process.pid)
    process.stop()
    assert not is_running(process.pid)
    process.stop()


def test_a_server_ends_with_a_killed_test_session(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_AND_WAITS, str(tmp_path / "log")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as session:
        assert session.stdout is not None
        server = int(session.stdout.readline())
        comm = Path(f"/proc/{server}/comm")
        assert within_seconds(5, lambda: comm.read_text() == "sleep\n")  # tied, and then itself
        session.send_signal(signal.SIGKILL)
        session.wait()
    assert within_seconds(5, lambda: not is_running(server))


def test_a_free_port_is_one_of_loopback():
    assert 1024 < free_port() < 65536
