"""Which writes come to us: by what they change, at the version that is stored, and never to stop anybody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from tests.manifests.engine import OPTIONS
from webhook.catalog import PROFILES, Catalog, shipped
from webhook.certs.cabundle import ServiceKey, entries
from webhook.certs.cluster import Kind
from webhook.manifests.options import Tls
from webhook.manifests.webhooks import ManifestError, configurations
from webhook.server.certificates import CONFIGURATION, NAMESPACE

CONFIGURATIONS = configurations(Catalog.default(), OPTIONS)
WEBHOOKS = [webhook for obj in CONFIGURATIONS for webhook in obj["webhooks"]]
BY_ROLE = {webhook["name"].partition(".")[0]: webhook for webhook in WEBHOOKS}


def rules(role: str) -> list[dict[str, Any]]:
    return BY_ROLE[role]["rules"]


def test_the_roles_are_these_and_their_names_are_unique():
    assert list(BY_ROLE) == [
        "validate-spec",
        "validate-status",
        "validate-delete",
        "validate-node",
        "mutate-conditions",
    ]
    assert len({webhook["name"] for webhook in WEBHOOKS}) == len(WEBHOOKS)
    assert all(w["name"].endswith(".guard.skyhook.nvidia.com") for w in WEBHOOKS)


def test_our_mutating_configuration_is_called_after_the_operators():
    names = {obj["metadata"]["name"] for obj in CONFIGURATIONS}
    assert names == {"skyhook-webhook"}
    assert min(names) > "skyhook-operator-mutating-webhook"
    assert min(names) > "nodewright-mutating-webhook"


@pytest.mark.parametrize("webhook", WEBHOOKS, ids=lambda w: w["name"].partition(".")[0])
def test_the_fields_that_are_the_same_everywhere(webhook: dict[str, Any]):
    assert webhook["sideEffects"] == "None"
    assert webhook["admissionReviewVersions"] == ["v1"]
    assert webhook["matchPolicy"] == "Equivalent"
    assert webhook["timeoutSeconds"] == 3
    assert webhook["failurePolicy"] == "Ignore"
    assert "caBundle" not in webhook["clientConfig"]
    assert "namespaceSelector" not in webhook
    assert "objectSelector" not in webhook


@pytest.mark.parametrize("webhook", WEBHOOKS, ids=lambda w: w["name"].partition(".")[0])
def test_a_rule_names_the_stored_version_and_no_subresource_by_star(webhook: dict[str, Any]):
    for rule in webhook["rules"]:
        assert rule["apiVersions"] == (["v1"] if rule["apiGroups"] == [""] else ["v1alpha1"])
        assert not any("*" in resource for resource in rule["resources"])
        assert rule["scope"] == "Cluster"


def test_nothing_that_starts_us_is_ever_matched():
    """B60: Pods, Leases, Secrets, Events, namespaces; Nodes are updates only, so they can register."""
    matched = {
        (group, resource)
        for w in WEBHOOKS
        for r in w["rules"]
        for group in r["apiGroups"]
        for resource in r["resources"]
    }
    assert {resource for group, resource in matched if group == ""} == {"nodes", "nodes/status"}
    assert rules("validate-node")[0]["operations"] == ["UPDATE"]
    assert {group for group, _ in matched} == {"", "skyhook.nvidia.com", "nodewright.nvidia.com"}


@pytest.mark.parametrize("webhook", WEBHOOKS, ids=lambda w: w["name"].partition(".")[0])
def test_a_match_condition_never_asks_who_writes(webhook: dict[str, Any]):
    (condition,) = webhook["matchConditions"]
    for word in ("userInfo", "username", "groups", "authorizer", "managedFields"):
        assert word not in condition["expression"]


def test_only_spec_writes_may_be_made_to_wait_for_us():
    strict = configurations(Catalog.default(), replace(OPTIONS, fail_specs=True))
    failing = [w["name"] for obj in strict for w in obj["webhooks"] if w["failurePolicy"] == "Fail"]
    assert failing == ["validate-spec.guard.skyhook.nvidia.com"]


def test_status_of_what_has_conditions_is_mutated_and_nothing_else():
    named = [
        (rule["apiGroups"], rule["resources"], rule["operations"])
        for rule in rules("mutate-conditions")
    ]
    assert named == [
        (["skyhook.nvidia.com"], ["skyhooks/status"], ["UPDATE"]),
        (["nodewright.nvidia.com"], ["nodewrights/status"], ["UPDATE"]),
    ]
    assert BY_ROLE["mutate-conditions"]["reinvocationPolicy"] == "Never"
    assert BY_ROLE["mutate-conditions"]["clientConfig"]["service"]["path"] == "/mutate"


def test_the_new_group_alone_is_free_of_the_old_ones_rules_and_keys():
    text = str(configurations(Catalog.of([shipped("nodewright")]), OPTIONS))
    assert "nodewright.nvidia.com/" in text
    assert "'skyhook.nvidia.com'" not in text
    assert "'skyhook.nvidia.com/'" not in text


def test_every_further_profile_finds_its_writes():
    found = configurations(
        Catalog.of([shipped("cluster-api-machine"), shipped("olm-operatorcondition")]), OPTIONS
    )
    assert [obj["kind"] for obj in found] == ["ValidatingWebhookConfiguration"]
    spec, status = found[0]["webhooks"]
    assert spec["rules"][0]["resources"] == ["machines"]
    assert status["rules"][0] == {
        "apiGroups": ["cluster.x-k8s.io"],
        "apiVersions": ["v1beta2"],
        "resources": ["machines/status"],
        "operations": ["UPDATE"],
        "scope": "*",
    }


def test_a_profile_without_a_plural_can_not_be_rendered():
    profile = shipped("olm-operatorcondition")
    guard = profile.guards[0]
    nameless = structs.replace(guard, match=structs.replace(guard.match, plural=""))
    with pytest.raises(ManifestError, match="plural"):
        configurations(Catalog.of([structs.replace(profile, guards=[nameless])]), OPTIONS)


def test_the_server_finds_every_entry_as_its_own():
    """It owns caBundles by Service, in configurations by this very name and namespace."""
    assert {obj["metadata"]["name"] for obj in CONFIGURATIONS} == {CONFIGURATION}
    for obj in CONFIGURATIONS:
        found = entries(Kind(obj["kind"]), obj, ServiceKey(NAMESPACE, "skyhook-webhook"))
        assert [entry.webhook for entry in found] == [w["name"] for w in obj["webhooks"]]


def test_only_cert_manager_is_told_whose_ca_to_write():
    for tls in Tls:
        annotations = configurations(Catalog.default(), replace(OPTIONS, tls=tls))[0]["metadata"][
            "annotations"
        ]
        assert ("cert-manager.io/inject-ca-from" in annotations) == (tls is Tls.CERT_MANAGER)


def test_everything_that_the_default_profiles_judge_is_sent():
    for name in PROFILES:
        for guard in shipped(name).guards:
            for subresource in guard.match.subresources:
                resource = f"{guard.match.plural}/{subresource}".rstrip("/")
                assert any(
                    guard.match.group in rule["apiGroups"] and resource in rule["resources"]
                    for webhook in WEBHOOKS
                    for rule in webhook["rules"]
                ), resource
