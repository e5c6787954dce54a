"""Which certificates are served: the one place that chooses between their sources."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from webhook.certs.bundle import CertError
from webhook.certs.cluster import Kind, Target, own_namespace
from webhook.certs.development import ensure_development_certificate
from webhook.certs.folder import FolderSource
from webhook.server.selfcall import ask, conversion, loopback

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from webhook.certs.bundle import CertBundle
    from webhook.certs.serving import ServingContext
    from webhook.certs.shared import SelfSigned
    from webhook.server.state import State

FIRST_BUNDLE: Final = 60.0
NAMESPACE: Final = "skyhook-webhook-system"
CONFIGURATION: Final = "skyhook-webhook"
CRD_GROUPS: Final = ("skyhook.nvidia.com", "nodewright.nvidia.com")


class Certificates:
    """Feeds a ServingContext from the source that the settings name.

    Attributes:
        shared: the self-signed mode's parts; None for a folder.
    """

    def __init__(self, state: State, tls: ServingContext) -> None:
        self._state = state
        self._tls = tls
        self._bundles: AsyncIterator[CertBundle] | None = None
        self.shared: SelfSigned | None = None

    async def first(self) -> None:
        """Serves the first bundle. Raises CertError when none comes in time."""
        settings = self._state.settings
        if settings.tls == "self-signed":
            self.shared = await self._self_signed()
            self._bundles = self.shared.source.bundles()
        else:
            ensure_development_certificate(settings.cert_dir, now=datetime.now(UTC))
            self._bundles = FolderSource(settings.cert_dir).bundles()
        try:
            async with asyncio.timeout(FIRST_BUNDLE):
                await self._next(await anext(self._bundles))
        except TimeoutError:
            where = "the cluster" if self.shared else str(settings.cert_dir)
            raise CertError(f"no usable certificate came from {where} in time") from None

    def tasks(self) -> list[Coroutine[None, None, None]]:
        """What must run beside the server."""
        running: list[Coroutine[None, None, None]] = [self._follow()]
        if self.shared is not None:
            running.append(self.shared.owner.run())
        return running

    async def _follow(self) -> None:
        if self._bundles is None:
            return
        async for bundle in self._bundles:
            try:
                await self._next(bundle)
            except CertError as error:
                self._state.log("error", "certificate refused", why=str(error))

    async def _next(self, bundle: CertBundle) -> None:
        if self.shared is not None:
            self.shared.owner.want(bundle.ca_pem)
        self._tls.swap(bundle)
        self._state.metrics.certificates.expiry("leaf", bundle.not_after)
        self._state.log("info", "certificate", until=bundle.not_after.isoformat())

    async def _self_signed(self) -> SelfSigned:
        from webhook.certs.apiclient import ApiCluster
        from webhook.certs.shared import self_signed

        settings = self._state.settings
        namespace = settings.namespace or own_namespace() or NAMESPACE
        cluster = await ApiCluster.connect(namespace=namespace, kubeconfig=settings.kubeconfig)
        return self_signed(
            cluster,
            service=settings.service,
            targets=_targets(),
            probe=self._answers_conversion,
            secret=settings.secret,
            domain=settings.cluster_domain,
            observer=self._state.metrics.certificates,
        )

    async def _answers_conversion(self, ca_pem: bytes) -> bool:
        """Whether our own /convert answers a sample over TLS that this bundle verifies."""
        settings = self._state.settings
        body = conversion(CRD_GROUPS[0])
        host, port = loopback(settings.bind_address), self._state.port
        wrong = await ask(host, port, "/convert", body, ca_pem, "localhost")
        return wrong is None


def _targets() -> tuple[Target, ...]:
    """The objects whose caBundles are ours: configurations by name, CRDs by our Service."""
    return (
        Target(Kind.VALIDATING, CONFIGURATION),
        Target(Kind.MUTATING, CONFIGURATION),
        Target(Kind.CRD, "skyhooks.skyhook.nvidia.com"),
        Target(Kind.CRD, "nodewrights.nodewright.nvidia.com"),
    )
