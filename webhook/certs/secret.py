"""How a keyring lies in a Secret: read with every part judged, written whole."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import TYPE_CHECKING, Any

from webhook.certs.authority import Authority
from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.chain import certificates
from webhook.certs.keyring import Keyring, Phase, joined

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from webhook.certs.cluster import Object

LEAF, TRUST = ("tls.crt", "tls.key"), "ca.crt"
SIGNER, UPCOMING = ("signing-ca.crt", "signing-ca.key"), ("next-ca.crt", "next-ca.key")
KEYS = frozenset({*LEAF, TRUST, *SIGNER, *UPCOMING})
PHASE = "guard.skyhook.nvidia.com/rotation-phase"
SINCE = "guard.skyhook.nvidia.com/rotation-since"
LABELS = {
    "app.kubernetes.io/name": "skyhook-webhook",
    "app.kubernetes.io/component": "certificates",
}


def keyring_of(
    secret: Object, names: tuple[str, ...], *, now: datetime, leaf_life: timedelta
) -> tuple[Keyring, str | None]:
    """The keyring in a Secret, and what was wrong with what had to be mended in it.

    A bad leaf is signed anew by the same CA, a bad `ca.crt` is put together again: no call fails.

    Raises:
        CertError: the CA itself can't be used, so nothing can.
    """
    data = decoded(secret)
    signer = Authority.load(data.get(SIGNER[0], b""), data.get(SIGNER[1], b""), now=now)
    upcoming = None
    if data.get(UPCOMING[0]) or data.get(UPCOMING[1]):
        upcoming = Authority.load(data.get(UPCOMING[0], b""), data.get(UPCOMING[1], b""), now=now)
    trust, trust_fault = _trust(data.get(TRUST, b""), signer, upcoming)
    leaf, leaf_fault = _leaf(data, signer, names, now=now, life=leaf_life)
    phase, since, phase_fault = _phase(secret, trust, upcoming, now)
    keyring = Keyring(phase, since, trust, signer, leaf.with_ca(trust), upcoming)
    return keyring, trust_fault or leaf_fault or phase_fault


def secret_of(name: str, keyring: Keyring, over: Object | None = None) -> Object:
    """The Secret for a keyring; over an existing one, whose other metadata and version stay."""
    before: dict[str, Any] = over or {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/tls",
        "metadata": {"name": name, "labels": dict(LABELS)},
    }
    metadata = before["metadata"]
    annotations = {PHASE: str(keyring.phase), SINCE: keyring.since.isoformat()}
    annotations = (metadata.get("annotations") or {}) | annotations
    return {
        **before,
        "metadata": {**metadata, "annotations": annotations},
        "data": {key: base64.b64encode(part).decode("ascii") for key, part in _parts(keyring)},
    }


def foreign(secret: Object) -> str | None:
    """Who else owns a Secret of our name, or None; an empty one, or one with our keys, is ours."""
    metadata: dict[str, Any] = secret["metadata"]
    for annotation in metadata.get("annotations") or {}:
        if annotation.startswith("cert-manager.io/"):
            return f"cert-manager keeps it ({annotation}); use --cert-dir or another name"
    if secret.get("immutable"):
        return "it is immutable"
    if others := sorted(set(secret.get("data") or {}) - KEYS):
        return f"it holds {', '.join(others[:3])}"
    return None


def decoded(secret: Object) -> dict[str, bytes]:
    """The Secret's data; b"" for a value that is not base64."""
    data = {}
    for key, value in (secret.get("data") or {}).items():
        try:
            data[key] = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            data[key] = b""
    return data


def _trust(pem: bytes, signer: Authority, upcoming: Authority | None) -> tuple[bytes, str | None]:
    needed = joined(signer.cert_pem, upcoming.cert_pem if upcoming else b"")
    try:
        trust = joined(pem, needed)
    except CertError as error:
        return needed, str(error)
    return trust, (None if trust == pem else "ca.crt does not hold what it should")


def _leaf(
    data: Mapping[str, bytes],
    signer: Authority,
    names: tuple[str, ...],
    *,
    now: datetime,
    life: timedelta,
) -> tuple[CertBundle, str | None]:
    """The stored leaf, or one that the same CA signs in its place, and why."""
    try:
        bundle = CertBundle.load(
            data.get(LEAF[0], b""), data.get(LEAF[1], b""), signer.cert_pem, now=now
        )
    except CertError as error:
        return signer.sign(names, now=now, life=life), str(error)
    present = bundle.names
    if set(names) <= set(present):
        return bundle, None
    # Both sets: a replica of another release that asks for its own names must not undo ours.
    both = tuple(dict.fromkeys((*names, *present)))
    fault = "certificate lacks names of the Service"
    return signer.sign(both, now=now, life=life), fault


def _phase(
    secret: Object, trust: bytes, upcoming: Authority | None, now: datetime
) -> tuple[Phase, datetime, str | None]:
    """The phase as annotated, where the rest of the Secret allows it; else the safest one."""
    annotations = secret["metadata"].get("annotations") or {}
    fault = None
    try:
        phase, since = Phase(annotations[PHASE]), datetime.fromisoformat(annotations[SINCE])
        since = since if since.tzinfo else since.replace(tzinfo=now.tzinfo)
    except (KeyError, ValueError):
        phase, since, fault = Phase.SERVING, now, "rotation annotations are missing or unreadable"
    if upcoming is not None:
        phase = Phase.PUBLISHING
    elif len(certificates(trust, "CA")) == 1:
        phase = Phase.STEADY
    elif phase is not Phase.RETIRING:
        phase = Phase.SERVING
    return phase, since, fault


def _parts(keyring: Keyring) -> list[tuple[str, bytes]]:
    parts = [
        (LEAF[0], keyring.leaf.cert_pem),
        (LEAF[1], keyring.leaf.key_pem),
        (TRUST, keyring.trust),
        (SIGNER[0], keyring.signer.cert_pem),
        (SIGNER[1], keyring.signer.key_pem),
    ]
    if keyring.upcoming is not None:
        parts += [(UPCOMING[0], keyring.upcoming.cert_pem), (UPCOMING[1], keyring.upcoming.key_pem)]
    return parts
