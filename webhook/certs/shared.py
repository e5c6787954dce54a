"""The self-signed mode put together: source, store and caBundle owner around one Secret."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webhook.certs.authority import service_names
from webhook.certs.bundle import CertError
from webhook.certs.cabundle import ServiceKey
from webhook.certs.clock import utc_now
from webhook.certs.inject import CaBundleOwner
from webhook.certs.keyring import Lives
from webhook.certs.replicas import ServiceRoll
from webhook.certs.selfsigned import SelfSignedSource
from webhook.certs.store import KeyringStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.certs.clock import Now, Sleep
    from webhook.certs.cluster import Cluster, Target
    from webhook.certs.keeper import Probe
    from webhook.certs.observer import CertObserver
    from webhook.certs.replicas import Roll
    from webhook.certs.selfsigned import Pace

SECRET = "skyhook-webhook-certs"  # noqa: S105 - a Secret's name


@dataclass(frozen=True, slots=True)
class SelfSigned:
    """One replica's part.

    Iterate `source.bundles()`; for each bundle call `owner.want(bundle.ca_pem)`, then
    `ServingContext.swap(bundle)`; run `owner.run()` beside it.
    """

    source: SelfSignedSource
    owner: CaBundleOwner
    store: KeyringStore


def self_signed(
    cluster: Cluster,
    *,
    service: str,
    targets: Iterable[Target],
    probe: Probe,
    secret: str = SECRET,
    domain: str = "cluster.local",
    now: Now = utc_now,
    sleep: Sleep = asyncio.sleep,
    observer: CertObserver | None = None,
    lives: Lives | None = None,
    pace: Pace | None = None,
    roll: Roll | None = None,
) -> SelfSigned:
    """Everything for the Service `service` in the cluster's namespace.

    `roll` says who shows which leaf: by default a dial of each replica in the EndpointSlices.
    """
    names = service_names(service, cluster.namespace, domain=domain)
    store = KeyringStore(cluster, secret, names, now=now, lives=lives or Lives())
    owner = CaBundleOwner(
        cluster,
        targets,
        ServiceKey(cluster.namespace, service),
        wanted=store.trust,
        probe=probe,
        now=now,
        sleep=sleep,
        observer=observer,
    )
    roll = roll or ServiceRoll(cluster, service)
    source = SelfSignedSource(
        store, owner, roll, now=now, sleep=sleep, observer=observer, pace=pace
    )
    return SelfSigned(source, owner, store)


async def rotation(cluster: Cluster, secret: str = SECRET, *, now: Now = utc_now) -> str:
    """Begins a rotation in the shared Secret; the phase that it is in then.

    Raises:
        CertError: there is none that is whole, or it belongs to somebody else.
        ClusterError: it can't be read or written, or another process was first.
    """
    store = KeyringStore(cluster, secret, (), now=now, lives=Lives())
    complaint = (await store.load()).complaint
    if complaint is not None:
        raise CertError(f"{store} can't be rotated: {complaint}; a running replica mends it")
    return str((await store.rotate()).phase)
