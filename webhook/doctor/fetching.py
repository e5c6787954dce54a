"""What the checks need, fetched from an API server, and safe repairs carried out."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Final, cast

from webhook.certs.apiclient import ApiCluster
from webhook.certs.cluster import ClusterError, Kind
from webhook.certs.operators import OPERATORS
from webhook.certs.replicas import replicas
from webhook.doctor.diagnosis import Apply
from webhook.doctor.snapshot import Snapshot
from webhook.manifests.access import CRDS
from webhook.manifests.options import MOUNTED_SECRET, NAME, SHARED_SECRET
from webhook.manifests.render import key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from webhook.doctor.diagnosis import Fix
    from webhook.doctor.snapshot import Object

DIAL_SECONDS: Final = 3.0
_APPS: Final = ",".join((*OPERATORS, NAME))


class DoctorCluster(ApiCluster):
    """An API server of which anything can be read."""

    async def get(self, path: str) -> list[Object]:
        """The object at a path, or all objects of a collection; [] where there is none.

        Raises:
            ClusterError: refused, or no answer.
        """
        try:
            answer = await self._call("GET", path)
        except ClusterError as error:
            if error.status == 404:
                return []
            raise
        if "items" not in answer:
            return [answer]
        # Items of a list do not say what they are; the list does.
        about = {
            "apiVersion": answer.get("apiVersion"),
            "kind": str(answer.get("kind", "")).removesuffix("List"),
        }
        return [{**about, **item} for item in answer["items"] or ()]


async def connect(namespace: str, kubeconfig: Path | None, context: str | None) -> DoctorCluster:
    """A client by kubeconfig, or by the Pod's own identity. Raises ClusterError."""
    connected = await DoctorCluster.connect(
        namespace=namespace, kubeconfig=kubeconfig, context=context
    )
    return cast("DoctorCluster", connected)


async def fetch(cluster: DoctorCluster, now: datetime, version: str) -> Snapshot:
    """Everything that the checks look at; what may not be read is told in `Snapshot.unread`.

    Raises:
        ClusterError: the API server does not answer at all.
    """
    await cluster.get("/version")
    objects: dict[tuple[str, ...], Object] = {}  # our Deployment is in two of the lists
    unread: dict[str, str] = {}
    for what, path in _paths(cluster.namespace):
        try:
            objects |= {key(obj): obj for obj in await cluster.get(path)}
        except ClusterError as error:
            unread[what] = str(error)
    leaves = await _dialled(obj for obj in objects.values() if obj["kind"] == "EndpointSlice")
    return Snapshot(tuple(objects.values()), cluster.namespace, now, version, leaves, unread)


async def repair(cluster: ApiCluster, fix: Fix) -> None:
    """Carries out one repair. Raises ClusterError."""
    if isinstance(fix, Apply):
        await cluster.apply(fix.kind, fix.body, field_manager=fix.field_manager)
    else:
        await cluster.merge(fix.kind, fix.name, fix.patch)


def _paths(namespace: str) -> list[tuple[str, str]]:
    """What is read, and where."""
    inside = f"namespaces/{namespace}"
    named = f"labelSelector=app.kubernetes.io/name%20in%20({_APPS})"
    return [
        *((str(kind), kind.path) for kind in (Kind.VALIDATING, Kind.MUTATING)),
        *((f"{Kind.CRD} {name}", f"{Kind.CRD.path}/{name}") for name in CRDS),
        ("Deployments in all namespaces", f"/apis/apps/v1/deployments?{named}"),
        ("Deployments", f"/apis/apps/v1/{inside}/deployments"),
        ("PodDisruptionBudgets", f"/apis/policy/v1/{inside}/poddisruptionbudgets"),
        ("Services", f"/api/v1/{inside}/services"),
        ("ConfigMaps", f"/api/v1/{inside}/configmaps"),
        *(
            ("Secret", f"/api/v1/{inside}/secrets/{name}")
            for name in (SHARED_SECRET, MOUNTED_SECRET)
        ),
        (
            "EndpointSlices",
            f"/apis/discovery.k8s.io/v1/{inside}/endpointslices?labelSelector=kubernetes.io/service-name={NAME}",
        ),
    ]


async def _dialled(slices: Iterable[Object]) -> dict[str, bytes]:
    """The leaf of each replica that can be reached from here; from outside a cluster that is none."""
    found = [one for one in replicas(slices, None) if one.ready]
    shown = await asyncio.gather(*(_leaf(one.host, one.port) for one in found))
    return {one.name: pem for one, pem in zip(found, shown, strict=True) if pem}


async def _leaf(host: str, port: int) -> bytes | None:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # it is looked at, not trusted
    try:
        async with asyncio.timeout(DIAL_SECONDS):
            _, writer = await asyncio.open_connection(host, port, ssl=context)
    except (OSError, ssl.SSLError, TimeoutError):
        return None
    try:
        shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    finally:
        writer.close()
    return ssl.DER_cert_to_PEM_cert(shown).encode() if shown else None
