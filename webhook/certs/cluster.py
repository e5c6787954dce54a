"""What certificates need of an API server: one Secret, three kinds with caBundles, our replicas."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from webhook.certs.bundle import CertError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

Object = dict[str, Any]

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Kind(StrEnum):
    """The kinds that carry a caBundle."""

    VALIDATING = "ValidatingWebhookConfiguration"
    MUTATING = "MutatingWebhookConfiguration"
    CRD = "CustomResourceDefinition"

    @property
    def api_version(self) -> str:
        """Group and version as an object states them."""
        crd = self is Kind.CRD
        return "apiextensions.k8s.io/v1" if crd else "admissionregistration.k8s.io/v1"

    @property
    def path(self) -> str:
        """The collection's path on the API server."""
        return f"/apis/{self.api_version}/{self.lower()}s"


@dataclass(frozen=True, slots=True)
class Target:
    """Objects whose caBundles are ours to keep: one by name, or all of a kind."""

    kind: Kind
    name: str | None = None


class ClusterError(CertError):
    """The API server refused or could not be reached.

    Attributes:
        status: its HTTP status code; 0 when there was no answer.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    @property
    def conflict(self) -> bool:
        """Somebody else was first: it exists, has another version by now (409), or is gone (404)."""
        return self.status in (404, 409)


class Cluster(Protocol):
    """An API server; every call raises ClusterError and takes its time limit from the client."""

    namespace: str

    async def get_secret(self, name: str) -> Object | None:
        """The Secret in our namespace, or None where there is none."""
        ...

    async def create_secret(self, secret: Object) -> Object:
        """Create it; a conflict when there is one of that name."""
        ...

    async def update_secret(self, secret: Object) -> Object:
        """Replace it; a conflict when its `resourceVersion` is no longer the stored one."""
        ...

    async def read(self, target: Target) -> list[Object]:
        """The target's objects as they are stored now."""
        ...

    def watch(self, target: Target) -> AsyncIterator[Mapping[str, Object]]:
        """The target's objects by name, at first and after each change.

        Ends by itself after some minutes; the caller starts it again.
        """
        ...

    async def apply(self, kind: Kind, body: Object, *, field_manager: str) -> Object:
        """Server-side apply with force: what is returned is what is stored."""
        ...

    async def merge(self, kind: Kind, name: str, patch: Object) -> Object:
        """JSON merge patch."""
        ...

    async def endpoint_slices(self, service: str) -> list[Object]:
        """The EndpointSlices of a Service in our namespace."""
        ...

    async def close(self) -> None:
        """End every connection."""
        ...


def in_cluster() -> bool:
    """Whether this process runs in a pod that has an API server and a token for it."""
    return "KUBERNETES_SERVICE_HOST" in os.environ and (SERVICE_ACCOUNT / "token").exists()


def own_namespace() -> str | None:
    """The namespace of this pod, or None outside a cluster."""
    try:
        return (SERVICE_ACCOUNT / "namespace").read_text(encoding="ascii").strip() or None
    except OSError:
        return None
