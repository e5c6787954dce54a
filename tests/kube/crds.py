"""The CRDs of `manifests/crds/`: read, and installed into a living API server."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane

FOLDER = Path(__file__).resolve().parents[2] / "manifests" / "crds"
ADMIN = "kubernetes-admin"
SERVED_WITHIN = 30.0  # seconds


def crds() -> list[dict[str, Any]]:
    return [yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))]


def list_path(crd: dict[str, Any]) -> str:
    """Where the API server lists the objects of the CRD's first version."""
    spec = crd["spec"]
    return f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"


def install_crds(control_plane: ControlPlane) -> None:
    """Applies all of them; returns when each is served, which is a moment after Established."""
    control_plane.kubectl(ADMIN, "apply", "--server-side", "-f", str(FOLDER))
    names = [f"crd/{crd['metadata']['name']}" for crd in crds()]
    control_plane.kubectl(ADMIN, "wait", "--for=condition=Established", "--timeout=30s", *names)
    deadline = time.monotonic() + SERVED_WITHIN
    for path in map(list_path, crds()):
        while control_plane.request(ADMIN, "GET", path)[0] != 200:
            if time.monotonic() > deadline:
                raise AssertionError(f"{path} is not served after {SERVED_WITHIN:.0f} s")
            time.sleep(0.05)
