"""Certificates, keys and chains looked at one by one, with cryptography: what is wrong is named."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from webhook.certs.bundle import CertError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

# A clock that is a few minutes behind the issuer's must not refuse a certificate that others accept.
CLOCK_SKEW = timedelta(minutes=5)


def check_pair(
    cert_pem: bytes, key_pem: bytes, ca_pem: bytes, now: datetime
) -> tuple[datetime, datetime]:
    """The leaf's dates, once key and leaf match, the leaf is valid now and chains to the CA, if there is one.

    Raises:
        CertError: naming the first thing that is wrong.
    """
    chain = certificates(cert_pem, "certificate")
    leaf = chain[0]
    if _encoded(_private_public_key(key_pem)) != _encoded(leaf.public_key()):
        raise CertError("private key does not belong to the certificate")
    check_dates(leaf, now, "certificate")
    if ca_pem.strip():
        check_chain(chain, certificates(ca_pem, "CA"), now)
    return leaf.not_valid_before_utc, leaf.not_valid_after_utc


def names_of(cert_pem: bytes) -> tuple[str, ...]:
    """The DNS names, then the IP addresses, that a leaf is valid for. Raises CertError."""
    extensions = certificates(cert_pem, "certificate")[0].extensions
    try:
        sans = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    addresses = map(str, sans.get_values_for_type(x509.IPAddress))
    return (*sans.get_values_for_type(x509.DNSName), *addresses)


def certificates(pem: bytes, what: str) -> list[x509.Certificate]:
    """Every certificate in `pem`, in order, at least one; `what` names it in the error.

    Raises:
        CertError: there is none, or one of them can't be read.
    """
    if not pem.strip():
        raise CertError(f"{what} is empty")
    try:
        return x509.load_pem_x509_certificates(pem)
    except ValueError:
        raise CertError(f"{what} is not PEM that can be read") from None


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 of a certificate, lower-case hexadecimal."""
    return certificate.fingerprint(hashes.SHA256()).hex()


def check_dates(certificate: x509.Certificate, now: datetime, what: str) -> None:
    """Refuse a certificate that is over, or that starts later than a slow clock explains."""
    if now >= certificate.not_valid_after_utc:
        raise CertError(f"{what} expired at {_stamp(certificate.not_valid_after_utc)}")
    if now + CLOCK_SKEW < certificate.not_valid_before_utc:
        raise CertError(f"{what} is not valid before {_stamp(certificate.not_valid_before_utc)}")


def check_chain(
    chain: list[x509.Certificate], trusted: list[x509.Certificate], now: datetime
) -> None:
    """Walk from the leaf over the intermediates to a CA that is trusted and valid now.

    A leaf that is itself trusted (cert-manager's SelfSigned issuer) is a chain of length one.
    """
    seen = [chain[0]]
    while (current := seen[-1]) not in trusted:
        issuer = _issuer(current, (*trusted, *chain[1:]))
        if issuer is None or issuer in seen:
            raise CertError("certificate is not signed by the CA")
        seen.append(issuer)
    for certificate in seen[1:]:
        check_dates(certificate, now, "CA")


def _issuer(
    certificate: x509.Certificate, candidates: Iterable[x509.Certificate]
) -> x509.Certificate | None:
    for candidate in candidates:
        try:
            certificate.verify_directly_issued_by(candidate)
        except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
            continue
        return candidate
    return None


def _private_public_key(key_pem: bytes) -> PublicKeyTypes:
    if not key_pem.strip():
        raise CertError("private key is empty")
    try:
        return load_pem_private_key(key_pem, password=None).public_key()
    except TypeError:
        raise CertError("private key is encrypted; it has to be readable as it is") from None
    except (ValueError, UnsupportedAlgorithm):
        raise CertError("private key is not PEM that can be read") from None


def _encoded(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
