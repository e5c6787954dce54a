from __future__ import annotations

import copy

import pytest

from tests.certs.fake_cluster import NAMESPACE, SERVICE
from tests.certs.objects import bundles, crd, mutating, validating, with_bundle
from webhook.certs.cabundle import ServiceKey, applied, entries, unpublished
from webhook.certs.cluster import Kind

KEY = ServiceKey(NAMESPACE, SERVICE)
MAKERS = [(Kind.VALIDATING, validating), (Kind.MUTATING, mutating), (Kind.CRD, crd)]
IDS = [str(kind) for kind, _ in MAKERS]


def stored(obj):
    return {**obj, "metadata": {**obj["metadata"], "uid": "u1", "resourceVersion": "1"}}


@pytest.mark.parametrize(("kind", "make"), MAKERS, ids=IDS)
def test_entries_are_found_by_service_and_not_by_place(kind, make):
    webhooks = {
        Kind.VALIDATING: [
            "validate-node.guard.skyhook.nvidia.com",
            "validate-status.guard.skyhook.nvidia.com",
        ],
        Kind.MUTATING: ["mutate-conditions.guard.skyhook.nvidia.com"],
        Kind.CRD: [""],
    }[kind]
    assert [entry.webhook for entry in entries(kind, make(), KEY)] == webhooks
    assert entries(kind, make(), ServiceKey(NAMESPACE, "another")) == ()


@pytest.mark.parametrize(("kind", "make"), MAKERS, ids=IDS)
def test_the_apply_names_only_ca_bundles_of_ours(kind, make):
    body = applied(kind, stored(make()), KEY, b"CA")
    assert body["metadata"] == {"name": make()["metadata"]["name"], "uid": "u1"}
    config = {"caBundle": "Q0E="}
    if kind is Kind.CRD:
        assert body["spec"] == {"conversion": {"webhook": {"clientConfig": config}}}
        assert set(body) == {"apiVersion", "kind", "metadata", "spec"}
    else:
        expected = [
            {"name": entry.webhook, "clientConfig": config} for entry in entries(kind, make(), KEY)
        ]
        assert body["webhooks"] == expected
        assert set(body) == {"apiVersion", "kind", "metadata", "webhooks"}


@pytest.mark.parametrize(("kind", "make"), MAKERS, ids=IDS)
def test_a_right_one_needs_no_apply(kind, make):
    assert applied(kind, stored(with_bundle(make(), b"CA")), KEY, b"CA") is None


@pytest.mark.parametrize("wrong", [None, b"", b"\n", b"OTHER", b"CACA"])
@pytest.mark.parametrize(("kind", "make"), MAKERS, ids=IDS)
def test_every_wrong_one_does(kind, make, wrong):
    assert applied(kind, stored(with_bundle(make(), wrong)), KEY, b"CA") is not None


def test_one_wrong_entry_names_all_of_ours_so_that_none_is_given_up():
    obj = with_bundle(validating(), b"CA")
    obj["webhooks"][3]["clientConfig"].pop("caBundle")
    body = applied(Kind.VALIDATING, stored(obj), KEY, b"CA")
    assert len(body["webhooks"]) == 2


def test_an_object_without_an_entry_of_ours_needs_nothing():
    obj = stored(validating())
    obj["webhooks"] = obj["webhooks"][:1]
    assert applied(Kind.VALIDATING, obj, KEY, b"CA") is None
    none = copy.deepcopy(crd())
    none["spec"]["conversion"] = {"strategy": "None"}
    assert applied(Kind.CRD, stored(none), KEY, b"CA") is None
    del none["spec"]["conversion"]
    assert entries(Kind.CRD, none, KEY) == ()


def test_a_url_is_not_our_service():
    obj = mutating()
    obj["webhooks"][0]["clientConfig"] = {"url": "https://127.0.0.1/mutate"}
    assert entries(Kind.MUTATING, obj, KEY) == ()
    assert entries(Kind.MUTATING, {"webhooks": None}, KEY) == ()


def test_unpublished_asks_for_every_ca_and_allows_more(make_authority):
    one, other = make_authority().cert_pem, make_authority().cert_pem
    obj = with_bundle(mutating(), other + one)
    assert not unpublished(Kind.MUTATING, obj, KEY, one)
    assert not unpublished(Kind.MUTATING, obj, KEY, one + other)
    for wrong in (None, b"", b"Cg==", other):
        assert unpublished(Kind.MUTATING, with_bundle(mutating(), wrong), KEY, one)
    assert not unpublished(Kind.MUTATING, {"webhooks": []}, KEY, one)


def test_a_crd_without_a_bundle_holds_nothing_up_and_a_wrong_one_does(make_authority):
    one, other = make_authority().cert_pem, make_authority().cert_pem
    assert not unpublished(Kind.CRD, crd(), KEY, one)
    assert unpublished(Kind.CRD, with_bundle(crd(), other), KEY, one)
    assert bundles(crd()) == {}
