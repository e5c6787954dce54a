"""The owner of our caBundles: watches the objects, writes that field alone, and only when it is wrong.

Works without lease and without readiness: whoever sees a wrong bundle repairs it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from webhook.certs.cabundle import ServiceKey, entries, unpublished
from webhook.certs.clock import utc_now
from webhook.certs.cluster import Kind, Object, Target
from webhook.certs.keeper import Custody, Keeper
from webhook.certs.keyring import ours
from webhook.certs.observer import CertObserver, Unobserved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.certs.clock import Now, Sleep
    from webhook.certs.cluster import Cluster
    from webhook.certs.keeper import Probe, Wanted


class CaBundleOwner:
    """Keeps the caBundles of `targets` at what `wanted` says.

    Attributes:
        seen_right: set once every object there is has been seen with the right bundle, or none is
            there; never cleared. CRDs do not count, they wait for the probe.
    """

    def __init__(
        self,
        cluster: Cluster,
        targets: Iterable[Target],
        service: ServiceKey,
        *,
        wanted: Wanted,
        probe: Probe,
        now: Now = utc_now,
        sleep: Sleep = asyncio.sleep,
        observer: CertObserver | None = None,
    ) -> None:
        """`wanted` reads the bundle from where all replicas read it, None while there is none.

        It is asked right before each write, so that a replica that has slept through a rotation
        never writes a bundle of yesterday. `probe` tells whether our own `/convert` has answered a
        sample over TLS verified by a bundle; a CRD is written only after that.
        """
        self.seen_right = asyncio.Event()
        self._cluster = cluster
        self._targets = tuple(targets)
        self._service = service
        self._now = now
        custody = Custody(cluster, service, wanted, probe, now, sleep, observer or Unobserved())
        self._keepers = [Keeper(custody, target, self._looked) for target in self._targets]

    async def run(self) -> None:
        """Watch and repair until cancelled."""
        async with asyncio.TaskGroup() as group:
            for keeper in self._keepers:
                group.create_task(keeper.watch())
                group.create_task(keeper.repair())

    def want(self, ca_pem: bytes) -> None:
        """Look again at once: there is another bundle."""
        for keeper in self._keepers:
            keeper.look(ca_pem)

    async def missing(self, ca_pem: bytes) -> tuple[str, ...]:
        """A line per object that calls us and does not trust all of `ca_pem` yet, sorted.

        Raises:
            ClusterError: one of the targets can't be read.
        """
        lines = [
            f"{kind} {obj['metadata']['name']} lacks a CA that is needed"
            for kind, obj in await self._stored()
            if unpublished(kind, obj, self._service, ca_pem)
        ]
        return tuple(sorted(lines))

    async def trusted(self) -> bytes:
        """The CAs of ours that caBundles hold now, as PEM.

        Raises:
            ClusterError: one of the targets can't be read.
        """
        found = dict.fromkeys(
            ours(entry.ca_pem, self._now())
            for kind, obj in await self._stored()
            for entry in entries(kind, obj, self._service)
        )
        return b"".join(found)

    async def put_back(self) -> tuple[str, ...]:
        """Set every CRD that is converted by our Service to `strategy: None`; their names.

        For removal: with us gone, each read in another version would fail.

        Raises:
            ClusterError: one of them can't be read or written.
        """
        names = []
        for kind, obj in await self._stored():
            if kind is Kind.CRD and entries(kind, obj, self._service):
                name, version = (obj["metadata"][key] for key in ("name", "resourceVersion"))
                patch: Object = {
                    "metadata": {"resourceVersion": version},
                    "spec": {"conversion": {"strategy": "None", "webhook": None}},
                }
                await self._cluster.merge(kind, name, patch)
                names.append(name)
        return tuple(names)

    async def _stored(self) -> list[tuple[Kind, Object]]:
        """Every object of the targets, read now."""
        return [
            (target.kind, obj)
            for target in self._targets
            for obj in await self._cluster.read(target)
        ]

    def _looked(self) -> None:
        if all(keeper.right for keeper in self._keepers if keeper.kind is not Kind.CRD):
            self.seen_right.set()
