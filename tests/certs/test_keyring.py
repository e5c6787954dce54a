from __future__ import annotations

from datetime import timedelta

import pytest

from webhook.certs.authority import Authority
from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.chain import certificates
from webhook.certs.keyring import CA_NAME, Keyring, Lives, Phase, due, joined, ours

LIVES = Lives()


@pytest.fixture
def fresh(clock, names):
    return Keyring.fresh(names, now=clock.now(), lives=LIVES)


def sound(keyring: Keyring, now) -> None:
    """What holds in every phase: the leaf verifies with `trust`, and `signer` made it."""
    leaf = keyring.leaf
    assert leaf.ca_pem == keyring.trust
    CertBundle.load(leaf.cert_pem, leaf.key_pem, keyring.trust, now=now)
    CertBundle.load(leaf.cert_pem, leaf.key_pem, keyring.signer.cert_pem, now=now)


def test_a_fresh_one_is_steady_with_one_ca(clock, fresh):
    assert (fresh.phase, fresh.trust) == (Phase.STEADY, fresh.signer.cert_pem)
    sound(fresh, clock.now())


def test_a_rotation_overlaps_and_each_step_is_sound(clock, names, fresh):
    now = clock.now()
    publishing = fresh.rotating(now=now, lives=LIVES)
    assert publishing.phase is Phase.PUBLISHING
    assert (publishing.signer, publishing.leaf.cert_pem) == (fresh.signer, fresh.leaf.cert_pem)
    assert publishing.trust == fresh.trust + publishing.upcoming.cert_pem
    serving = publishing.published(names, now=now, lives=LIVES)
    assert (serving.phase, serving.signer) == (Phase.SERVING, publishing.upcoming)
    assert serving.trust == publishing.trust
    assert serving.leaf.cert_pem != fresh.leaf.cert_pem
    retiring = serving.shown(now)
    assert (retiring.phase, retiring.trust) == (Phase.RETIRING, publishing.trust)
    steady = retiring.retired(now)
    assert (steady.phase, steady.trust) == (Phase.STEADY, serving.signer.cert_pem)
    assert steady.leaf.cert_pem == serving.leaf.cert_pem
    for keyring in (publishing, serving, retiring, retiring.unshown(now), steady):
        sound(keyring, now)


def test_only_a_steady_keyring_begins_a_rotation(clock, names, fresh):
    publishing = fresh.rotating(now=clock.now(), lives=LIVES)
    serving = publishing.published(names, now=clock.now(), lives=LIVES)
    for keyring in (publishing, serving, serving.shown(clock.now())):
        assert keyring.rotating(now=clock.now(), lives=LIVES) is keyring


def test_two_thirds_of_a_life():
    from datetime import UTC, datetime

    start = datetime(2026, 1, 1, tzinfo=UTC)
    end = start + timedelta(days=90)
    assert not due(start, end, start + timedelta(days=60, seconds=-1))
    assert due(start, end, start + timedelta(days=60))


def test_a_leaf_is_renewed_by_the_same_ca_without_a_rotation(clock, names, fresh):
    clock.time += timedelta(days=61)
    renewed = fresh.renewed(names, now=clock.now(), lives=LIVES)
    assert renewed.leaf.not_after == clock.now() + LIVES.leaf
    assert (renewed.phase, renewed.signer, renewed.trust) == (
        Phase.STEADY,
        fresh.signer,
        fresh.trust,
    )
    sound(renewed, clock.now())


def test_nothing_is_renewed_before_its_time(clock, names, fresh):
    clock.time += timedelta(days=59)
    assert fresh.renewed(names, now=clock.now(), lives=LIVES) == fresh


def test_a_ca_at_two_thirds_begins_a_rotation_by_itself(clock, names, fresh):
    clock.time += LIVES.ca * 2 / 3
    renewed = fresh.renewed(names, now=clock.now(), lives=LIVES)
    assert renewed.phase is Phase.PUBLISHING
    sound(renewed, clock.now())


def test_a_leaf_is_renewed_in_every_phase(clock, names, fresh):
    keyring = fresh.rotating(now=clock.now(), lives=LIVES)
    clock.time += timedelta(days=61)
    renewed = keyring.renewed(names, now=clock.now(), lives=LIVES)
    assert renewed.leaf.cert_pem != keyring.leaf.cert_pem
    assert (renewed.phase, renewed.trust) == (Phase.PUBLISHING, keyring.trust)
    sound(renewed, clock.now())


def test_a_held_rotation_does_not_renew_the_leaf_for_ever(clock, names):
    """With the CA nearly over each leaf would end with it: no write per look."""
    lives = Lives(ca=timedelta(days=3), leaf=timedelta(days=2))
    keyring = Keyring.fresh(names, now=clock.now(), lives=lives)
    end = keyring.signer.not_after
    keyring = keyring.rotating(now=clock.now(), lives=lives)
    made = 0
    while clock.time < end - timedelta(minutes=10):
        clock.time += timedelta(minutes=10)
        renewed = keyring.renewed(names, now=clock.now(), lives=lives)
        made += renewed != keyring
        keyring = renewed
        sound(keyring, clock.now())
    assert made <= 3


def test_carried_cas_are_trusted_until_the_new_leaf_is_shown(clock, names, fresh):
    after = Keyring.fresh(names, now=clock.now(), carried=fresh.trust, lives=LIVES)
    assert after.phase is Phase.SERVING
    assert after.trust == fresh.trust + after.signer.cert_pem
    sound(after, clock.now())
    assert after.shown(clock.now()).retired(clock.now()).trust == after.signer.cert_pem


def test_trusting_a_ca_that_a_replica_still_serves_under(clock, names, fresh):
    other = Keyring.fresh(names, now=clock.now(), lives=LIVES)
    both = other.trusting(fresh.signer.cert_pem, clock.now())
    assert both.phase is Phase.SERVING
    assert both.trust == other.trust + fresh.trust
    assert both.trusting(fresh.signer.cert_pem, clock.now()) is both
    sound(both, clock.now())


def test_trusting_does_not_cut_a_publication_short(clock, names, fresh):
    publishing = fresh.rotating(now=clock.now(), lives=LIVES)
    other = Authority.make(CA_NAME, now=clock.now())
    both = publishing.trusting(other.cert_pem, clock.now())
    assert (both.phase, both.upcoming) == (Phase.PUBLISHING, publishing.upcoming)


def test_joined_keeps_each_certificate_once_and_nothing_else(clock, make_authority):
    one, other = make_authority().cert_pem, make_authority().cert_pem
    assert joined(one, b"# words\n" + one, b"", other) == one + other
    assert joined(b"", b"\n") == b""
    with pytest.raises(CertError):
        joined(one, b"rubbish")


def test_ours_are_cas_of_our_name_that_are_not_over(clock, make_authority):
    mine = [Authority.make(CA_NAME, now=clock.now()).cert_pem for _ in range(5)]
    short = Authority.make(CA_NAME, now=clock.now(), life=timedelta(days=1)).cert_pem
    foreign = make_authority("somebody else").cert_pem
    later = clock.now() + timedelta(days=2)
    assert ours(foreign + mine[0] + short + mine[1], later) == mine[0] + mine[1]
    assert len(certificates(ours(b"".join(mine), later), "CA")) == 3
    assert ours(b"", later) == b""
    assert ours(b"Cg==", later) == b""
