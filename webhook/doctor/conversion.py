"""Checks of the operator's CRDs: versions, what is stored, and who converts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.certs.cabundle import entries
from webhook.certs.cluster import Kind
from webhook.conversions.converter import HUB, SPOKE
from webhook.conversions.crd import CrdError, serve_spoke
from webhook.doctor.certificates import bundle_faults
from webhook.doctor.diagnosis import Diagnosis, Fix, Level, Merge
from webhook.doctor.snapshot import named
from webhook.manifests.crds import client_config, converted_kinds, is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.doctor.snapshot import Object, Snapshot

_OFF: Final = f"--fix sets {SPOKE} to served: false; v1alpha1 goes on as before"

_READS_FAIL: Final = "plain kubectl, LIST and garbage collection fail"


def crd_versions(found: Snapshot) -> Iterator[Diagnosis]:
    """v1alpha1 is stored, and nothing was ever stored as anything else."""
    for crd in _crds(found):
        hub = _version(crd, HUB)
        if hub is None or not hub.get("storage"):
            message = f"{HUB} is not the stored version: every write of the operator is converted and depends on us"
            yield Diagnosis(
                "crd-versions", Level.ERROR, named(crd), message, f"storage: true on {HUB}"
            )
        others = [v for v in (crd.get("status") or {}).get("storedVersions") or () if v != HUB]
        if others:
            message = f"storedVersions names {', '.join(others)}: objects may be stored so, and an upgrade of the operator's chart fails"
            remedy = (
                f"rewrite every object, then set status.storedVersions to [{HUB}] (docs/removal.md)"
            )
            yield Diagnosis("crd-versions", Level.ERROR, named(crd), message, remedy)
        spoke = _version(crd, SPOKE)
        if hub and spoke and spoke.get("schema") != hub.get("schema"):
            message = f"the schemas of {HUB} and {SPOKE} differ: fields that one lacks are lost"
            remedy = "skyhook-webhook manifests crd --from cluster | kubectl replace -f -"
            yield Diagnosis("crd-versions", Level.WARNING, named(crd), message, remedy)


def converters(found: Snapshot) -> Iterator[Diagnosis]:
    """Where v1beta1 is served, we convert, over a bundle that verifies us, with two replicas."""
    for crd in _crds(found):
        spoke = _version(crd, SPOKE)
        config = client_config(crd)
        if spoke is None or not spoke.get("served"):
            if config and not _is_ours(found, config):
                yield _unserved(crd, config)
            continue
        yield from _served(found, crd, config)


def _served(found: Snapshot, crd: Object, config: Any) -> Iterator[Diagnosis]:
    off = _unserve(crd)
    if not config:
        message = (
            f"{SPOKE} is served without conversion: old condition names are missing or stale there"
        )
        yield Diagnosis("converters", Level.ERROR, named(crd), message, _OFF, off)
        return
    if not _is_ours(found, config):
        message = f"{SPOKE} is served, but {_place(config)} converts, which serves no /convert: {_READS_FAIL}"
        yield Diagnosis("converters", Level.ERROR, named(crd), message, _OFF, off)
        return
    for entry in entries(Kind.CRD, crd, found.service_key):
        for why in bundle_faults(found, entry.ca_pem):
            message = f"{SPOKE} is served, but {why}: {_READS_FAIL}"
            # Not the caBundle: only a replica that has answered through it may write that one.
            yield Diagnosis("converters", Level.ERROR, named(crd), message, _OFF, off)
    deployment = found.ours("Deployment")
    if deployment is None or (deployment.get("spec") or {}).get("replicas", 1) < 2:
        message = f"{SPOKE} is served with less than two replicas: plain reads fail whenever the one is away"
        yield Diagnosis("converters", Level.WARNING, named(crd), message, "replicas: 2")


def _unserved(crd: Object, config: Any) -> Diagnosis:
    message = f"conversion names {_place(config)}, which serves no /convert; harmless while one version is served"
    return Diagnosis("converters", Level.NOTE, named(crd), message)


def _unserve(crd: Object) -> Fix | None:
    """Switches v1beta1 off in the very CRD that was looked at."""
    version = crd["metadata"].get("resourceVersion")
    try:
        versions = serve_spoke(crd, served=False)["spec"]["versions"]
    except CrdError:
        return None
    if not version:
        return None
    patch = {"metadata": {"resourceVersion": version}, "spec": {"versions": versions}}
    return Merge(Kind.CRD, crd["metadata"]["name"], patch)


def _crds(found: Snapshot) -> Iterator[Object]:
    kinds = converted_kinds(found.catalog())
    return (crd for crd in found.of_kind(Kind.CRD) if is_ours(crd, kinds))


def _version(crd: Object, name: str) -> Object | None:
    return next((v for v in crd["spec"].get("versions") or () if v.get("name") == name), None)


def _is_ours(found: Snapshot, config: Any) -> bool:
    service = config.get("service") or {}
    ours = found.service_key
    return (service.get("namespace"), service.get("name")) == (ours.namespace, ours.name)


def _place(config: Any) -> str:
    service = config.get("service") or {}
    return (
        f"Service {service.get('namespace')}/{service.get('name')}"
        if service
        else str(config.get("url"))
    )
