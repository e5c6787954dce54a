"""`doctor` against a real API server: faults planted by kubectl's means, found, repaired, and gone."""

from __future__ import annotations

import base64
import copy
import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.doctor.healthy import NAMES, crd, operator
from tests.e2e.test_manifests import ADMIN, CRDS, REGISTRATION, SECRETS, apply, path_of
from tests.kube.client import APPLY_PATCH, MERGE_PATCH
from tests.manifests.engine import OPTIONS
from webhook.certs.cabundle import ServiceKey, applied
from webhook.certs.cluster import Kind
from webhook.certs.keyring import Keyring, Lives
from webhook.certs.secret import secret_of
from webhook.conversions.crd import add_spoke, serve_spoke, service_config
from webhook.manifests.options import NAME, NAMESPACE, SHARED_SECRET
from webhook.manifests.render import render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.control_plane import ControlPlane

KEY = ServiceKey(NAMESPACE, NAME)
VALIDATING = f"{REGISTRATION}/validatingwebhookconfigurations/{NAME}"
SKYHOOKS = f"{CRDS}/skyhooks.skyhook.nvidia.com"
KINDS = {("skyhook.nvidia.com", "Skyhook")}


def doctor(cluster: ControlPlane, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, faults (no notes), and what stands on stderr."""
    command = [sys.executable, "-m", "webhook", "doctor", "-o", "json", "-q", *arguments]
    env = cluster.client_env(ADMIN)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)["diagnoses"], done.stderr


def said(diagnoses: list[dict[str, Any]]) -> list[str]:
    return [one["check"] for one in diagnoses]


@pytest.fixture(scope="module")
def installed(cluster: ControlPlane) -> Iterator[ControlPlane]:
    """The self-signed installation as it would stand: nobody runs Pods here, so their status is written."""
    keyring = Keyring.fresh(NAMES, now=datetime.now(UTC), lives=Lives())
    objects = render(OPTIONS)
    for obj in objects:
        obj = copy.deepcopy(obj)  # noqa: PLW2901
        for webhook in obj.get("webhooks", ()):  # nothing here answers, and other tests write
            webhook["failurePolicy"] = "Ignore"
        status, answer = apply(cluster, obj)
        assert status in (200, 201), answer
        if "webhooks" in obj:
            body = applied(Kind(obj["kind"]), answer, KEY, keyring.trust)
            path = f"{path_of(obj)}?fieldManager=skyhook-webhook-cabundle&force=true"
            assert cluster.request(ADMIN, "PATCH", path, body, APPLY_PATCH)[0] == 200
    secret = secret_of(SHARED_SECRET, keyring)
    assert cluster.request(ADMIN, "POST", SECRETS, secret)[0] == 201
    deployment = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{NAME}/status"
    counts = {"status": {"replicas": 2, "availableReplicas": 2, "readyReplicas": 2}}
    assert cluster.request(ADMIN, "PATCH", deployment, counts, MERGE_PATCH)[0] == 200
    yield cluster
    for obj in objects:
        if obj["kind"] != "Namespace":
            cluster.request(ADMIN, "DELETE", path_of(obj))
    cluster.request(ADMIN, "DELETE", f"{SECRETS}/{SHARED_SECRET}")


def test_a_healthy_installation_has_no_fault(installed: ControlPlane):
    assert doctor(installed) == (0, [], "")


def test_an_empty_and_a_foreign_ca_bundle_are_found_and_repaired(installed: ControlPlane):
    stored = installed.request(ADMIN, "GET", VALIDATING)[1]
    foreign = Keyring.fresh(NAMES, now=datetime.now(UTC), lives=Lives()).trust
    right = stored["webhooks"][2]["clientConfig"]["caBundle"]
    stored["webhooks"][0]["clientConfig"]["caBundle"] = ""
    stored["webhooks"][1]["clientConfig"]["caBundle"] = base64.b64encode(foreign).decode()
    assert installed.request(ADMIN, "PUT", VALIDATING, stored)[0] == 200
    code, found, _ = doctor(installed)
    assert (code, said(found)) == (1, ["ca-bundle", "ca-bundle"])
    code, left, told = doctor(installed, "--fix")
    assert (code, left) == (0, [])
    assert told.count("repaired: ValidatingWebhookConfiguration skyhook-webhook") == 1
    after = installed.request(ADMIN, "GET", VALIDATING)[1]["webhooks"]
    assert [webhook["clientConfig"]["caBundle"] for webhook in after] == [right] * 4


def test_rules_that_drifted_and_a_webhook_that_was_taken_out_are_put_right(installed: ControlPlane):
    stored = installed.request(ADMIN, "GET", VALIDATING)[1]
    before = copy.deepcopy(stored["webhooks"])
    stored["webhooks"][0]["failurePolicy"] = "Fail"  # a choice of the person who installs
    stored["webhooks"][1]["rules"] = stored["webhooks"][1]["rules"][:1]
    stored["webhooks"][1]["matchConditions"][0]["expression"] = "true"
    del stored["webhooks"][2]
    assert installed.request(ADMIN, "PUT", VALIDATING, stored)[0] == 200
    code, found, _ = doctor(installed)
    assert (code, said(found)) == (1, ["drift", "drift"])
    code, left, _ = doctor(installed, "--fix")
    assert (code, left) == (0, [])
    after = installed.request(ADMIN, "GET", VALIDATING)[1]["webhooks"]
    before[0]["failurePolicy"] = "Fail"
    assert {w["name"]: w for w in after} == {w["name"]: w for w in before}


def test_a_second_version_that_nobody_converts_is_switched_off(installed: ControlPlane):
    """Plain kubectl fails before, and works after."""
    plain = installed.request(ADMIN, "GET", SKYHOOKS)[1]
    served = serve_spoke(add_spoke(plain, service_config(NAME, NAMESPACE), KINDS))
    served["metadata"]["resourceVersion"] = plain["metadata"]["resourceVersion"]
    served["status"] = plain["status"]
    status, answer = installed.request(ADMIN, "PUT", SKYHOOKS, served)
    assert status == 200, answer
    code, found, _ = doctor(installed)
    assert (code, said(found)) == (1, ["converters"])
    assert "the caBundle is empty" in found[0]["message"]
    code, left, _ = doctor(installed, "--fix")
    assert (code, left) == (0, [])
    live = installed.request(ADMIN, "GET", SKYHOOKS)[1]
    assert [(v["name"], v["served"]) for v in live["spec"]["versions"]] == [
        ("v1alpha1", True),
        ("v1beta1", False),
    ]
    removed = crd("skyhooks")
    removed["metadata"] = {
        "name": plain["metadata"]["name"],
        "resourceVersion": live["metadata"]["resourceVersion"],
    }
    removed.pop("status")
    assert installed.request(ADMIN, "PUT", SKYHOOKS, removed)[0] == 200


def test_the_operator_and_its_release_are_recognised(installed: ControlPlane):
    own = operator(namespace="default", image="example.com/operator:v0.15.1")
    own["spec"]["selector"] = {"matchLabels": {"control-plane": "controller-manager"}}
    own["spec"]["template"]["spec"]["serviceAccountName"] = "rollouts"
    own["spec"]["replicas"] = 0
    path = "/apis/apps/v1/namespaces/default/deployments"
    status, answer = installed.request(ADMIN, "POST", path, own)
    assert status == 201, answer
    code, found, _ = doctor(installed)
    installed.request(ADMIN, "DELETE", f"{path}/{own['metadata']['name']}")
    assert code == 1
    assert sorted(said(found)) == ["identities", "releases"]
    remedies = " ".join(one["remedy"] for one in found)
    assert "operators: ['system:serviceaccount:default:rollouts']" in remedies
    assert "operator_version: {skyhook: '0.15'}, or to auto" in remedies


def test_whoever_may_not_read_is_told_what_is_unchecked(installed: ControlPlane):
    command = [sys.executable, "-m", "webhook", "doctor", "-o", "json", "-q"]
    env = installed.client_env("node-controller")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=90, check=False)
    found = json.loads(done.stdout)["diagnoses"]
    assert done.returncode == 1
    assert {one["check"] for one in found} == {"unread", "installed"}
    assert any("forbidden" in one["message"] for one in found)
