"""Which certificates are served: the one place that chooses between their sources."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from webhook.certs.bundle import CertError
from webhook.certs.cluster import Kind, Target, own_namespace
from webhook.certs.development import ensure_development_certificate
from webhook.certs.folder import FolderSource
from webhook.server.selfcall import CONVERT, ask, conversion, loopback

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from webhook.certs.bundle import CertBundle
    from webhook.certs.cluster import Cluster
    from webhook.certs.serving import ServingContext
    from webhook.certs.shared import SelfSigned
    from webhook.server.state import State

FIRST_BUNDLE: Final = 60.0
"""Seconds that a folder gets to hold a usable pair; nobody fills it while we wait for ever."""
NAMESPACE: Final = "skyhook-webhook-system"
CONFIGURATION: Final = "skyhook-webhook"
CRD_GROUPS: Final = ("skyhook.nvidia.com", "nodewright.nvidia.com")


class Certificates:
    """Feeds a ServingContext from the source that the settings name.

    Attributes:
        shared: the self-signed mode's parts; None for a folder, and before `connect`.
    """

    def __init__(self, state: State, tls: ServingContext) -> None:
        self._state = state
        self._tls = tls
        self._cluster: Cluster | None = None
        self._bundles: AsyncIterator[CertBundle] | None = None
        self.shared: SelfSigned | None = None

    async def connect(self) -> None:
        """Prepares the source. Raises CertError where the settings lead nowhere."""
        settings = self._state.settings
        if settings.tls == "self-signed":
            self.shared = await self._self_signed()
        else:
            ensure_development_certificate(settings.cert_dir, now=datetime.now(UTC))

    async def first(self) -> None:
        """Serves the first bundle. Raises CertError when none comes from a folder in time.

        A cluster is waited for: ending would not bring its API server back any sooner.
        """
        self._bundles = self._source()
        try:
            async with asyncio.timeout(None if self.shared else FIRST_BUNDLE):
                self._next(await anext(self._bundles))
        except TimeoutError:
            where = self._state.settings.cert_dir
            raise CertError(f"no usable certificate came from {where} in time") from None

    def works(self) -> list[Callable[[], Awaitable[None]]]:
        """What must run beside the server; each may be begun again after a fault."""
        works: list[Callable[[], Awaitable[None]]] = [self._follow]
        if self.shared is not None:
            works.append(self.shared.owner.run)
        return works

    async def close(self) -> None:
        """Ends the connections to the API server."""
        if self._cluster is not None:
            await self._cluster.close()
            self._cluster = None

    def _source(self) -> AsyncIterator[CertBundle]:
        if self.shared is not None:
            return self.shared.source.bundles()
        return FolderSource(self._state.settings.cert_dir).bundles()

    async def _follow(self) -> None:
        bundles, self._bundles = self._bundles or self._source(), None
        async for bundle in bundles:
            try:
                self._next(bundle)
            except CertError as error:
                self._state.log("error", "certificate refused", why=str(error))

    def _next(self, bundle: CertBundle) -> None:
        if self.shared is not None:
            self.shared.owner.want(bundle.ca_pem)
        self._tls.swap(bundle)
        self._state.metrics.certificates.expiry("leaf", bundle.not_after)
        self._state.log("info", "certificate", until=bundle.not_after.isoformat())

    async def _self_signed(self) -> SelfSigned:
        from webhook.certs.apiclient import ApiCluster
        from webhook.certs.selfsigned import Pace
        from webhook.certs.shared import self_signed

        settings = self._state.settings
        namespace = settings.namespace or own_namespace() or NAMESPACE
        self._cluster = await ApiCluster.connect(
            namespace=namespace, kubeconfig=settings.kubeconfig
        )
        return self_signed(
            self._cluster,
            service=settings.service,
            targets=_targets(),
            probe=self._answers_conversion,
            secret=settings.secret,
            domain=settings.cluster_domain,
            observer=self._state.metrics.certificates,
            pace=Pace(*(timedelta(seconds=each) for each in settings.rotation.steps())),
        )

    async def _answers_conversion(self, ca_pem: bytes) -> bool:
        """Whether our own /convert answers a sample under our Service's name, verified by `ca_pem`."""
        settings = self._state.settings
        body = conversion(CRD_GROUPS[0])
        host, port = loopback(settings.bind_address), self._state.port
        namespace = self._cluster.namespace if self._cluster else NAMESPACE
        name = f"{settings.service}.{namespace}.svc"
        return await ask(host, port, CONVERT, body, ca_pem, name, check_name=True) is None


def _targets() -> tuple[Target, ...]:
    """The objects whose caBundles are ours: configurations by name, CRDs by our Service."""
    return (
        Target(Kind.VALIDATING, CONFIGURATION),
        Target(Kind.MUTATING, CONFIGURATION),
        Target(Kind.CRD, "skyhooks.skyhook.nvidia.com"),
        Target(Kind.CRD, "nodewrights.nodewright.nvidia.com"),
    )
