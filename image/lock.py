"""Pins what the image installs: every requirement, its version, and the hash of each archive that may be taken.

    python image/lock.py

Asks pip itself what it would install on each platform, from the index that pip is configured with, and writes
`requirements.lock` (what we need to run) and `build.lock` (what builds our wheel). No address is written down.
"""  # noqa: INP001

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
PYTHON: Final = "3.11"
PLATFORMS: Final = {
    "x86_64": ("manylinux_2_36", "manylinux_2_28", "manylinux_2_17", "manylinux2014"),
    "aarch64": ("manylinux_2_36", "manylinux_2_28", "manylinux_2_17", "manylinux2014"),
}
"""The C library of the base image is 2.36 (Debian 12)."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_CLASSIFIER: Final = "License :: OSI Approved :: "


def resolved(wanted: list[str], machine: str) -> list[dict[str, Any]]:
    """What pip would install on that machine, as its report says."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--report", "-", "--only-binary", ":all:", "--target", str(HERE / "nowhere")]
    command += ["--python-version", PYTHON, "--implementation", "cp"]
    for abi in ("cp311", "abi3", "none"):
        command += ["--abi", abi]
    for platform in PLATFORMS[machine]:
        command += ["--platform", f"{platform}_{machine}"]
    # Folders of wheels that a machine may have are nobody else's.
    env = {name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"}
    done = subprocess.run([*command, *wanted], env=env, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.stderr)
    found: list[dict[str, Any]] = json.loads(done.stdout)["install"]
    return found


def normal(name: str) -> str:
    """A project's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def lock(wanted: list[str]) -> str:
    """The lines of a lock file: the same versions on every platform."""
    first, *others = PLATFORMS
    found = {normal(one["metadata"]["name"]): one for one in resolved(wanted, first)}
    pins = [f"{name}=={one['metadata']['version']}" for name, one in found.items()]
    hashes = {name: {_hash(one)} for name, one in found.items()}
    for machine in others:
        for one in resolved(pins, machine):
            hashes[normal(one["metadata"]["name"])].add(_hash(one))
    direct = {normal(_NAME.match(one)[0]) for one in wanted}  # type: ignore[index]
    needed_by = {name: {"us"} if name in direct else set() for name in found}
    for name, one in found.items():
        for requirement in one["metadata"].get("requires_dist") or ():
            needed = normal(_NAME.match(requirement)[0])  # type: ignore[index]
            if needed in found and "extra ==" not in requirement:
                needed_by[needed].add(name)
    return "".join(
        _entry(name, found[name], hashes[name], needed_by[name]) for name in sorted(found)
    )


def _entry(name: str, one: dict[str, Any], hashes: set[str], needed_by: set[str]) -> str:
    lines = [f"{name}=={one['metadata']['version']}"]
    lines += [f"    --hash=sha256:{digest}" for digest in sorted(hashes)]
    parents = ", ".join(sorted(needed_by))
    return " \\\n".join(lines) + f"\n    # {_license(one['metadata'])}; needed by {parents}\n"


def _hash(one: dict[str, Any]) -> str:
    return str(one["download_info"]["archive_info"]["hashes"]["sha256"])


def _license(metadata: dict[str, Any]) -> str:
    """The licence as the project states it, in the newest of three ways."""
    if metadata.get("license_expression"):
        return str(metadata["license_expression"])
    for classifier in metadata.get("classifier") or ():
        if classifier.startswith(_CLASSIFIER):
            return str(classifier.removeprefix(_CLASSIFIER))
    first = str(metadata.get("license") or "").strip().splitlines()
    return first[0] if first else "licence not stated"


def main() -> None:
    """Writes both files."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text())
    about = f"# Made by image/lock.py from pyproject.toml: CPython {PYTHON} on Linux, {', '.join(PLATFORMS)}.\n"
    for name, wanted in (
        ("requirements.lock", project["project"]["dependencies"]),
        ("build.lock", project["build-system"]["requires"]),
    ):
        (HERE / name).write_text(about + lock(wanted))


if __name__ == "__main__":
    main()
