"""Checks of certificates: what replicas show, what the Service is called, and what caBundles verify."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.cabundle import applied, entries
from webhook.certs.cluster import Kind
from webhook.certs.keeper import FIELD_MANAGER
from webhook.certs.secret import PHASE, SINCE, TRUST
from webhook.doctor import leaf
from webhook.doctor.diagnosis import Apply, Diagnosis, Level
from webhook.doctor.snapshot import named
from webhook.manifests.options import NAME, Tls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.doctor.snapshot import Object, Snapshot

SOON: Final = timedelta(days=14)
LONG_ROTATION: Final = timedelta(hours=2)
_RESTART: Final = "a replica makes it anew: kubectl rollout restart deployment"


def secret(found: Snapshot) -> Iterator[Diagnosis]:
    """The Secret is there, and its key, leaf and CA belong together."""
    stored = found.secret()
    if stored is None:
        deployment = found.ours("Deployment")
        if deployment is not None and "Secret" not in found.unread:
            message = "the Secret of its certificate is not there"
            yield Diagnosis("secret", Level.ERROR, named(deployment), message, _made_by(found))
        return
    data = _data(stored)
    try:
        CertBundle.load(
            data.get("tls.crt", b""), data.get("tls.key", b""), data.get(TRUST, b""), now=found.now
        )
    except CertError as error:
        yield Diagnosis("secret", Level.ERROR, named(stored), str(error), _made_by(found))


def expiry(found: Snapshot) -> Iterator[Diagnosis]:
    """No leaf is near its end: it should have been renewed a third of its life before."""
    for about, pem in _leaves(found):
        try:
            end = leaf.ends(pem)
        except CertError:
            continue  # the check of the Secret says so
        if found.now < end <= found.now + SOON:
            message = (
                f"the certificate is over at {end:%Y-%m-%dT%H:%M:%SZ} and has not been renewed"
            )
            yield Diagnosis(
                "expiry", Level.WARNING, about, message, "the log of a replica says why"
            )


def service_names(found: Snapshot) -> Iterator[Diagnosis]:
    """Each leaf is valid for the name by which the API server calls the Service."""
    wanted = f"{NAME}.{found.namespace}.svc"
    for about, pem in _leaves(found):
        try:
            present = leaf.names(pem)
        except CertError:
            continue
        if wanted not in present:
            message = f"the certificate is not valid for {wanted}, only for {', '.join(present[:4]) or 'nothing'}"
            yield Diagnosis("service-names", Level.ERROR, about, message, _made_by(found))


def ca_bundles(found: Snapshot) -> Iterator[Diagnosis]:
    """Each caBundle verifies each leaf that is shown."""
    for kind in (Kind.VALIDATING, Kind.MUTATING):
        stored = found.ours(kind)
        if stored is not None:
            yield from _bundle_faults(found, kind, stored)


def bundle_faults(found: Snapshot, ca_pem: bytes) -> list[str]:
    """What is wrong with a caBundle, for each leaf that is shown."""
    if not ca_pem.strip():
        return ["the caBundle is empty"]
    shown = ((about, leaf.fault(pem, ca_pem, found.now)) for about, pem in _leaves(found))
    return [f"the caBundle does not verify {about}: {why}" for about, why in shown if why]


def _bundle_fix(found: Snapshot, kind: Kind, stored: Object) -> Apply | None:
    """What writes the caBundles of ours alone, as the server itself would; None where nobody can say."""
    trusted = b""
    if found.tls is Tls.SELF_SIGNED and stored["metadata"].get("uid"):
        trusted = _data(found.secret() or {}).get(TRUST, b"")
    if not trusted:
        return None
    body = applied(kind, stored, found.service_key, trusted)
    return Apply(kind, body, FIELD_MANAGER) if body else None


def rotation(found: Snapshot) -> Iterator[Diagnosis]:
    """A rotation gets on."""
    stored = found.secret()
    if stored is None or found.tls is not Tls.SELF_SIGNED:
        return
    annotations = stored["metadata"].get("annotations") or {}
    phase, since = annotations.get(PHASE, "steady"), annotations.get(SINCE, "")
    try:
        begun = datetime.fromisoformat(since)
        waited = found.now - begun
    except (ValueError, TypeError):
        return
    if phase != "steady" and waited > LONG_ROTATION:
        hours = int(waited.total_seconds() // 3600)
        message = (
            f"the rotation has been {phase} for {hours} h: it waits for an object or a replica"
        )
        remedy = "the log of a replica names it; so does skyhook_webhook_rotation_held"
        yield Diagnosis("rotation", Level.WARNING, named(stored), message, remedy)


def _bundle_faults(found: Snapshot, kind: Kind, stored: Object) -> Iterator[Diagnosis]:
    fix = _bundle_fix(found, kind, stored)
    seen = False
    for entry in entries(kind, stored, found.service_key):
        for fault in bundle_faults(found, entry.ca_pem):
            seen = True
            message = f"{entry.webhook}: {fault}; every call fails, and is let through"
            yield Diagnosis(
                "ca-bundle", Level.ERROR, named(stored), message, _written_by(found), fix
            )
    if fix is not None and not seen:
        message = "a caBundle holds other CAs than the Secret; it works now"
        yield Diagnosis("ca-bundle", Level.WARNING, named(stored), message, _written_by(found), fix)


def _leaves(found: Snapshot) -> Iterator[tuple[str, bytes]]:
    """What replicas show; where none could be dialled, what they have to show."""
    if found.leaves:
        yield from ((f"replica {name}", pem) for name, pem in sorted(found.leaves.items()))
        return
    stored = found.secret()
    pem = _data(stored or {}).get("tls.crt", b"")
    if stored is not None and pem.strip():
        yield named(stored), pem


def _data(stored: Object) -> dict[str, bytes]:
    return {key: leaf.decoded(value) for key, value in (stored.get("data") or {}).items()}


def _made_by(found: Snapshot) -> str:
    if found.tls is Tls.SELF_SIGNED:
        return _RESTART
    if found.tls is Tls.CERT_MANAGER:
        return f"kubectl -n {found.namespace} describe certificate {NAME}"
    return "whoever fills the Secret has to put it right"


def _written_by(found: Snapshot) -> str:
    if found.tls is Tls.SELF_SIGNED:
        return "--fix writes it, as a running replica does"
    if found.tls is Tls.CERT_MANAGER:
        return "the log of cert-manager's cainjector says why it does not write it"
    return "whoever writes the caBundles has to put it right"
