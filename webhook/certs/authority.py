"""A CA and the leaves that it signs: EC P-256, back-dated, with the names of our Service."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.chain import certificates, check_dates

# An API server whose clock is behind ours must accept what we made a moment ago.
BACKDATED = timedelta(hours=1)
CA_LIFE = timedelta(days=730)
LEAF_LIFE = timedelta(days=90)
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


def service_names(
    service: str, namespace: str, *, domain: str = "cluster.local"
) -> tuple[str, ...]:
    """Every name by which a Service is called from inside the cluster, and this host's own.

    API servers dial `<service>.<namespace>.svc` (k8s.io/apiserver, `webhook.ClientManager`).
    """
    inside = f"{service}.{namespace}.svc"
    return (service, f"{service}.{namespace}", inside, f"{inside}.{domain}", *LOCAL_NAMES)


@dataclass(frozen=True, slots=True)
class Authority:
    """A CA that can sign: its certificate and its private key, both PEM."""

    cert_pem: bytes = field(repr=False)
    key_pem: bytes = field(repr=False)
    not_before: datetime
    not_after: datetime

    @classmethod
    def make(cls, name: str, *, now: datetime, life: timedelta = CA_LIFE) -> Authority:
        """A new CA called `name` plus a part of its key's digest, so that two never share a subject."""
        key = ec.generate_private_key(ec.SECP256R1())
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        subject = _subject(f"{name} {identifier.digest.hex()[:8]}")
        certificate = (
            _builder(key.public_key(), subject, subject, now - BACKDATED, now + life)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .add_extension(identifier, critical=False)
            .sign(key, hashes.SHA256())
        )
        return cls._of(certificate, _key_pem(key))

    @classmethod
    def load(cls, cert_pem: bytes, key_pem: bytes, *, now: datetime) -> Authority:
        """A CA read back.

        Raises:
            CertError: it can't be read, can't sign, is over, or the key belongs to another.
        """
        CertBundle.load(cert_pem, key_pem, now=now)
        certificate = certificates(cert_pem, "CA")[0]
        try:
            constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
        except (x509.ExtensionNotFound, ValueError):
            raise CertError("CA certificate has no basic constraints") from None
        if not constraints.value.ca:
            raise CertError("CA certificate is not a CA")
        if not isinstance(certificate.public_key(), ec.EllipticCurvePublicKey):
            raise CertError("CA key is not an elliptic curve key: not one of ours")
        return cls._of(certificate, key_pem)

    def sign(
        self, names: tuple[str, ...], *, now: datetime, life: timedelta = LEAF_LIFE
    ) -> CertBundle:
        """A new key and a server certificate for `names` (DNS names and IP addresses).

        Never outlives the CA.

        Raises:
            CertError: the CA is over.
        """
        ca = certificates(self.cert_pem, "CA")[0]
        check_dates(ca, now, "CA")
        key = ec.generate_private_key(ec.SECP256R1())
        until = min(now + life, self.not_after)
        certificate = (
            _builder(
                key.public_key(), _subject("skyhook-webhook"), ca.subject, now - BACKDATED, until
            )
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(list(map(_san, names))), critical=False)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .add_extension(_authority_identifier(ca), critical=False)
            .sign(_private_key(self.key_pem), hashes.SHA256())
        )
        pem = certificate.public_bytes(Encoding.PEM)
        return CertBundle.load(pem, _key_pem(key), self.cert_pem, now=now)

    @classmethod
    def _of(cls, certificate: x509.Certificate, key_pem: bytes) -> Authority:
        pem = certificate.public_bytes(Encoding.PEM)
        return cls(pem, key_pem, certificate.not_valid_before_utc, certificate.not_valid_after_utc)


def _builder(
    key: ec.EllipticCurvePublicKey,
    subject: x509.Name,
    issuer: x509.Name,
    start: datetime,
    end: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .serial_number(x509.random_serial_number())
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .not_valid_before(start)
        .not_valid_after(end)
    )


def _subject(name: str) -> x509.Name:
    # Common names end at 64 characters (RFC 5280, ub-common-name): Service names live in the SANs.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _san(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _authority_identifier(ca: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    identifier = ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier.value)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _private_key(pem: bytes) -> ec.EllipticCurvePrivateKey:
    key = load_pem_private_key(pem, password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise CertError("CA key is not an elliptic curve key: not one of ours")
    return key
