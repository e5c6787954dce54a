"""What TLS presents: a certificate, its key and the CA that vouches for it, checked as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

# A clock that is a few minutes behind the issuer's must not refuse a certificate that others accept.
CLOCK_SKEW = timedelta(minutes=5)


class CertError(Exception):
    """No usable certificate; the message says which part and why, never a key."""


@dataclass(frozen=True, slots=True)
class CertBundle:
    """A whole and checked set of TLS material; made by `CertBundle.load`.

    Attributes:
        cert_pem: the leaf first, then intermediates, as PEM.
        key_pem: the leaf's private key as PEM; never shown by `repr`.
        ca_pem: the certificates to trust, as PEM; empty when the source does not tell.
        not_before: start of the leaf's validity, aware.
        not_after: end of the leaf's validity, aware.
    """

    cert_pem: bytes = field(repr=False)
    key_pem: bytes = field(repr=False)
    ca_pem: bytes = field(repr=False)
    not_before: datetime
    not_after: datetime

    @classmethod
    def load(
        cls, cert_pem: bytes, key_pem: bytes, ca_pem: bytes = b"", *, now: datetime
    ) -> CertBundle:
        """Check that key and leaf match, that the leaf is valid now and that it chains to the CA.

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
        return cls(cert_pem, key_pem, ca_pem, leaf.not_valid_before_utc, leaf.not_valid_after_utc)

    def with_ca(self, ca_pem: bytes) -> CertBundle:
        """The same pair beside another set of trusted certificates."""
        return replace(self, ca_pem=ca_pem)

    @property
    def names(self) -> tuple[str, ...]:
        """The DNS names, then the IP addresses, that the leaf is valid for."""
        extensions = certificates(self.cert_pem, "certificate")[0].extensions
        try:
            sans = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except x509.ExtensionNotFound:
            return ()
        addresses = map(str, sans.get_values_for_type(x509.IPAddress))
        return (*sans.get_values_for_type(x509.DNSName), *addresses)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the leaf, lower-case hexadecimal: what a TLS dial is compared with."""
        return fingerprint(certificates(self.cert_pem, "certificate")[0])


class CertSource(Protocol):
    """Where bundles come from; whoever serves or publishes them only iterates."""

    def bundles(self) -> AsyncIterator[CertBundle]:
        """The bundle to serve now, as soon as there is one, then each new one until cancelled."""
        ...


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
