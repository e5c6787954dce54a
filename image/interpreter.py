"""Which Python to make the virtual environment with: prints its path, and why on standard error.

`python3` of the PATH, unless it is older than the code, can't make an environment, or another one found
beside it is much quicker. That is not rare: what pyenv and asdf compile is built without profile-guided
optimisation unless one asks for it, and takes up to twice the CPU for the same review that a
distribution's own Python or the one in the image takes. Builds do not say so of themselves in one way, so
they are measured. Runs on Python 3.7 and later; `make PYTHON=/a/path` asks nothing of it.
"""  # noqa: INP001

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NEWEST = 14
"""The last minor version that the pinned dependencies have wheels for."""
WORTH = 1.25
"""So many times quicker before another is taken than the one that people name."""
PROBE = """
import ensurepip, ssl, sys, sysconfig, time, venv
assert sys.version_info.releaselevel == "final" and not sysconfig.get_config_var("Py_GIL_DISABLED")
class Box:
    def __init__(self, value): self.value = value
    def plus(self, other): return self.value + other
def work():
    start, box, held = time.process_time(), Box(3), {}
    for number in range(20000):
        held[number & 255] = box.plus(number)
        tuple(text for text in str(number).split("1"))
    return time.process_time() - start
print(sys.version_info[1], min(work() for _ in range(7)), sys.executable)
"""


def candidates() -> list[str]:
    """Paths to try, the one that people name first."""
    names = ["python3", *(f"python3.{minor}" for minor in range(NEWEST, 10, -1))]
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/local/bin", "/usr/bin"]
    found = (shutil.which(name, path=folder) for name in names for folder in folders)
    real: dict[str, str] = {}
    for path in filter(None, found):
        real.setdefault(os.path.realpath(path), path)
    return list(real.values())


def probed(path: str) -> tuple[float, str] | None:
    """(seconds, path of the interpreter itself), or None when it will not do."""
    command = [path, "-I", "-c", PROBE]
    try:
        ran = subprocess.run(  # noqa: S603 (each is a Python of the PATH)
            command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60
        )
        minor, seconds, itself = ran.stdout.decode().split(None, 2)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return (float(seconds), itself.strip()) if 11 <= int(minor) <= NEWEST else None


def chosen(found: list[tuple[float, str]]) -> tuple[float, str]:
    """The first, unless another is much quicker."""
    quickest = min(found)
    return quickest if quickest[0] * WORTH < found[0][0] else found[0]


def main() -> None:
    """Prints the path to use."""
    measured = [one for one in map(probed, candidates()) if one]
    if not measured:
        sys.exit(f"no Python 3.11 to 3.{NEWEST} with venv and pip; PYTHON=/a/path names one")
    (seconds, path), (first, named) = chosen(measured), measured[0]
    if path != named:
        sys.stderr.write(f"python: {path} ({first / seconds:.1f} times as quick as {named})\n")
    sys.stdout.write(path + "\n")


if __name__ == "__main__":
    main()
