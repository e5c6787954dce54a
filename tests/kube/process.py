"""One server process: started, waited for, ended by its own id."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

READY_WITHIN = 90.0  # seconds; about 4 on an idle machine, more beside other work
STOP_WITHIN = 15.0


class ProcessFailedError(Exception):
    """A server ended early or was never ready; the message carries the end of its log."""


def free_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class ServerProcess:
    """A child that does not outlive us: where `setpriv` exists the kernel ends it with its parent."""

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self.name = name
        self.log = log
        setpriv = shutil.which("setpriv")
        tied = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [*tied, *command], stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_ready(self, ready: Callable[[], bool]) -> None:
        """Raises ProcessFailedError when the process ends or the time is over first."""
        deadline = time.monotonic() + READY_WITHIN
        while not ready():
            if self._process.poll() is not None:
                raise ProcessFailedError(
                    f"{self.name} ended with {self._process.returncode}:\n{self.log_tail()}"
                )
            if time.monotonic() > deadline:
                raise ProcessFailedError(
                    f"{self.name} was not ready within {READY_WITHIN:.0f} s:\n{self.log_tail()}"
                )
            time.sleep(0.05)

    def stop(self) -> None:
        """Asks, waits, then ends it; a second call does nothing."""
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log_tail(self, lines: int = 25) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
