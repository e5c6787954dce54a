"""Our replicas as the Service sees them, and what each of them shows to a TLS dial."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from webhook.certs.serving import client_context

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.certs.cluster import Cluster, Object

DIAL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Replica:
    """One endpoint of the Service.

    Attributes:
        name: the Pod's name, or the address where the slice has none.
        ready: whether the Service sends calls to it; unknown counts as ready (EndpointConditions).
    """

    name: str
    host: str
    port: int
    ready: bool


class Roll(Protocol):
    """Who still shows a leaf that a CA did not sign."""

    async def missing(self, ca_pem: bytes) -> tuple[str, ...]:
        """A line per replica that `ca_pem` alone does not verify; empty when each one passed.

        Raises:
            ClusterError: nobody could say who the replicas are.
        """
        ...


class ServiceRoll:
    """The replicas behind our Service, each dialled directly."""

    def __init__(self, cluster: Cluster, service: str, *, port_name: str | None = None) -> None:
        """`port_name` picks the Service's port where it has several; else the first counts."""
        self._cluster = cluster
        self._service = service
        self._port_name = port_name

    async def missing(self, ca_pem: bytes) -> tuple[str, ...]:
        """A line per replica that `ca_pem` alone does not verify, sorted.

        A replica that is not ready and can't be reached serves nobody and does not count.
        """
        slices = await self._cluster.endpoint_slices(self._service)
        found = replicas(slices, self._port_name)
        if not any(replica.ready for replica in found):
            return (f"no replica behind Service {self._service} is ready",)
        name = f"{self._service}.{self._cluster.namespace}.svc"
        context = client_context(ca_pem)
        faults = await asyncio.gather(*(_fault(replica, context, name) for replica in found))
        return tuple(sorted(fault for fault in faults if fault))


def replicas(slices: Iterable[Object], port_name: str | None) -> tuple[Replica, ...]:
    """The endpoints of EndpointSlices, without those that are on their way out."""
    found: dict[tuple[str, int], Replica] = {}
    for each in slices:
        ports = [
            port["port"]
            for port in each.get("ports") or ()
            if port.get("port") and port_name in (None, port.get("name"))
        ]
        for endpoint in each.get("endpoints") or () if ports else ():
            conditions = endpoint.get("conditions") or {}
            if conditions.get("terminating"):
                continue
            ready = conditions.get("ready") is not False
            for host in endpoint.get("addresses") or ():
                name = (endpoint.get("targetRef") or {}).get("name") or host
                found[host, ports[0]] = Replica(name, host, ports[0], ready)
    return tuple(found.values())


async def _fault(replica: Replica, context: ssl.SSLContext, name: str) -> str | None:
    """What is wrong with the leaf that a replica shows, or None."""
    try:
        async with asyncio.timeout(DIAL_SECONDS):
            _, writer = await asyncio.open_connection(
                replica.host, replica.port, ssl=context, server_hostname=name
            )
    except ssl.SSLCertVerificationError as error:
        return f"{replica.name} shows another certificate: {error.verify_message}"
    except (OSError, TimeoutError) as error:
        reason = "no answer" if isinstance(error, TimeoutError) else str(error) or repr(error)
        return f"{replica.name} can't be reached: {reason}" if replica.ready else None
    # The handshake was the question; nobody waits for a polite end.
    writer.transport.abort()
    return None
