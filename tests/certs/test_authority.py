from __future__ import annotations

import subprocess
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from webhook.certs.authority import Authority, service_names
from webhook.certs.bundle import CertBundle, CertError


def extension(pem: bytes, kind):
    return x509.load_pem_x509_certificate(pem).extensions.get_extension_for_class(kind)


def test_sans_name_the_service_in_every_form_and_this_host(make_bundle):
    sans = extension(make_bundle().cert_pem, x509.SubjectAlternativeName).value
    inside = "skyhook-webhook.skyhook-webhook-system"
    assert sans.get_values_for_type(x509.DNSName) == [
        "skyhook-webhook",
        inside,
        f"{inside}.svc",
        f"{inside}.svc.cluster.local",
        "localhost",
    ]
    assert [str(ip) for ip in sans.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]


def test_the_cluster_domain_is_a_setting():
    assert "a.b.svc.corp.example" in service_names("a", "b", domain="corp.example")


def test_ca_and_leaf_are_apart_back_dated_and_p256(clock, make_bundle):
    bundle = make_bundle()
    leaf = x509.load_pem_x509_certificate(bundle.cert_pem)
    ca = x509.load_pem_x509_certificate(bundle.ca_pem)
    assert leaf != ca
    for certificate in (leaf, ca):
        assert certificate.not_valid_before_utc == clock.now() - timedelta(hours=1)
        assert isinstance(certificate.public_key(), ec.EllipticCurvePublicKey)
        assert certificate.public_key().curve.name == "secp256r1"


def test_the_ca_signs_and_the_leaf_serves(make_bundle):
    bundle = make_bundle()
    assert extension(bundle.ca_pem, x509.BasicConstraints).value.ca
    assert extension(bundle.ca_pem, x509.BasicConstraints).critical
    assert extension(bundle.ca_pem, x509.KeyUsage).value.key_cert_sign
    assert not extension(bundle.cert_pem, x509.BasicConstraints).value.ca
    assert not extension(bundle.cert_pem, x509.KeyUsage).value.key_cert_sign
    usage = extension(bundle.cert_pem, x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]


def test_a_leaf_never_outlives_its_ca(clock, make_authority, make_bundle):
    ca = make_authority(life=timedelta(days=3))
    assert make_bundle(ca, life=timedelta(days=90)).not_after == ca.not_after


def test_a_ca_that_is_over_signs_nothing(clock, make_authority, make_bundle):
    ca = make_authority(life=timedelta(days=3))
    clock.time += timedelta(days=3)
    with pytest.raises(CertError, match="CA expired"):
        make_bundle(ca)


def test_openssl_verifies_strictly_under_the_service_name(tmp_path, make_bundle):
    bundle = make_bundle()
    (tmp_path / "ca.crt").write_bytes(bundle.ca_pem)
    (tmp_path / "tls.crt").write_bytes(bundle.cert_pem)
    done = subprocess.run(
        ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname",
         "skyhook-webhook.skyhook-webhook-system.svc", "-CAfile", "ca.crt", "tls.crt"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "tls.crt: OK\n", done.stderr


def test_names_longer_than_a_common_name_are_no_obstacle(clock, make_authority):
    names = service_names("s" * 63, "n" * 63)
    sans = extension(
        make_authority("c" * 80).sign(names, now=clock.now()).cert_pem, x509.SubjectAlternativeName
    )
    assert f"{'s' * 63}.{'n' * 63}.svc" in sans.value.get_values_for_type(x509.DNSName)


def test_two_cas_of_one_name_have_two_subjects(make_authority):
    one, other = make_authority("same"), make_authority("same")
    subjects = {x509.load_pem_x509_certificate(ca.cert_pem).subject for ca in (one, other)}
    assert len(subjects) == 2


def test_a_ca_read_back_signs(clock, make_authority, names):
    ca = make_authority()
    again = Authority.load(ca.cert_pem, ca.key_pem, now=clock.now())
    assert again == ca
    assert again.sign(names, now=clock.now()).ca_pem == ca.cert_pem


def test_a_leaf_is_no_ca(clock, make_bundle):
    leaf = make_bundle()
    with pytest.raises(CertError, match="not a CA"):
        Authority.load(leaf.cert_pem, leaf.key_pem, now=clock.now())


def test_repr_of_a_ca_shows_no_key(make_authority):
    assert "PRIVATE" not in repr(make_authority())


def test_a_signed_bundle_is_one_that_loads(clock, make_bundle):
    bundle = make_bundle()
    CertBundle.load(bundle.cert_pem, bundle.key_pem, bundle.ca_pem, now=clock.now())
