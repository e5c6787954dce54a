"""The CRD overlay: added, switched on and off, and put back to what it was."""

from __future__ import annotations

import copy
import json
from functools import cache

import pytest
import yaml

from tests.conftest import ROOT
from webhook.conversions.crd import CrdError, add_spoke, remove_spoke, serve_spoke, service_config

KINDS = {("skyhook.nvidia.com", "Skyhook"), ("nodewright.nvidia.com", "NodeWright")}
CONFIG = service_config("skyhook-webhook", "skyhook-webhook")
CHARTS = {  # as upstream's charts have them
    "0.15": {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {"name": "skyhook-operator-webhook-service", "namespace": "skyhook", "path": "/convert"}},
            "conversionReviewVersions": ["v1"],
        },
    },
    "nodewright": None,
    "cluster": {"strategy": "None"},
}  # fmt: skip


@cache
def read() -> dict:
    return yaml.safe_load((ROOT / "manifests" / "crds" / "skyhooks.yaml").read_text())


def crd(chart: str = "0.15") -> dict:
    found = copy.deepcopy(read())
    if CHARTS[chart] is not None:
        found["spec"]["conversion"] = copy.deepcopy(CHARTS[chart])
    found["metadata"]["labels"] = {"app.kubernetes.io/managed-by": "Helm"}
    return found


def versions(found: dict) -> dict[str, tuple[bool, bool]]:
    return {v["name"]: (v["served"], v["storage"]) for v in found["spec"]["versions"]}


def test_the_second_version_is_the_first_one_again_not_served_and_not_stored():
    found = add_spoke(crd(), CONFIG, KINDS)
    assert versions(found) == {"v1alpha1": (True, True), "v1beta1": (False, False)}
    hub, spoke = found["spec"]["versions"]
    same = ("name", "served", "storage")
    assert {k: v for k, v in hub.items() if k not in same} == {
        k: v for k, v in spoke.items() if k not in same
    }
    assert "deprecated" not in hub


def test_the_stanza_leads_to_us_and_holds_no_ca_bundle():
    stanza = add_spoke(crd(), CONFIG, KINDS)["spec"]["conversion"]
    assert stanza["strategy"] == "Webhook"
    assert stanza["webhook"]["conversionReviewVersions"] == ["v1"]
    assert stanza["webhook"]["clientConfig"] == {
        "service": {
            "name": "skyhook-webhook",
            "namespace": "skyhook-webhook",
            "path": "/convert",
            "port": 443,
        }
    }


@pytest.mark.parametrize("chart", CHARTS)
def test_removal_puts_everything_back(chart: str):
    before = crd(chart)
    untouched = copy.deepcopy(before)
    added = add_spoke(before, CONFIG, KINDS)
    assert before == untouched, "the argument was changed"
    assert remove_spoke(added) == before
    assert remove_spoke(serve_spoke(added)) == before


@pytest.mark.parametrize("chart", CHARTS)
def test_adding_twice_is_adding_once(chart: str):
    added = add_spoke(crd(chart), CONFIG, KINDS)
    assert add_spoke(added, CONFIG, KINDS) == added


def test_switching_on_and_off_changes_nothing_else():
    added = add_spoke(crd(), CONFIG, KINDS)
    served = serve_spoke(added)
    assert versions(served)["v1beta1"] == (True, False)
    assert serve_spoke(served, served=False) == added


def test_a_newer_chart_renews_the_schema_and_leaves_it_served():
    served = serve_spoke(add_spoke(crd(), CONFIG, KINDS))
    served["spec"]["versions"][0]["schema"] = {
        "openAPIV3Schema": {"type": "object", "description": "newer"}
    }
    renewed = add_spoke(served, CONFIG, KINDS)
    assert renewed["spec"]["versions"][1]["schema"] == served["spec"]["versions"][0]["schema"]
    assert versions(renewed)["v1beta1"] == (True, False)


def test_another_service_of_ours_keeps_the_memory_of_the_first_stanza():
    moved = add_spoke(add_spoke(crd(), CONFIG, KINDS), service_config("other", "ns"), KINDS)
    assert moved["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["name"] == "other"
    assert remove_spoke(moved) == crd()


def test_what_only_the_api_server_writes_is_left_out_of_manifests():
    live = crd()
    live["metadata"] |= {
        "uid": "u",
        "resourceVersion": "7",
        "generation": 2,
        "creationTimestamp": "t",
        "managedFields": [],
    }
    live["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    live["status"] = {"storedVersions": ["v1alpha1"]}
    assert remove_spoke(add_spoke(live, CONFIG, KINDS)) == crd()


def test_a_live_ca_bundle_survives_switching_on_but_is_not_ours_to_add():
    live = add_spoke(crd(), CONFIG, KINDS)
    live["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = "Q0E="
    assert serve_spoke(live)["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] == "Q0E="
    assert "caBundle" not in json.dumps(add_spoke(live, CONFIG, KINDS))
    assert remove_spoke(live) == crd()


def test_a_lost_memory_becomes_no_conversion():
    added = add_spoke(crd(), CONFIG, KINDS)
    del added["metadata"]["annotations"]
    assert remove_spoke(added)["spec"]["conversion"] == {"strategy": "None"}


@pytest.mark.parametrize("memory", ["", "{broken", "[]", "5"])
def test_a_memory_that_is_no_stanza_becomes_no_conversion(memory: str):
    added = add_spoke(crd(), CONFIG, KINDS)
    added["metadata"]["annotations"]["skyhook-webhook/previous-conversion"] = memory
    assert remove_spoke(added)["spec"]["conversion"] == {"strategy": "None"}


def stored_as_spoke() -> dict:
    added = add_spoke(crd(), CONFIG, KINDS)
    added["status"] = {"storedVersions": ["v1alpha1", "v1beta1"]}
    return added


def spoke_is_stored() -> dict:
    added = add_spoke(crd(), CONFIG, KINDS)
    for version in added["spec"]["versions"]:
        version["storage"] = not version["storage"]
    return added


def another_kind() -> dict:
    found = crd()
    found["spec"]["names"]["kind"] = "DeploymentPolicy"
    return found


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda: remove_spoke(stored_as_spoke()), "rewrite every object"),
        (lambda: remove_spoke(spoke_is_stored()), "rewrite every object"),
        (lambda: add_spoke(spoke_is_stored(), CONFIG, KINDS), "not the stored version"),
        (lambda: add_spoke(another_kind(), CONFIG, KINDS), "DeploymentPolicy of skyhook.nvidia.com"),
        (lambda: serve_spoke(crd()), r"^skyhooks\.skyhook\.nvidia\.com has no v1beta1; add it first$"),
        (lambda: serve_spoke(crd() | {"metadata": {}}), "^the CRD has no v1beta1"),
        (lambda: serve_spoke(add_spoke(crd("nodewright"), CONFIG, KINDS) | {"spec": crd("cluster")["spec"]}), "add it first"),
        (lambda: add_spoke({"kind": "Skyhook"}, CONFIG, KINDS), "not a CustomResourceDefinition"),
        (lambda: add_spoke(crd() | {"spec": {}}, CONFIG, KINDS), "no list of versions"),
        (lambda: add_spoke(crd() | {"metadata": None}, CONFIG, KINDS), "without metadata"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_with_the_way_out(change, why: str):
    with pytest.raises(CrdError, match=why):
        change()
