"""The CRDs of `manifests/crds/`: read, and installed into a living API server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane

FOLDER = Path(__file__).resolve().parents[2] / "manifests" / "crds"


def crds() -> list[dict[str, Any]]:
    return [yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))]


def install_crds(control_plane: ControlPlane) -> None:
    """Applies all of them and waits until the API server serves each."""
    control_plane.kubectl("kubernetes-admin", "apply", "--server-side", "-f", str(FOLDER))
    names = [f"crd/{crd['metadata']['name']}" for crd in crds()]
    control_plane.kubectl(
        "kubernetes-admin", "wait", "--for=condition=Established", "--timeout=30s", *names
    )
