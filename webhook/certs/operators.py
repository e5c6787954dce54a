"""Which release of the guarded operator runs, as its Deployment shows it."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webhook.certs.apiclient import ApiCluster
from webhook.certs.cluster import ClusterError, in_cluster

OPERATORS: Final = ("skyhook-operator", "nodewright-operator", "nodewright")
"""`app.kubernetes.io/name` of the operator's Deployment, by release."""
_RELEASE: Final = re.compile(r"v?(\d+)\.(\d+)(?:[.+-].*)?")
_CHART: Final = re.compile(r".*?-(v?\d+\.\d+.*)")


@dataclass(frozen=True, slots=True)
class Running:
    """A release and where it was seen.

    Attributes:
        release: major and minor; None where nothing shows one.
        where: the Deployment, or why there is none.
    """

    release: str | None
    where: str


def release_of(deployment: dict[str, Any]) -> str | None:
    """By the image's tag, else by the labels of the chart; None for a digest or a word such as `dev`."""
    spec = (((deployment.get("spec") or {}).get("template") or {}).get("spec")) or {}
    for container in spec.get("containers") or ():
        image = str(container.get("image", "")).partition("@")[0]
        found = _release(image.rpartition("/")[2].partition(":")[2])
        if found is not None:
            return found
    labels = (deployment.get("metadata") or {}).get("labels") or {}
    chart = _CHART.fullmatch(str(labels.get("helm.sh/chart", "")))
    return _release(str(labels.get("app.kubernetes.io/version", ""))) or (
        _release(chart[1]) if chart else None
    )


def newest(deployments: list[dict[str, Any]]) -> Running:
    """The newest release of several: while one follows another, the newer one already writes."""
    found = []
    for one in deployments:
        release = release_of(one)
        name = f"{one['metadata'].get('namespace', '')}/{one['metadata'].get('name', '')}"
        if release is not None:
            found.append((tuple(map(int, release.split("."))), name))
    if not found:
        return Running(None, "no Deployment of the operator shows a release")
    (major, minor), name = max(found)
    return Running(f"{major}.{minor}", f"Deployment {name}")


async def running(kubeconfig: Path | None, context: str | None = None) -> Running:
    """Asks the API server; without a way to it, or without leave to ask, nothing is known.

    By kubeconfig, as this Pod, or as kubectl does: by KUBECONFIG, or by ~/.kube/config.
    """
    if kubeconfig is None and not in_cluster():
        kubeconfig = Path(os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
        if not await asyncio.to_thread(kubeconfig.is_file):
            return Running(None, "this is no Pod, and no kubeconfig is given")
    try:
        cluster = await ApiCluster.connect(namespace="", kubeconfig=kubeconfig, context=context)
    except ClusterError as error:
        return Running(None, str(error))
    try:
        return newest(await cluster.deployments(OPERATORS))
    except ClusterError as error:
        return Running(None, f"Deployments cannot be read: {error}")
    finally:
        await cluster.close()


def _release(text: str) -> str | None:
    found = _RELEASE.fullmatch(text)
    return f"{found[1]}.{found[2]}" if found else None
