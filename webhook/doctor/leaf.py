"""What a certificate says: its names, and whether a bundle verifies it."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

from webhook.certs.bundle import CertError
from webhook.certs.chain import certificates, check_chain, check_dates

if TYPE_CHECKING:
    from datetime import datetime

_ALTERNATIVE_NAMES: Final = "2.5.29.17"


def names(cert_pem: bytes) -> tuple[str, ...]:
    """The subject alternative names of a leaf. Raises CertError."""
    leaf = certificates(cert_pem, "certificate")[0]
    try:
        extensions = list(leaf.extensions)
    except ValueError:
        return ()
    for extension in extensions:
        if extension.oid.dotted_string == _ALTERNATIVE_NAMES:
            return tuple(str(name.value) for name in extension.value)
    return ()


def ends(cert_pem: bytes) -> datetime:
    """When a leaf is over. Raises CertError."""
    return certificates(cert_pem, "certificate")[0].not_valid_after_utc


def fault(cert_pem: bytes, ca_pem: bytes, now: datetime) -> str | None:
    """Why a client that trusts `ca_pem` would refuse the leaf, or None."""
    try:
        chain = certificates(cert_pem, "certificate")
        check_dates(chain[0], now, "certificate")
        check_chain(chain, certificates(ca_pem, "caBundle"), now)
    except CertError as error:
        return str(error)
    return None


def decoded(value: str | None) -> bytes:
    """Base64, or b"" where it is none."""
    try:
        return base64.b64decode(value or "", validate=True)
    except (binascii.Error, ValueError):
        return b""
