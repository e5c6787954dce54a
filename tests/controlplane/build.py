"""Builds kube-apiserver, etcd and (where the machine has none) kubectl; prints their folder.

`KUBEBUILDER_ASSETS`, a folder that holds them already, is used as it is. Otherwise they are built once
from the published Go modules into a cache outside the tree, keyed by version and by what they are built from.

A further Kubernetes version is a module file: require and replace at that release (one replace for each module
that Kubernetes' own go.mod replaces by a folder under `staging`), `go mod tidy -modfile=FILE`, an entry below.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
DEFAULT_VERSION = "1.34.4"
MODULE_FILES = {"1.34.4": "go.mod", "1.36.3": "go-1.36.3.mod"}
BUILD_FLAGS = ("-trimpath", "-buildvcs=false")
LINES_APART = 15.0  # seconds between two lines of progress


class ControlPlaneError(Exception):
    """The control plane cannot be had: a wrong setting, or a build that failed."""


class GoMissingError(ControlPlaneError):
    """Nothing is built yet and there is no Go to build it with."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """The three programs; `kubectl` may come from PATH and then is of another version."""

    kube_apiserver: Path
    etcd: Path
    kubectl: Path

    @property
    def folder(self) -> Path:
        return self.kube_apiserver.parent


def say(line: str) -> None:
    print(f"controlplane: {line}", file=sys.stderr, flush=True)


def wanted_version(env: Mapping[str, str] = os.environ) -> str:
    """The Kubernetes version to build: `SKYHOOK_WEBHOOK_CONTROLPLANE_VERSION` or the default."""
    version = env.get("SKYHOOK_WEBHOOK_CONTROLPLANE_VERSION") or DEFAULT_VERSION
    if version not in MODULE_FILES:
        known = ", ".join(sorted(MODULE_FILES))
        raise ControlPlaneError(f"SKYHOOK_WEBHOOK_CONTROLPLANE_VERSION={version}: not one of {known}")
    return version


def find_or_build(env: Mapping[str, str] = os.environ, say: Callable[[str], None] = say) -> Binaries:
    """What `KUBEBUILDER_ASSETS` or the cache holds; what is missing in the cache is built."""
    assets = env.get("KUBEBUILDER_ASSETS")
    if assets:
        return _from_assets(Path(assets), env)
    version = wanted_version(env)
    folder = _cache(env) / f"{version}-{_fingerprint(version)}"
    wanted = ["etcd", "kube-apiserver"]
    kubectl = shutil.which("kubectl", path=env.get("PATH"))
    if kubectl is None:
        wanted.append("kubectl")
    if not _missing(folder, wanted):
        pass
    elif shutil.which("go", path=env.get("PATH")) is None:
        raise GoMissingError(
            f"no {folder.name} in the cache, no KUBEBUILDER_ASSETS, and no `go` on PATH to build it with"
        )
    else:
        with _lock(folder.with_name(folder.name + ".lock"), say):
            _build_all(version, folder, _missing(folder, wanted), env, say)
    return Binaries(folder / "kube-apiserver", folder / "etcd", Path(kubectl or folder / "kubectl"))


def _from_assets(folder: Path, env: Mapping[str, str]) -> Binaries:
    missing = _missing(folder, ["kube-apiserver", "etcd"])
    if missing:
        raise ControlPlaneError(f"KUBEBUILDER_ASSETS={folder} lacks {', '.join(missing)}")
    own = folder / "kubectl"
    kubectl = str(own) if own.is_file() else shutil.which("kubectl", path=env.get("PATH"))
    if kubectl is None:
        raise ControlPlaneError(f"KUBEBUILDER_ASSETS={folder} lacks kubectl, and PATH has none")
    return Binaries(folder / "kube-apiserver", folder / "etcd", Path(kubectl))


def _cache(env: Mapping[str, str]) -> Path:
    own = env.get("SKYHOOK_WEBHOOK_CONTROLPLANE_CACHE")
    return Path(own) if own else Path.home() / ".cache" / "skyhook-webhook" / "controlplane"


def _fingerprint(version: str) -> str:
    """Changes with every source, required module, build flag and kind of machine."""
    module_file = SOURCES / MODULE_FILES[version]
    digest = hashlib.sha256(" ".join((platform.machine(), *BUILD_FLAGS)).encode())
    for path in (module_file, module_file.with_suffix(".sum"), *sorted(SOURCES.glob("cmd/*/*.go"))):
        digest.update(f"\n{path.relative_to(SOURCES)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _missing(folder: Path, names: list[str]) -> list[str]:
    return [name for name in names if not os.access(folder / name, os.X_OK)]


@contextmanager
def _lock(path: Path, say: Callable[[str], None]) -> Iterator[None]:
    """One builder at a time; whoever waits finds the work done. The kernel frees it when the holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process builds the control plane; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build_all(
    version: str, folder: Path, names: list[str], env: Mapping[str, str], say: Callable[[str], None]
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names, 1):
        say(f"building {name} of Kubernetes {version} ({number} of {len(names)}); only once, into {folder}")
        started = time.monotonic()
        partial = folder / f".{name}.partial"
        _go_build(version, name, partial, env, say)
        partial.replace(folder / name)  # a name in the cache is a finished program
        size = (folder / name).stat().st_size // 2**20
        say(f"built {name} in {time.monotonic() - started:.0f} s, {size} MiB")


def _go_build(
    version: str, name: str, target: Path, env: Mapping[str, str], say: Callable[[str], None]
) -> None:
    """Runs `go build -v`, which names each package on stderr as it compiles it."""
    command = ["go", "build", "-v", *BUILD_FLAGS, f"-modfile={MODULE_FILES[version]}"]
    command += ["-ldflags", _linker_flags(version), "-o", str(target), f"./cmd/{name}"]
    go_env = {**env, "CGO_ENABLED": "0", "GOWORK": "off"}
    last_lines: deque[str] = deque(maxlen=20)
    packages, told = 0, time.monotonic()
    with subprocess.Popen(
        command, cwd=SOURCES, env=go_env, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            last_lines.append(line)
            packages += not line.startswith("go: ")
            if time.monotonic() - told >= LINES_APART:
                told = time.monotonic()
                say(f"{name}: {packages} packages compiled; {line.strip()}")
    if process.returncode:
        raise ControlPlaneError(f"go build of {name} {version} failed:\n{''.join(last_lines)}")


def _linker_flags(version: str) -> str:
    """Without symbols, and with the version that the published modules leave empty."""
    major, minor, _ = version.split(".")
    values = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    return "-s -w " + " ".join(
        f"-X k8s.io/component-base/version.{key}={value}" for key, value in values.items()
    )


if __name__ == "__main__":
    try:
        print(find_or_build().folder)
    except ControlPlaneError as error:
        sys.exit(f"controlplane: {error}")
