"""What TLS presents: a certificate, its key and the CA that vouches for it, checked as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from webhook.certs.proof import proven

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime


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
        dates = proven(cert_pem, key_pem, ca_pem, now)
        if dates is None:
            from webhook.certs.chain import check_pair

            dates = check_pair(cert_pem, key_pem, ca_pem, now)
        return cls(cert_pem, key_pem, ca_pem, *dates)

    def with_ca(self, ca_pem: bytes) -> CertBundle:
        """The same pair beside another set of trusted certificates."""
        return replace(self, ca_pem=ca_pem)

    @property
    def names(self) -> tuple[str, ...]:
        """The DNS names, then the IP addresses, that the leaf is valid for."""
        from webhook.certs.chain import names_of

        return names_of(self.cert_pem)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the leaf, lower-case hexadecimal: what a TLS dial is compared with."""
        from webhook.certs.chain import certificates, fingerprint

        return fingerprint(certificates(self.cert_pem, "certificate")[0])


class CertSource(Protocol):
    """Where bundles come from; whoever serves or publishes them only iterates."""

    def bundles(self) -> AsyncIterator[CertBundle]:
        """The bundle to serve now, as soon as there is one, then each new one until cancelled."""
        ...
