"""Where an object holds caBundles of ours, whether they are right, and the apply that makes them so.

Pure. An entry is ours when its `clientConfig.service` is our Service; its place in a list means
nothing. Of an object, nothing but `caBundle` is ever named.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webhook.certs.bundle import CertError
from webhook.certs.chain import certificates, fingerprint
from webhook.certs.cluster import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.certs.cluster import Object


@dataclass(frozen=True, slots=True)
class ServiceKey:
    """Our Service, as a clientConfig names it."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One clientConfig of ours: the webhook's name (empty for a CRD) and its caBundle, decoded."""

    webhook: str
    ca_pem: bytes


def entries(kind: Kind, obj: Object, service: ServiceKey) -> tuple[Entry, ...]:
    """Every clientConfig in the object that calls our Service."""
    return tuple(
        Entry(name, _decoded(config.get("caBundle")))
        for name, config in _configs(kind, obj)
        if _calls(config, service)
    )


def applied(kind: Kind, obj: Object, service: ServiceKey, ca_pem: bytes) -> Object | None:
    """The server-side apply that makes the object's caBundles right; None when they are.

    All entries of ours are named, right or not: an entry that an apply leaves out is given up.
    """
    found = entries(kind, obj, service)
    if all(entry.ca_pem == ca_pem for entry in found):
        return None
    config = {"caBundle": base64.b64encode(ca_pem).decode("ascii")}
    body: Object = {
        "apiVersion": kind.api_version,
        "kind": str(kind),
        # With the uid of what was seen an apply never makes a new object of a deleted one.
        "metadata": {"name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"]},
    }
    if kind is Kind.CRD:
        body["spec"] = {"conversion": {"webhook": {"clientConfig": config}}}
    else:
        body["webhooks"] = [{"name": entry.webhook, "clientConfig": config} for entry in found]
    return body


def unpublished(kind: Kind, obj: Object, service: ServiceKey, ca_pem: bytes) -> bool:
    """Whether some entry of ours does not trust all of `ca_pem`.

    A CRD without any bundle does not count: it is not verified by anything yet, and is filled only
    after its own probe.
    """
    wanted = _fingerprints(ca_pem)
    return any(
        not wanted <= _fingerprints(entry.ca_pem)
        for entry in entries(kind, obj, service)
        if kind is not Kind.CRD or entry.ca_pem.strip()
    )


def _fingerprints(pem: bytes) -> set[str]:
    try:
        return set(map(fingerprint, certificates(pem, "CA")))
    except CertError:
        return set()


def _configs(kind: Kind, obj: Object) -> Iterator[tuple[str, dict[str, Any]]]:
    if kind is Kind.CRD:
        conversion = (obj.get("spec") or {}).get("conversion") or {}
        if conversion.get("strategy") == "Webhook":
            yield "", (conversion.get("webhook") or {}).get("clientConfig") or {}
        return
    for webhook in obj.get("webhooks") or ():
        yield webhook["name"], webhook.get("clientConfig") or {}


def _calls(config: dict[str, Any], service: ServiceKey) -> bool:
    called = config.get("service") or {}
    return ServiceKey(called.get("namespace", ""), called.get("name", "")) == service


def _decoded(value: str | None) -> bytes:
    try:
        return base64.b64decode(value or "", validate=True)
    except (binascii.Error, ValueError):
        return b""
