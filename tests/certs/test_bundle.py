from __future__ import annotations

import subprocess
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from webhook.certs.bundle import CertBundle, CertError


def test_a_whole_pair_loads_and_tells_its_dates(clock, make_authority, make_bundle):
    bundle = make_bundle(life=timedelta(days=7))
    again = CertBundle.load(bundle.cert_pem, bundle.key_pem, bundle.ca_pem, now=clock.now())
    assert again == bundle
    assert again.not_after == clock.now() + timedelta(days=7)
    assert again.not_before <= clock.now() - timedelta(minutes=5)
    assert len(again.fingerprint) == 64


def test_names_are_what_the_leaf_is_valid_for(clock, make_authority, make_bundle, names):
    assert set(make_bundle().names) == set(names)
    ca = make_authority()
    assert CertBundle.load(ca.cert_pem, ca.key_pem, now=clock.now()).names == ()


def test_repr_shows_no_key(make_bundle):
    bundle = make_bundle()
    assert "PRIVATE" not in repr(bundle)
    assert "BEGIN" not in f"{bundle!r} {bundle}"


def test_the_key_of_another_certificate_is_refused(clock, make_bundle):
    one, other = make_bundle(), make_bundle()
    with pytest.raises(CertError, match="does not belong"):
        CertBundle.load(one.cert_pem, other.key_pem, one.ca_pem, now=clock.now())


def test_a_leaf_of_another_ca_is_refused(clock, make_bundle):
    one, other = make_bundle(), make_bundle()
    with pytest.raises(CertError, match="not signed by the CA"):
        CertBundle.load(one.cert_pem, one.key_pem, other.ca_pem, now=clock.now())


def test_a_leaf_of_either_ca_of_an_overlap_is_accepted(clock, make_bundle):
    one, other = make_bundle(), make_bundle()
    CertBundle.load(one.cert_pem, one.key_pem, other.ca_pem + one.ca_pem, now=clock.now())


def test_no_ca_means_no_chain_to_check(clock, make_bundle):
    bundle = make_bundle()
    assert CertBundle.load(bundle.cert_pem, bundle.key_pem, now=clock.now()).ca_pem == b""


def test_a_self_signed_leaf_that_is_its_own_ca_is_accepted(clock, make_authority):
    # cert-manager's SelfSigned issuer puts the leaf itself into ca.crt.
    ca = make_authority()
    CertBundle.load(ca.cert_pem, ca.key_pem, ca.cert_pem, now=clock.now())


def test_an_expired_certificate_is_refused(clock, make_bundle):
    bundle = make_bundle(life=timedelta(days=1))
    later = clock.now() + timedelta(days=1)
    with pytest.raises(CertError, match="certificate expired at"):
        CertBundle.load(bundle.cert_pem, bundle.key_pem, bundle.ca_pem, now=later)


def test_an_expired_ca_is_refused(clock, make_authority, make_bundle):
    ca = make_authority(life=timedelta(days=1))
    leaf = make_bundle(ca)
    with pytest.raises(CertError, match="expired"):
        CertBundle.load(
            leaf.cert_pem, leaf.key_pem, leaf.ca_pem, now=clock.now() + timedelta(days=2)
        )


def test_a_clock_five_minutes_behind_the_issuer_is_no_reason_to_refuse(clock, make_bundle):
    bundle = make_bundle()
    start = bundle.not_before
    CertBundle.load(bundle.cert_pem, bundle.key_pem, now=start - timedelta(minutes=5))
    with pytest.raises(CertError, match="not valid before"):
        CertBundle.load(bundle.cert_pem, bundle.key_pem, now=start - timedelta(minutes=6))


@pytest.mark.parametrize("empty", [b"", b"\n  \n"])
def test_an_empty_part_is_named(clock, make_bundle, empty):
    bundle = make_bundle()
    with pytest.raises(CertError, match="private key is empty"):
        CertBundle.load(bundle.cert_pem, empty, bundle.ca_pem, now=clock.now())
    with pytest.raises(CertError, match="certificate is empty"):
        CertBundle.load(empty, bundle.key_pem, bundle.ca_pem, now=clock.now())


def test_every_cut_of_a_pair_is_a_cert_error(clock, make_bundle):
    # A half-written file may end anywhere.
    bundle = make_bundle()
    for length in range(0, len(bundle.cert_pem) - 2, 7):
        with pytest.raises(CertError):
            CertBundle.load(bundle.cert_pem[:length], bundle.key_pem, now=clock.now())
    for length in range(0, len(bundle.key_pem) - 2, 7):
        with pytest.raises(CertError):
            CertBundle.load(bundle.cert_pem, bundle.key_pem[:length], now=clock.now())


def test_an_encrypted_key_is_refused_in_plain_words(clock, make_bundle):
    bundle = make_bundle()
    key = load_pem_private_key(bundle.key_pem, None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"pw"))
    with pytest.raises(CertError, match="encrypted"):
        CertBundle.load(bundle.cert_pem, locked, now=clock.now())


def test_a_key_of_another_kind_is_refused(clock, make_bundle):
    bundle = make_bundle()
    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    with pytest.raises(CertError, match="does not belong"):
        CertBundle.load(bundle.cert_pem, pem, now=clock.now())


def test_a_chain_over_an_intermediate_is_walked(clock, tmp_path, make_bundle):
    # Made by openssl, as somebody's own issuer would: root -> intermediate -> leaf of another kind.
    curve = ("ec", "-pkeyopt", "ec_paramgen_curve:P-384")

    def openssl(*args: str) -> None:
        subprocess.run(["openssl", *args], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "ca.ext").write_text("basicConstraints=critical,CA:true\n")
    (tmp_path / "leaf.ext").write_text("subjectAltName=DNS:a.b.svc\n")
    openssl("req", "-x509", "-newkey", *curve, "-nodes", "-keyout", "r.key", "-out", "r.crt",
            "-subj", "/CN=root", "-days", "9")  # fmt: skip
    for name, issuer, ext, key in (
        ("i", "r", "ca.ext", curve),
        ("l", "i", "leaf.ext", ("rsa:2048",)),
    ):
        openssl("req", "-new", "-newkey", *key, "-nodes", "-keyout", f"{name}.key",
                "-out", f"{name}.csr", "-subj", f"/CN={name}")  # fmt: skip
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.crt", "-CAkey",
                f"{issuer}.key", "-CAcreateserial", "-out", f"{name}.crt", "-days", "9",
                "-extfile", ext)  # fmt: skip
    root, middle, leaf, key = (
        (tmp_path / name).read_bytes() for name in ("r.crt", "i.crt", "l.crt", "l.key")
    )
    now = clock.now() + timedelta(minutes=1)
    CertBundle.load(leaf + middle, key, root, now=now)
    CertBundle.load(leaf, key, root + middle, now=now)
    with pytest.raises(CertError, match="not signed by the CA"):
        CertBundle.load(leaf, key, root, now=now)
    with pytest.raises(CertError, match="not signed by the CA"):
        CertBundle.load(leaf + middle, key, make_bundle().ca_pem, now=now)
