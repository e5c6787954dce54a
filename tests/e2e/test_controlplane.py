"""The real API server of the tests: alive, and everybody is who they should be and may what they should."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.controlplane.build import wanted_version
from tests.kube.actors import ACTORS
from tests.kube.apiserver import Options
from tests.kube.client import JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from tests.kube.crds import crds, install_crds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.kube.control_plane import ControlPlane

SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"
SKYHOOK = """
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata: {name: demo}
spec:
  nodeSelectors: {matchLabels: {pool: gpu}}
  packages: {tuning: {image: example.com/tuning, version: 1.0.0}}
"""
READY = {
    "type": "Ready",
    "status": "True",
    "reason": "NodesConverged",
    "message": "1/1 nodes complete (node-1)",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}
COMPLETE = {"status": "complete", "completeNodes": "1/1", "conditions": [READY]}


@pytest.fixture
def demo(cluster: ControlPlane) -> Iterator[ControlPlane]:
    cluster.kubectl("platform-admin", "apply", "-f", "-", input=SKYHOOK)
    yield cluster
    cluster.kubectl("platform-admin", "delete", "skyhook", "demo")


@pytest.fixture
def node(control_plane: ControlPlane) -> Iterator[str]:
    """A Node that its own kubelet has registered."""
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}
    status, answer = control_plane.request("system:node:node-1", "POST", "/api/v1/nodes", body)
    assert status == 201, answer
    yield "/api/v1/nodes/node-1"
    control_plane.request("node-controller", "DELETE", "/api/v1/nodes/node-1")


def whoami(control_plane: ControlPlane, actor: str) -> tuple[str, set[str]]:
    said = control_plane.kubectl(actor, "auth", "whoami", "-o", "json").stdout
    user = json.loads(said)["status"]["userInfo"]
    return user["username"], set(user["groups"])


@pytest.mark.parametrize("actor", sorted(ACTORS))
def test_each_actor_is_who_its_name_says(control_plane: ControlPlane, actor: str):
    expected = ACTORS[actor]
    assert whoami(control_plane, actor) == (
        expected.user,
        {*expected.groups, "system:authenticated"},
    )


@pytest.mark.parametrize(
    ("user", "group"),
    [
        ("system:node:gpu-17", "system:nodes"),
        ("system:serviceaccount:prod:op-controller-manager", "system:serviceaccounts:prod"),
    ],
)
def test_any_other_user_is_impersonated_with_the_groups_of_its_form(
    control_plane: ControlPlane, user: str, group: str
):
    name, groups = whoami(control_plane, user)
    assert name == user
    assert {group, "system:authenticated"} <= groups
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    status, answer = control_plane.request(user, "POST", path, review)
    assert status == 201
    assert answer["status"]["userInfo"]["username"] == user
    assert set(answer["status"]["userInfo"]["groups"]) == groups


def test_the_server_is_of_the_wanted_version(control_plane: ControlPlane):
    status, version = control_plane.request("kubernetes-admin", "GET", "/version")
    assert status == 200
    assert version["gitVersion"] == f"v{wanted_version()}"


def test_our_crds_are_established(cluster: ControlPlane):
    for crd in crds():
        name = crd["metadata"]["name"]
        found = cluster.kubectl("platform-admin", "get", "crd", name, "-o", "json").stdout
        conditions = {c["type"]: c["status"] for c in json.loads(found)["status"]["conditions"]}
        assert conditions["Established"] == conditions["NamesAccepted"] == "True"


def test_a_skyhook_is_created_completed_and_waited_for(demo: ControlPlane):
    status, answer = demo.request(
        "operator", "PATCH", f"{SKYHOOKS}/demo/status", {"status": COMPLETE}, MERGE_PATCH
    )
    assert status == 200, answer
    waited = demo.kubectl(
        "platform-admin", "wait", "--for=condition=Ready", "skyhook/demo", "--timeout=5s"
    )
    assert "condition met" in waited.stdout
    header, row = demo.kubectl("platform-admin", "get", "skyhook/demo").stdout.splitlines()
    assert header.split() == [
        "NAME",
        "STATUS",
        "NODES",
        "COMPLETE",
        "IN",
        "PROGRESS",
        "PACKAGES",
        "AGE",
    ]
    assert row.split()[:4] == ["demo", "complete", "1/1", "0"]


def test_kubectl_wait_fails_while_the_condition_is_missing(demo: ControlPlane):
    waited = demo.kubectl(
        "platform-admin",
        *("wait", "--for=condition=Ready", "skyhook/demo", "--timeout=1s"),
        check=False,
    )
    assert waited.returncode == 1
    assert "timed out" in waited.stderr


def test_a_node_beats_its_heart_and_touches_no_skyhook(demo: ControlPlane, node: str):
    beat = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}
    status, answer = demo.request(
        "system:node:node-1",
        *("PATCH", f"{node}/status", {"status": {"conditions": [beat]}}, STRATEGIC_MERGE_PATCH),
    )
    assert status == 200, answer
    assert answer["status"]["conditions"][0]["type"] == "Ready"
    status, answer = demo.request(
        "system:node:node-1", "PATCH", f"{SKYHOOKS}/demo", {"spec": {"priority": 1}}, MERGE_PATCH
    )
    assert (status, answer["reason"]) == (403, "Forbidden")


@pytest.mark.parametrize("actor", ["operator", "bystander", "sre-oncall", "platform-admin"])
def test_operators_and_people_may_annotate_nodes(
    control_plane: ControlPlane, node: str, actor: str
):
    change = [{"op": "add", "path": "/metadata/annotations", "value": {"by": actor}}]
    status, answer = control_plane.request(actor, "PATCH", node, change, JSON_PATCH)
    assert status == 200, answer
    assert answer["metadata"]["annotations"]["by"] == actor


def test_the_webhooks_account_may_nothing_until_our_manifests_say_so(demo: ControlPlane):
    for path in (SKYHOOKS, "/api/v1/nodes", "/api/v1/namespaces/default/secrets"):
        assert demo.request("webhook", "GET", path)[0] == 403


def test_warnings_of_the_api_server_are_handed_on(demo: ControlPlane):
    answer = demo.call(
        "platform-admin", "PATCH", f"{SKYHOOKS}/demo", {"spec": {"priorty": 1}}, MERGE_PATCH
    )
    assert answer.status == 200
    assert answer.warnings == ('unknown field "spec.priorty"',)


def test_a_watch_tells_what_happens(demo: ControlPlane):
    path = f"{SKYHOOKS}?watch=1&timeoutSeconds=5&fieldSelector=metadata.name%3Ddemo"
    events = demo.watch("platform-admin", path)
    assert next(events)["type"] == "ADDED"
    demo.kubectl("sre-oncall", "annotate", "skyhook", "demo", "skyhook.nvidia.com/pause=true")
    event = next(events)
    events.close()
    assert event["type"] == "MODIFIED"
    assert event["object"]["metadata"]["annotations"]["skyhook.nvidia.com/pause"] == "true"


def test_many_threads_write_as_many_actors(demo: ControlPlane):
    def annotate(number: int) -> int:
        actor = ("operator", "platform-admin", "sre-oncall")[number % 3]
        body = {"metadata": {"annotations": {f"n{number}": actor}}}
        return demo.request(actor, "PATCH", f"{SKYHOOKS}/demo", body, MERGE_PATCH)[0]

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(annotate, range(48))) == {200}
    found = demo.request("operator", "GET", f"{SKYHOOKS}/demo")[1]
    written: dict[str, Any] = found["metadata"]["annotations"]
    assert {f"n{number}" for number in range(48)} <= set(written)


def test_a_failed_kubectl_raises_with_what_it_said(demo: ControlPlane):
    with pytest.raises(AssertionError, match='"absent" not found'):
        demo.kubectl("platform-admin", "get", "skyhook", "absent")


@pytest.mark.nightly
def test_a_restarted_api_server_keeps_data_identities_and_address_and_can_audit(
    start_cluster: Callable[..., ControlPlane],
):
    own = start_cluster(Options(flags=("--min-request-timeout=60",)))
    install_crds(own)
    own.kubectl("platform-admin", "apply", "-f", "-", input=SKYHOOK)
    assert not own.audit_log.exists()
    url = own.url
    own.restart_apiserver(Options(audit=True))
    assert own.url == url
    status, _ = own.request(
        "operator", "PATCH", f"{SKYHOOKS}/demo/status", {"status": COMPLETE}, MERGE_PATCH
    )
    assert status == 200
    entries = own.audit_entries(at_least=1)
    assert [e["user"]["username"] for e in entries] == [ACTORS["operator"].user]
    assert entries[0]["requestObject"] == {"status": COMPLETE}
    assert entries[0]["responseObject"]["status"]["status"] == "complete"
    pids = own.pids()
    assert sorted(pids) == ["etcd", "kube-apiserver"]
    own.stop()
    for pid in pids.values():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
