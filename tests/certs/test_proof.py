"""A pair proven by a handshake is one that the full check takes; whatever is odd is left to that check."""

from __future__ import annotations

import resource
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from webhook.certs.authority import LEAF_LIFE
from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.chain import check_pair
from webhook.certs.development import ensure_development_certificate
from webhook.certs.proof import proven


def test_a_good_pair_is_proven_with_the_dates_that_cryptography_reads(
    clock, make_bundle, make_authority
):
    old, new = make_authority("old"), make_authority("new")
    bundle = make_bundle(new)
    for ca in (b"", bundle.ca_pem, old.cert_pem + bundle.ca_pem, bundle.cert_pem):
        pair = bundle.cert_pem, bundle.key_pem, ca, clock.now()
        assert proven(*pair) == check_pair(*pair) == (bundle.not_before, bundle.not_after)


@pytest.mark.parametrize("seconds", [-3600, -1, 0, 1])
def test_the_dates_are_held_against_the_clock_that_is_given(clock, make_bundle, seconds):
    bundle = make_bundle()
    end = bundle.not_after + timedelta(seconds=seconds)
    found = proven(bundle.cert_pem, bundle.key_pem, b"", end)
    assert (found is not None) == (seconds < 0)
    assert proven(bundle.cert_pem, bundle.key_pem, b"", bundle.not_before - LEAF_LIFE) is None


def test_a_ca_that_is_over_before_its_leaf_proves_nothing(clock, make_authority, make_bundle):
    ca = make_authority(life=timedelta(hours=1))
    bundle = make_bundle(ca)
    later = clock.now() + timedelta(hours=2)
    pair = bundle.cert_pem, bundle.key_pem, bundle.ca_pem
    assert proven(*pair, clock.now()) is not None
    assert proven(*pair, later) is None
    with pytest.raises(CertError):
        check_pair(*pair, later)


def odd_pairs(one, other):
    yield "another key", (one.cert_pem, other.key_pem, one.ca_pem)
    yield "another CA", (one.cert_pem, one.key_pem, other.ca_pem)
    yield "a broken CA", (one.cert_pem, one.key_pem, one.ca_pem[:100])
    yield "half a certificate", (one.cert_pem[:200], one.key_pem, one.ca_pem)
    yield "half a key", (one.cert_pem, one.key_pem[:100], one.ca_pem)
    yield "nothing", (b"", b"", b"")
    yield "the key for a CA", (one.cert_pem, one.key_pem, one.key_pem)
    yield "no text", (b"\xff", one.key_pem, one.ca_pem)


def test_what_the_full_check_refuses_is_never_proven(clock, make_bundle):
    for name, pair in odd_pairs(make_bundle(), make_bundle()):
        assert proven(*pair, clock.now()) is None, name
        with pytest.raises(CertError):
            CertBundle.load(*pair, now=clock.now())


def test_half_a_certificate_behind_the_ca_is_left_to_the_full_check(clock, make_bundle):
    one, other = make_bundle(), make_bundle()
    pair = one.cert_pem, one.key_pem, one.ca_pem + other.ca_pem[:100]
    assert proven(*pair, clock.now()) is None
    assert CertBundle.load(*pair, now=clock.now()).not_after == one.not_after


def test_a_key_that_lacks_any_one_line_is_never_proven(clock, make_bundle):
    bundle = make_bundle()
    lines = bundle.key_pem.splitlines(keepends=True)
    for number in range(len(lines)):
        key = b"".join(lines[:number] + lines[number + 1 :])
        assert proven(bundle.cert_pem, key, bundle.ca_pem, clock.now()) is None


def test_without_a_descriptor_the_full_check_decides(clock, make_bundle):
    """An OSError would end whoever follows a folder, and with several workers for good."""
    bundle = make_bundle()
    make_bundle()  # the last pair that was proven is remembered
    pair = bundle.cert_pem, bundle.key_pem, bundle.ca_pem
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        found, loaded = proven(*pair, clock.now()), CertBundle.load(*pair, now=clock.now())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert found is None
    assert loaded.not_after == bundle.not_after


def test_a_folder_with_a_good_pair_is_served_without_cryptography(tmp_path, clock):
    ensure_development_certificate(tmp_path, now=clock.now())
    code = (
        "import asyncio, sys; from datetime import UTC, datetime; from pathlib import Path\n"
        "from webhook.certs.development import ensure_development_certificate\n"
        "from webhook.certs.folder import FolderSource\n"
        "from webhook.certs.serving import ServingContext, client_context\n"
        "folder = Path(sys.argv[1])\n"
        "ensure_development_certificate(folder, now=datetime.now(UTC))\n"
        "bundle = asyncio.run(anext(FolderSource(folder).bundles()))\n"
        "ServingContext(client_ca_pem=bundle.ca_pem).swap(bundle); client_context(bundle.ca_pem)\n"
        "sys.exit('cryptography' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=root)
