"""What we render, put before a real API server: accepted as it is, allowed what it needs, called when it should be."""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.guarding import Guard
from tests.kube.client import APPLY_PATCH, MERGE_PATCH
from tests.manifests.engine import OPTIONS
from webhook.certs.authority import Authority
from webhook.certs.cabundle import ServiceKey, applied
from webhook.certs.cluster import Kind
from webhook.certs.keeper import FIELD_MANAGER
from webhook.certs.shared import SECRET
from webhook.manifests.options import Options, Tls
from webhook.manifests.overlays import OVERLAYS, with_overlays
from webhook.manifests.render import render

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kube.control_plane import ControlPlane

ADMIN = "kubernetes-admin"
NAMESPACE = OPTIONS.namespace
OURS = f"system:serviceaccount:{NAMESPACE}:skyhook-webhook"
OTHERS_CRDS = frozenset({"cert-manager.io/v1", "monitoring.coreos.com/v1"})
"""Kinds whose CRDs are not here; tests/manifests looks at those."""
PLURALS = {"NetworkPolicy": "networkpolicies"}
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
CLUSTER_WIDE = frozenset({"Namespace", "ClusterRole", "ClusterRoleBinding"})


def path_of(obj: dict[str, Any]) -> str:
    api, kind, about = obj["apiVersion"], obj["kind"], obj["metadata"]
    root = f"/api/{api}" if "/" not in api else f"/apis/{api}"
    inside = f"/namespaces/{about['namespace']}" if "namespace" in about else ""
    return f"{root}{inside}/{PLURALS.get(kind, kind.lower() + 's')}/{about['name']}"


def apply(cluster: ControlPlane, obj: dict[str, Any], *, dry: bool = False) -> tuple[int, Any]:
    query = "fieldManager=installer&force=true&fieldValidation=Strict" + "&dryRun=All" * dry
    return cluster.request(ADMIN, "PATCH", f"{path_of(obj)}?{query}", obj, APPLY_PATCH)


@pytest.fixture(scope="module")
def namespace(cluster: ControlPlane) -> ControlPlane:
    """A cluster that holds our namespace; nothing takes one away without a controller-manager."""
    status, answer = apply(cluster, render(OPTIONS)[0])
    assert status in (200, 201), answer
    return cluster


@pytest.mark.parametrize(
    "options",
    [
        *(replace(OPTIONS, tls=tls) for tls in Tls),
        *(with_overlays(OPTIONS, [name]) for name in OVERLAYS),
        replace(
            OPTIONS, replicas=1, host_network=True, port=10250, ipv6_only=True, fail_specs=True
        ),
    ],
    ids=[*(f"tls-{tls}" for tls in Tls), *OVERLAYS, "everything-chosen"],
)
def test_every_object_is_accepted_without_a_warning(namespace: ControlPlane, options: Options):
    assert apply(namespace, render(options)[0])[0] == 200
    for obj in render(options):
        if obj["apiVersion"] in OTHERS_CRDS:
            continue
        query = "fieldManager=installer&force=true&fieldValidation=Strict&dryRun=All"
        path = f"{path_of(obj)}?{query}"
        answer = namespace.call(ADMIN, "PATCH", path, obj, APPLY_PATCH)
        assert answer.status in (200, 201), answer.body
        assert answer.warnings == ()
    assert apply(namespace, render(OPTIONS)[0])[0] == 200


def test_a_field_that_is_none_is_refused(namespace: ControlPlane):
    planted = copy.deepcopy(render(OPTIONS)[-1])
    planted["webhooks"][0]["timeoutSecond"] = 3
    path = path_of(planted).removesuffix("/skyhook-webhook")
    query = "dryRun=All&fieldValidation=Strict"
    assert namespace.request(ADMIN, "POST", f"{path}?{query}", planted)[0] == 400


def pod(options: Options) -> dict[str, Any]:
    (deployment,) = (obj for obj in render(options) if obj["kind"] == "Deployment")
    template = copy.deepcopy(deployment["spec"]["template"])
    about = {**template["metadata"], "name": "probe", "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Pod", **template, "metadata": about}


@pytest.mark.parametrize("tls", list(Tls))
def test_its_pods_are_admitted_where_restricted_is_enforced(namespace: ControlPlane, tls: Tls):
    (quota,) = (obj for obj in render(OPTIONS) if obj["kind"] == "ResourceQuota")
    assert apply(namespace, quota)[0] in (200, 201)
    status, answer = apply(namespace, pod(replace(OPTIONS, tls=tls)), dry=True)
    assert status == 201, answer


def test_a_pod_that_is_not_restricted_is_refused_there(namespace: ControlPlane):
    planted = pod(OPTIONS)
    del planted["spec"]["containers"][0]["securityContext"]["capabilities"]
    status, answer = apply(namespace, planted, dry=True)
    assert status == 403
    assert "violates PodSecurity" in answer["message"]


@pytest.fixture
def granted(namespace: ControlPlane) -> Iterator[ControlPlane]:
    """A cluster in which the self-signed mode's rights, and both configurations, are real."""
    objects = [
        obj
        for obj in render(OPTIONS)
        if obj["kind"] in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
        or "webhooks" in obj
    ]
    for obj in objects:
        for webhook in obj.get("webhooks", ()):
            webhook["rules"] = [{**rule, "resources": ["nothings"]} for rule in webhook["rules"]]
        status, answer = apply(namespace, obj)
        assert status in (200, 201), answer
    yield namespace
    for obj in objects:
        namespace.request(ADMIN, "DELETE", path_of(obj))


@pytest.mark.parametrize(
    "plural", ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"]
)
def test_our_account_may_see_and_repair_our_configurations_and_no_other(
    granted: ControlPlane, plural: str
):
    """A list or watch of one name is allowed by that name: this is how the server looks."""
    path = f"{REGISTRATION}/{plural}"
    one = "fieldSelector=metadata.name%3Dskyhook-webhook"
    assert granted.request(OURS, "GET", f"{path}?{one}")[0] == 200
    events = granted.watch(OURS, f"{path}?{one}&watch=1&timeoutSeconds=1")
    assert next(events)["object"]["metadata"]["name"] == "skyhook-webhook"
    assert granted.request(OURS, "GET", path)[0] == 403
    body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "x", "metadata": {}}
    assert granted.request(OURS, "PATCH", f"{path}/other", body, MERGE_PATCH)[0] == 403
    assert granted.request(OURS, "DELETE", f"{path}/skyhook-webhook")[0] == 403


def test_our_account_writes_a_ca_bundle_and_leaves_the_rest_to_its_owner(granted: ControlPlane):
    path = f"{REGISTRATION}/validatingwebhookconfigurations/skyhook-webhook"
    stored = granted.request(OURS, "GET", path)[1]
    authority = Authority.make("test", now=datetime.now(UTC))
    key = ServiceKey(NAMESPACE, "skyhook-webhook")
    body = applied(Kind.VALIDATING, stored, key, authority.cert_pem)
    query = f"fieldManager={FIELD_MANAGER}&force=true"
    status, answer = granted.request(OURS, "PATCH", f"{path}?{query}", body, APPLY_PATCH)
    assert status == 200, answer
    assert applied(Kind.VALIDATING, answer, key, authority.cert_pem) is None
    for webhook in answer["webhooks"]:
        del webhook["clientConfig"]["caBundle"]
    assert answer["webhooks"] == stored["webhooks"]
    again = render(OPTIONS)[-2]
    assert apply(granted, again)[0] == 200
    stored = granted.request(OURS, "GET", path)[1]
    assert applied(Kind.VALIDATING, stored, key, authority.cert_pem) is None, (
        "an apply of ours keeps it"
    )


def test_our_account_may_have_its_secret_and_no_other(granted: ControlPlane):
    def secret(name: str) -> dict[str, Any]:
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}

    assert granted.request(OURS, "POST", SECRETS, secret("skyhook-webhook-certs"))[0] == 201
    status, stored = granted.request(OURS, "GET", f"{SECRETS}/skyhook-webhook-certs")
    assert status == 200
    assert granted.request(OURS, "PUT", f"{SECRETS}/skyhook-webhook-certs", stored)[0] == 200
    assert granted.request(ADMIN, "POST", SECRETS, secret("other"))[0] == 201
    assert granted.request(OURS, "GET", f"{SECRETS}/other")[0] == 403
    assert granted.request(OURS, "GET", SECRETS)[0] == 403
    for name in ("skyhook-webhook-certs", "other"):
        assert granted.request(ADMIN, "DELETE", f"{SECRETS}/{name}")[0] == 200
    elsewhere = SECRETS.replace(NAMESPACE, "default")
    assert granted.request(OURS, "POST", elsewhere, secret("skyhook-webhook-certs"))[0] == 403


def test_our_account_reads_the_two_crds_and_writes_them_only_with_the_conversion_overlay(
    granted: ControlPlane,
):
    path = f"{CRDS}/skyhooks.skyhook.nvidia.com"
    patch = {"metadata": {"labels": {"probe": "x"}}}
    assert granted.request(OURS, "GET", path)[0] == 200
    assert granted.request(OURS, "GET", CRDS)[0] == 403
    assert granted.request(OURS, "PATCH", f"{path}?dryRun=All", patch, MERGE_PATCH)[0] == 403
    (role,) = (
        o for o in render(with_overlays(OPTIONS, ["conversion"])) if o["kind"] == "ClusterRole"
    )
    assert apply(granted, role)[0] == 200
    granted.kubectl(
        ADMIN, "auth", "can-i", "patch", "crd/skyhooks.skyhook.nvidia.com", f"--as={OURS}"
    )
    assert granted.request(OURS, "PATCH", f"{path}?dryRun=All", patch, MERGE_PATCH)[0] == 200


def test_the_server_gets_by_with_what_the_manifests_allow(cluster: ControlPlane, tmp_path: Path):
    """Self-signed, with the token of our account alone: Secret made, caBundles written, nothing refused."""
    options = replace(OPTIONS, namespace="skyhook-webhook")  # where the tests' account lives
    objects = [obj for obj in render(options) if obj["kind"] != "Deployment"]
    for obj in objects:
        for webhook in obj.get("webhooks", ()):
            webhook["rules"] = [{**rule, "resources": ["nothings"]} for rule in webhook["rules"]]
        status, answer = apply(cluster, obj)
        assert status in (200, 201), answer
    account = str(cluster.kubeconfig("webhook"))
    settings = {"tls": "self-signed", "namespace": options.namespace, "kubeconfig": account}
    server = Guard(tmp_path, settings)  # ready: it has seen the right caBundle
    secret = cluster.request(
        ADMIN, "GET", f"/api/v1/namespaces/{options.namespace}/secrets/{SECRET}"
    )[1]
    stored = [
        cluster.request(ADMIN, "GET", path_of(obj))[1] for obj in objects if "webhooks" in obj
    ]
    bundles = {w["clientConfig"].get("caBundle") for obj in stored for w in obj["webhooks"]}
    assert server.stop() == 0
    for obj in objects[1:]:
        cluster.request(ADMIN, "DELETE", path_of(obj))
    assert bundles == {secret["data"]["ca.crt"]}
    log = server.log_file.read_text()
    assert "forbidden" not in log.lower()
    assert "403" not in log
