from __future__ import annotations

import base64
from datetime import timedelta

import pytest

from webhook.certs.authority import Authority
from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.keyring import CA_NAME, Keyring, Lives, Phase
from webhook.certs.secret import PHASE, SINCE, decoded, foreign, keyring_of, secret_of

LIVES = Lives()


@pytest.fixture
def fresh(clock, names):
    return Keyring.fresh(names, now=clock.now(), lives=LIVES)


@pytest.fixture
def read(clock, names):
    return lambda secret, names=names: keyring_of(
        secret, names, now=clock.now(), leaf_life=LIVES.leaf
    )


def b64(value: bytes) -> str:
    return base64.b64encode(value).decode()


@pytest.mark.parametrize("phase", list(Phase))
def test_a_keyring_comes_back_as_it_was(clock, names, fresh, read, phase):
    now = clock.now()
    publishing = fresh.rotating(now=now, lives=LIVES)
    serving = publishing.published(names, now=now, lives=LIVES)
    by_phase = {
        Phase.STEADY: fresh,
        Phase.PUBLISHING: publishing,
        Phase.SERVING: serving,
        Phase.RETIRING: serving.shown(now),
    }
    clock.time += timedelta(minutes=7)
    assert read(secret_of("s", by_phase[phase])) == (by_phase[phase], None)


def test_metadata_and_type_of_an_existing_secret_stay(fresh):
    over = {
        "metadata": {"name": "s", "resourceVersion": "7", "labels": {"a": "b"}, "annotations": {"c": "d"}},
        "type": "Opaque",
        "data": {"ca.crt": b64(b"old")},
        "unknownField": 1,
    }  # fmt: skip
    secret = secret_of("s", fresh, over)
    assert secret["type"] == "Opaque"
    assert secret["unknownField"] == 1
    assert secret["metadata"]["resourceVersion"] == "7"
    assert secret["metadata"]["labels"] == {"a": "b"}
    assert secret["metadata"]["annotations"]["c"] == "d"
    assert decoded(secret)["ca.crt"] == fresh.trust


# B47: the leaf is signed anew by the same CA, so nobody's trust changes.
@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("tls.key", b"", "private key is empty"),
        ("tls.crt", b"", "certificate is empty"),
        ("tls.key", None, "private key is empty"),
        ("tls.key", b"rubbish", "private key is not PEM"),
        ("tls.crt", b"-----BEGIN CERTIFICATE-----\nAA", "certificate is not PEM"),
        ("ca.crt", None, "ca.crt does not hold what it should"),
        ("ca.crt", b"Cg==", "CA is not PEM"),
    ],
)
def test_a_bad_leaf_or_ca_crt_is_mended_under_the_same_ca(
    clock, fresh, read, key, value, complaint
):
    secret = secret_of("s", fresh)
    secret["data"].pop(key)
    if value is not None:
        secret["data"][key] = b64(value)
    keyring, said = read(secret)
    assert complaint in said
    assert (keyring.signer, keyring.trust) == (fresh.signer, fresh.trust)
    leaf = keyring.leaf
    CertBundle.load(leaf.cert_pem, leaf.key_pem, fresh.trust, now=clock.now())
    assert read(secret_of("s", keyring, secret)) == (keyring, None)


def test_a_key_of_another_leaf_is_mended(clock, fresh, read, make_bundle):
    secret = secret_of("s", fresh)
    secret["data"]["tls.key"] = b64(make_bundle().key_pem)
    keyring, said = read(secret)
    assert "does not belong" in said
    assert keyring.trust == fresh.trust


def test_a_leaf_of_another_ca_is_mended(fresh, read, make_bundle):
    secret, other = secret_of("s", fresh), make_bundle()
    secret["data"] |= {"tls.crt": b64(other.cert_pem), "tls.key": b64(other.key_pem)}
    keyring, said = read(secret)
    assert "not signed by the CA" in said
    assert keyring.signer == fresh.signer


def test_an_expired_leaf_is_mended_and_an_expired_ca_is_not(clock, fresh, read):
    secret = secret_of("s", fresh)
    clock.time += LIVES.leaf
    keyring, said = read(secret)
    assert said.startswith("certificate expired")
    assert keyring.leaf.not_after > clock.now()
    clock.time += LIVES.ca
    with pytest.raises(CertError, match="expired"):
        read(secret)


def test_a_renamed_service_gets_a_leaf_for_both_names(fresh, read, names):
    secret = secret_of("s", fresh)
    keyring, said = read(secret, ("new.ns.svc", "localhost"))
    assert said == "certificate lacks names of the Service"
    again = secret_of("s", keyring, secret)
    # The replica that still asks for the old names is content: they do not fight.
    assert read(again, names) == (keyring, None)
    assert read(again, ("new.ns.svc", "localhost")) == (keyring, None)


@pytest.mark.parametrize(
    "damage",
    [
        {},
        {"signing-ca.key": b""},
        {"signing-ca.crt": b"rubbish"},
        {"signing-ca.key": b"rubbish"},
        {"next-ca.crt": b"rubbish", "next-ca.key": b"rubbish"},
        {"next-ca.key": b"alone"},
    ],
    ids=["empty", "no signing key", "bad signing cert", "bad signing key", "bad next", "half next"],
)
def test_without_a_ca_that_can_sign_nothing_can_be_used(fresh, read, damage):
    secret = secret_of("s", fresh)
    if damage:
        secret["data"] |= {key: b64(value) for key, value in damage.items()}
    else:
        secret["data"] = None
    with pytest.raises(CertError):
        read(secret)


def test_a_signing_key_of_another_ca_is_refused(clock, fresh, read):
    secret = secret_of("s", fresh)
    secret["data"]["signing-ca.key"] = b64(Authority.make(CA_NAME, now=clock.now()).key_pem)
    with pytest.raises(CertError, match="does not belong"):
        read(secret)


def test_lost_annotations_lead_to_the_safe_phase_and_are_written_again(clock, names, fresh, read):
    now = clock.now()
    publishing = fresh.rotating(now=now, lives=LIVES)
    retiring = publishing.published(names, now=now, lives=LIVES).shown(now)
    for before, after in (
        (fresh, Phase.STEADY),
        (publishing, Phase.PUBLISHING),
        (retiring, Phase.SERVING),
    ):
        secret = secret_of("s", before)
        for lost in (None, {}, {PHASE: "of-2031", SINCE: "?"}, {PHASE: "steady"}):
            secret["metadata"]["annotations"] = lost
            keyring, said = read(secret)
            assert (keyring.phase, keyring.since) == (after, clock.now())
            assert "annotations" in said


def test_a_ca_that_somebody_added_by_hand_is_dropped_only_by_a_rotation(
    fresh, read, make_authority
):
    secret, added = secret_of("s", fresh), make_authority().cert_pem
    secret["data"]["ca.crt"] = b64(fresh.trust + added)
    keyring, said = read(secret)
    assert said is None
    assert (keyring.phase, keyring.trust) == (Phase.SERVING, fresh.trust + added)


def test_who_else_may_own_the_secret(fresh):
    secret = secret_of("s", fresh)
    assert foreign(secret) is None
    assert foreign({"metadata": {}, "data": None}) is None
    assert "password" in foreign({"metadata": {}, "data": {"password": ""}})
    assert "immutable" in foreign({**secret, "immutable": True})
    managed = {"metadata": {"annotations": {"cert-manager.io/certificate-name": "c"}}, "data": {}}
    assert "cert-manager keeps it" in foreign(managed)


def test_data_that_is_not_base64_counts_as_empty():
    assert decoded({"data": {"a": "!!", "b": b64(b"x")}}) == {"a": b"", "b": b"x"}
