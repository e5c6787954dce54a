"""Objects for verbs that look at a cluster: from a dump, or from the cluster itself."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webhook.cli.failures import CallerError
from webhook.documents import read_documents

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from webhook.doctor.fetching import DoctorCluster


def text_of(source: str) -> bytes:
    """A file, or standard input for `-`. Raises CallerError."""
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise CallerError(f"{source}: {error.strerror or error}") from None


def objects(source: str) -> Iterator[dict[str, Any]]:
    """Kubernetes objects of a dump, Lists opened.

    Raises:
        CallerError: it can't be read, or holds something that is no object.
    """
    for document in read_documents(text_of(source), source):
        if not document.readable:
            raise CallerError(f"{source}: {document.problems[0].message}")
        value = document.value
        if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
            raise CallerError(f"{source}: document {document.index + 1} is no Kubernetes object")
        yield value


def way_to(kubeconfig: Path | None) -> Path | None:
    """The kubeconfig that counts: the one given, that of KUBECONFIG, none in a Pod, or the user's."""
    from webhook.certs.cluster import in_cluster

    if kubeconfig is None and not in_cluster():
        return Path(os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
    return kubeconfig


@asynccontextmanager
async def reach(
    namespace: str, kubeconfig: Path | None, context: str | None
) -> AsyncIterator[DoctorCluster]:
    """A client, closed in the end: by kubeconfig, by KUBECONFIG, as this Pod, or by ~/.kube/config.

    Raises:
        CallerError: there is no way to an API server.
    """
    from webhook.certs.cluster import ClusterError
    from webhook.doctor.fetching import connect

    kubeconfig = way_to(kubeconfig)
    try:
        cluster = await connect(namespace, kubeconfig, context)
    except ClusterError as error:
        raise CallerError(str(error)) from None
    try:
        yield cluster
    finally:
        await cluster.close()
