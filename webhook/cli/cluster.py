"""`validate --cluster`: files against what the cluster holds, as `kubectl apply` would write them."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from webhook.cli.dumps import reach
from webhook.cli.failures import CallerError
from webhook.core.evidence import NoEvidence
from webhook.core.view import View
from webhook.replaying.patching import patched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from webhook.catalog import Catalog
    from webhook.cli.subjects import Identity
    from webhook.doctor.fetching import DoctorCluster

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_GIVEN_BY_SERVER: Final = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")  # fmt: skip


class Live:
    """The objects of a cluster, read by kind when the first of it is asked for."""

    def __init__(self, catalog: Catalog, runner: asyncio.Runner, cluster: DoctorCluster) -> None:
        self._catalog = catalog
        self._runner = runner
        self._cluster = cluster
        self._kinds: dict[tuple[str, str], dict[tuple[str, str], dict[str, Any]]] = {}
        self._nodes: list[tuple[View, ...] | None] = []

    def get(self, identity: Identity) -> dict[str, Any] | None:
        """The object as it is stored; None where there is none. Raises CallerError."""
        kind = identity[:2]
        if kind not in self._kinds:
            self._kinds[kind] = self._list(kind)
        return self._kinds[kind].get(identity[2:])

    def nodes(self) -> tuple[View, ...] | None:
        """All Nodes; None where they may not be read."""
        from webhook.certs.cluster import ClusterError

        if not self._nodes:
            try:
                found = self._runner.run(self._cluster.get("/api/v1/nodes"))
                self._nodes.append(tuple(map(View.of, found)))
            except ClusterError:
                self._nodes.append(None)
        return self._nodes[0]

    def _list(self, kind: tuple[str, str]) -> dict[tuple[str, str], dict[str, Any]]:
        from webhook.certs.cluster import ClusterError

        match = self._catalog.guards[kind][0].match
        plural = match.plural or f"{kind[1].lower()}s"
        root = f"/apis/{match.group}/{match.versions[0]}" if match.group else "/api/v1"
        try:
            found = self._runner.run(self._cluster.get(f"{root}/{plural}"))
        except ClusterError as error:
            raise CallerError(f"--cluster: {error}") from None
        named: dict[tuple[str, str], dict[str, Any]] = {}
        for one in found:
            metadata = one.get("metadata") or {}
            named[str(metadata.get("namespace") or ""), str(metadata.get("name") or "")] = one
        return named


@dataclass(frozen=True, slots=True)
class ClusterNodes(NoEvidence):
    """The Nodes of a cluster, for rules that ask which there are; read when the first one asks.

    Attributes:
        live: the cluster, once it is open.
    """

    live: list[Live] = field(default_factory=list)

    def every(self) -> tuple[View, ...] | None:
        """All Nodes there are; None where they may not be read."""
        return self.live[0].nodes() if self.live else None


@contextmanager
def live_objects(catalog: Catalog, kubeconfig: Path | None, context: str | None) -> Iterator[Live]:
    """The cluster's objects, for as long as they are needed. Raises CallerError."""
    with asyncio.Runner() as runner:
        opened: AbstractAsyncContextManager[DoctorCluster] = reach("default", kubeconfig, context)
        cluster = runner.run(opened.__aenter__())
        try:
            yield Live(catalog, runner, cluster)
        finally:
            runner.run(opened.__aexit__(None, None, None))


def applied(live: dict[str, Any], manifest: dict[str, Any]) -> dict[str, Any]:
    """What the object becomes when the manifest is applied over it.

    Maps are merged and lists replaced; what the manifest applied before named and this one does
    not is taken away. What only the API server gives stays as it is.
    """
    metadata = manifest.get("metadata")
    given = dict(manifest)
    if isinstance(metadata, dict):
        given["metadata"] = {k: v for k, v in metadata.items() if k not in _GIVEN_BY_SERVER}
    new: dict[str, Any] = _without(patched(live, given), _last_applied(live), given)
    if new.get("spec") != live.get("spec"):
        _count_up(new)
    return new


def _last_applied(live: dict[str, Any]) -> Any:
    """The manifest before, as kubectl noted it, without what no manifest decides."""
    annotations = (live.get("metadata") or {}).get("annotations") or {}
    try:
        before = json.loads(annotations.get(LAST_APPLIED, "null"))
    except (TypeError, ValueError):
        return None
    if isinstance(before, dict):
        before.pop("status", None)
        metadata = before.get("metadata")
        if isinstance(metadata, dict):
            before["metadata"] = {k: v for k, v in metadata.items() if k not in _GIVEN_BY_SERVER}
    return before


def _without(value: Any, before: Any, given: Any) -> Any:
    """``value`` without the keys that ``before`` has and ``given`` has not."""
    if not (isinstance(value, dict) and isinstance(before, dict) and isinstance(given, dict)):
        return value
    return {
        key: _without(kid, before.get(key), given.get(key))
        for key, kid in value.items()
        if key in given or key not in before
    }


def _count_up(new: dict[str, Any]) -> None:
    metadata = new.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("generation"), int):
        new["metadata"] = {**metadata, "generation": metadata["generation"] + 1}
