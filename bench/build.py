"""Builds the Go programs that ours is measured against, once, into a cache outside the tree; and our bytecode."""

from __future__ import annotations

import compileall
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = {"go-peer": "go-peer", "goplain": "gotools/goplain", "goload": "gotools/goload"}


def cache() -> Path:
    own = os.environ.get("SKYHOOK_WEBHOOK_BENCH_CACHE")
    return Path(own) if own else Path.home() / ".cache" / "skyhook-webhook" / "bench"


def programs() -> dict[str, Path]:
    """The three programs by name; what is missing is built. Raises RuntimeError without Go."""
    return {name: _program(name, HERE / source) for name, source in PROGRAMS.items()}


def bytecode() -> None:
    """Compiles ours, as pip does when it installs a wheel: under PYTHONDONTWRITEBYTECODE no start would keep it."""
    if not compileall.compile_dir(HERE.parent / "webhook", quiet=1):
        raise RuntimeError("webhook does not compile")


def _program(name: str, source: Path) -> Path:
    target = cache() / f"{name}-{_fingerprint(source)}"
    if os.access(target, os.X_OK):
        return target
    go = shutil.which("go")
    if go is None:
        raise RuntimeError(f"no {name} in {cache()}, and no `go` on PATH to build it with")
    target.parent.mkdir(parents=True, exist_ok=True)
    print(f"bench: building {name}; only once, into {target.parent}", file=sys.stderr, flush=True)
    started = time.monotonic()
    partial = target.with_suffix(".partial")
    command = [go, "build", "-trimpath", "-buildvcs=false", "-o", str(partial), "."]
    subprocess.run(command, cwd=source, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
    partial.replace(target)
    took = time.monotonic() - started
    print(f"bench: built {name} in {took:.0f} s", file=sys.stderr, flush=True)
    return target


def _fingerprint(source: Path) -> str:
    digest = hashlib.sha256()
    module = source if (source / "go.mod").exists() else source.parent
    for path in sorted({*source.glob("*.go"), *module.glob("go.*")}):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
