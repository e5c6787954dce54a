"""A real API server to try things on: `make playground`.

Runs until it is interrupted; its files, a kubeconfig among them, are in the folder.
"""

from __future__ import annotations

import shutil
import signal
import sys
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from tests.controlplane.build import ControlPlaneError, find_or_build
from tests.kube.control_plane import start_control_plane

if TYPE_CHECKING:
    from types import FrameType

WHO = "sre-oncall"
"""A person with all rights: what people may not do is denied to them."""


def main(folder: Path) -> int:
    try:
        binaries = find_or_build()
    except ControlPlaneError as error:
        print(f"playground: {error}", file=sys.stderr)
        return 1
    folder = folder.resolve()  # kubeconfigs name files
    shutil.rmtree(folder, ignore_errors=True)
    cluster = start_control_plane(binaries, folder)
    try:
        kubeconfig = folder / "kubeconfig"
        shutil.copy(cluster.kubeconfig(WHO), kubeconfig)
        print("A kube-apiserver is up until you press Ctrl-C. In another terminal:\n")
        print(f"  export KUBECONFIG={kubeconfig}", flush=True)
        _until_interrupted()
    finally:
        cluster.stop()
    return 0


def _until_interrupted() -> None:
    over = Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        over.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    over.wait()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
