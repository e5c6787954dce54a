"""Keys and certificates of one throw-away control plane, on 127.0.0.1 only."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from pathlib import Path

LIFETIME = timedelta(days=2)


def write_pki(folder: Path) -> None:
    """Writes ca.crt, serving.crt, serving.key and service-account.key into the folder."""
    ca_key, key = _new_key(), _new_key()
    ca = _certificate("control-plane-ca", ca_key.public_key(), "control-plane-ca", ca_key, ca=True)
    leaf = _certificate("kube-apiserver", key.public_key(), "control-plane-ca", ca_key, ca=False)
    for name, certificate in (("ca.crt", ca), ("serving.crt", leaf)):
        (folder / name).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    _write_key(folder / "serving.key", key)
    _write_key(folder / "service-account.key", _new_key())


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,  # the form a service account key must have
            serialization.NoEncryption(),
        )
    )


def _certificate(
    name: str,
    key: ec.EllipticCurvePublicKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    ca: bool,
) -> x509.Certificate:
    """A certificate with the extensions that strict verification asks for (RFC 5280)."""
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_common_name(name))
        .issuer_name(_common_name(issuer))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(_key_usage(ca=ca), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
            critical=False,
        )
    )
    if not ca:
        loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        names = x509.SubjectAlternativeName([loopback, x509.DNSName("localhost")])
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(names, critical=False).add_extension(usage, critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def _common_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _key_usage(*, ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not ca,
        key_cert_sign=ca,
        crl_sign=ca,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
