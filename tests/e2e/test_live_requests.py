"""Every way to write, by everybody who writes, through a real API server that asks us."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config

from tests.e2e import rollout
from tests.e2e.rollout import NODE, NODE_STATE, NODE_STATUS, PACKAGE, SKYHOOK, node_state
from tests.e2e.stage import HAND, PATHS, Stage
from tests.kube.client import APPLY_PATCH, JSON, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH

if TYPE_CHECKING:
    from tests.e2e.guarding import Guard
    from tests.kube.client import Response

FORCED = "?fieldManager=test&force=true"
STATUS_STEPS = {"erroring": True, "complete": False}
NODE_STEPS = {"config/complete": True, "interrupt/skipped": False, "config/unknown": False}


def pointer(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


def write(stage: Stage, actor: str, way: str, path: str, change: dict[str, Any]) -> Response:
    """The same change, told in one of the ways that the API server understands."""
    if way == "merge":
        return stage.cluster.call(actor, "PATCH", path, change, MERGE_PATCH)
    if way == "strategic":
        return stage.cluster.call(actor, "PATCH", path, change, STRATEGIC_MERGE_PATCH)
    live = stage.get(path.removesuffix("/status"))
    if way == "json":
        return stage.cluster.call(actor, "PATCH", path, list(operations(change)), JSON_PATCH)
    if way == "apply":
        named = {"apiVersion": live["apiVersion"], "kind": live["kind"]}
        body = {**named, **change}
        body["metadata"] = {**change.get("metadata", {}), "name": live["metadata"]["name"]}
        return stage.cluster.call(actor, "PATCH", path + FORCED, body, APPLY_PATCH)
    return stage.cluster.call(actor, "PUT", path, laid_over(live, change), JSON)


def operations(change: dict[str, Any], place: str = "") -> Any:
    for name, value in change.items():
        if isinstance(value, dict) and place.count("/") < 1:
            yield from operations(value, f"{place}/{pointer(name)}")
        elif isinstance(value, dict):
            for key, below in value.items():
                path = f"{place}/{pointer(name)}/{pointer(key)}"
                yield {"op": "add", "path": path, "value": below}
        else:
            yield {"op": "add", "path": f"{place}/{pointer(name)}", "value": value}


def laid_over(live: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    return {
        **live,
        **{
            name: laid_over(live.get(name) or {}, value) if isinstance(value, dict) else value
            for name, value in change.items()
        },
    }


def refused_fields(answer: Response) -> set[str]:
    """The fields that our denial names; asserts that it has the form that clients understand."""
    assert answer.status == 422, answer
    assert (answer.body["status"], answer.body["reason"]) == ("Failure", "Invalid")
    assert 'admission webhook "validate-' in answer.body["message"]
    details = answer.body["details"]
    assert details["name"]
    assert details["kind"] in {"Skyhook", "Node", "DeploymentPolicy"}
    for cause in details["causes"]:
        assert cause["message"].endswith(")")  # the rule's id
    return {cause["field"] for cause in details["causes"]}


@pytest.mark.parametrize("way", ["merge", "json", "apply", "put"])
@pytest.mark.parametrize("word", STATUS_STEPS)
def test_a_status_write_is_judged_alike_however_it_is_sent(
    stage: Stage, way: str, word: str
) -> None:
    answer = write(stage, "operator", way, f"{SKYHOOK}/status", {"status": {"status": word}})
    if STATUS_STEPS[word]:
        assert (answer.status, answer.body["status"]["status"]) == (200, word)
    else:
        assert "status.status" in refused_fields(answer)
        assert stage.get(SKYHOOK)["status"]["status"] == "in_progress"


@pytest.mark.parametrize("path", [NODE, f"{NODE}/status"])
@pytest.mark.parametrize("way", ["merge", "strategic", "json", "apply", "put"])
@pytest.mark.parametrize("pair", NODE_STEPS)
def test_a_step_in_a_node_annotation_is_judged_alike_however_it_is_sent(
    stage: Stage, way: str, pair: str, path: str
) -> None:
    change = {"metadata": {"annotations": {NODE_STATE: node_state(pair)}}}
    answer = write(stage, "operator", way, path, change)
    if NODE_STEPS[pair]:
        assert answer.status == 200, answer
        assert json.loads(stage.get(NODE)["metadata"]["annotations"][NODE_STATE])
    else:
        (field,) = refused_fields(answer)
        assert field.startswith(f"metadata.annotations[{NODE_STATE}][{PACKAGE}]")


@pytest.mark.parametrize("way", ["merge", "json", "apply", "put"])
def test_a_spec_is_judged_alike_however_it_is_sent(stage: Stage, way: str) -> None:
    package = {"version": "1.0.0", "image": "registry.example/kernel"}
    bad = {"spec": {"packages": {"Kernel_1": package}}}
    assert refused_fields(write(stage, "platform-admin", way, SKYHOOK, bad)) == {
        "spec.packages[Kernel_1]"
    }
    good = {"spec": {"packages": {"kernel": package}}}
    assert write(stage, "platform-admin", way, SKYHOOK, good).status == 200


@pytest.mark.parametrize("word", STATUS_STEPS)
def test_a_dry_run_gets_the_same_verdict_and_stores_nothing(stage: Stage, word: str) -> None:
    change = {"status": {"status": word}}
    tried, done = (
        write(stage, "operator", "merge", f"{SKYHOOK}/status{query}", change)
        for query in ("?dryRun=All", "")
    )
    assert tried.status == done.status
    assert tried.warnings == done.warnings
    if not STATUS_STEPS[word]:
        assert tried.body == done.body
    before = rollout.skyhook()
    stage.set("Skyhook", before)
    write(stage, "operator", "merge", f"{SKYHOOK}/status?dryRun=All", change)
    assert stage.get(SKYHOOK)["status"]["status"] == before["status"]["status"]


def test_a_create_with_a_status_is_taken_without_it(stage: Stage) -> None:
    stage.remove("Skyhook", "copied")
    body = rollout.skyhook()
    body["metadata"] = {"name": "copied"}
    body["status"]["nodeStatus"]["node-1"] = "done"
    answer = stage.cluster.call("argocd-application-controller", "POST", PATHS["Skyhook"], body)
    assert (answer.status, answer.warnings) == (201, ())
    assert "status" not in answer.body
    stage.remove("Skyhook", "copied")


def test_a_main_write_with_a_status_in_it_is_judged_without_it(stage: Stage) -> None:
    live = stage.get(SKYHOOK)
    live["status"]["status"] = "complete"
    live["metadata"]["labels"] = {"restored": "yes"}
    answer = stage.cluster.call("platform-admin", "PUT", SKYHOOK, live)
    assert (answer.status, answer.body["status"]["status"]) == (200, "in_progress")


def test_a_name_that_the_api_server_makes_up_is_no_trouble(stage: Stage) -> None:
    body = rollout.skyhook()
    body["metadata"] = {"generateName": "made-"}
    answer = stage.cluster.call("platform-admin", "POST", PATHS["Skyhook"], body)
    assert answer.status == 201
    stage.remove("Skyhook", answer.body["metadata"]["name"])


def broken() -> dict[str, Any]:
    """What was stored before we came: a spec and a status that nobody may write today."""
    old = rollout.skyhook()
    old["metadata"]["name"] = "broken"
    old["spec"]["packages"] = {"Bad_Key": {"version": "1.0.x", "image": "registry.example/bad"}}
    old["status"]["nodeStatus"]["node-1"] = "done"
    return old


@pytest.mark.parametrize("actor", ["platform-admin", "operator", "garbage-collector"])
def test_a_delete_always_passes_and_asks_once_what_would_hold_it_up(
    stage: Stage, guard: Guard, actor: str
) -> None:
    stage.set("Skyhook", broken())
    calls = guard.reviews()
    answer = stage.cluster.call(actor, "DELETE", f"{PATHS['Skyhook']}/broken")
    assert answer.status == 200
    let_go = {"metadata": {"finalizers": None}}
    path = f"{PATHS['Skyhook']}/broken"
    assert stage.cluster.call("operator", "PATCH", path, let_go, MERGE_PATCH).status == 200
    assert stage.get(path) is None
    assert (
        guard.reviews() == calls + 1
    )  # there is something on Nodes; else nobody asks (test_traps)


def test_an_object_with_old_defects_stays_writable(stage: Stage) -> None:
    stage.set("Skyhook", broken())
    path = f"{PATHS['Skyhook']}/broken"
    for actor, place, change in (
        ("platform-admin", path, {"metadata": {"labels": {"team": "gpu"}}}),
        ("platform-admin", path, {"metadata": {"annotations": {"skyhook.nvidia.com/pause": "true"}}}),
        ("platform-admin", path, {"spec": {"priority": 7}}),
        ("operator", f"{path}/status", {"status": {"status": "erroring"}}),
        ("operator", f"{path}/status", {"status": {"nodeStatus": {"node-1": "erroring"}}}),
        ("platform-admin", path, {"spec": {"packages": {"Bad_Key": None}}}),
    ):  # fmt: skip
        answer = stage.cluster.call(actor, "PATCH", place, change, MERGE_PATCH)
        assert answer.status == 200, (change, answer)
    stage.remove("Skyhook", "broken")


def test_a_dying_object_with_a_bad_spec_is_let_go(stage: Stage) -> None:
    old = broken()
    old["metadata"]["finalizers"] = ["skyhook.nvidia.com/skyhook", "example.com/other"]
    stage.set("Skyhook", old)
    path = f"{PATHS['Skyhook']}/broken"
    assert stage.cluster.call("platform-admin", "DELETE", path).status == 200
    for left in (["example.com/other"], []):
        live = stage.get(path)
        live["metadata"]["finalizers"] = left
        answer = stage.cluster.call("operator", "PUT", path, live)
        assert answer.status == 200, answer
    assert stage.get(path) is None


def heartbeat(number: int) -> dict[str, Any]:
    """What a kubelet sends every few minutes, and more often when something changes."""
    moment = f"2026-11-29T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
    told = {"lastHeartbeatTime": moment, "lastTransitionTime": moment, "status": "False"}
    kinds = ("MemoryPressure", "DiskPressure", "PIDPressure")
    ready = {**told, "type": "Ready", "status": "True", "reason": "KubeletReady"}
    conditions = [{**told, "type": t, "reason": f"KubeletHasNo{t}"} for t in kinds]
    image = {"names": [f"registry.example/image:{number}"], "sizeBytes": number}
    return {"status": {"conditions": [*conditions, ready], "images": [image]}}


def test_heartbeats_leases_and_other_peoples_keys_never_call_us(stage: Stage, guard: Guard) -> None:
    kubelet = "system:node:node-1"
    calls = guard.reviews()
    for number in range(200):
        body = heartbeat(number)
        answer = stage.cluster.call(kubelet, "PATCH", f"{NODE}/status", body, STRATEGIC_MERGE_PATCH)
        assert answer.status == 200, answer
    for actor, place, change in (
        (kubelet, NODE, {"metadata": {"labels": {"node.example/zone": "b"}}}),
        (kubelet, NODE, {"metadata": {"annotations": {"volumes.example/attached": "7"}}}),
        ("node-controller", NODE, {"spec": {"taints": [{"key": "node.example/slow", "effect": "NoSchedule"}]}}),
        ("platform-admin", NODE, {"spec": {"unschedulable": True}}),
    ):  # fmt: skip
        assert stage.cluster.call(actor, "PATCH", place, change, MERGE_PATCH).status == 200
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
    lease |= {"metadata": {"name": "node-1", "namespace": "default"}, "spec": {}}
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    assert stage.cluster.call(kubelet, "POST", leases, lease).status == 201
    assert stage.cluster.call(kubelet, "DELETE", f"{leases}/node-1").status == 200
    assert guard.reviews() == calls


def test_a_write_that_changes_nothing_never_calls_us(stage: Stage, guard: Guard) -> None:
    calls = guard.metric("skyhook_webhook_reviews_total", allowed="true")
    status = {"status": {"status": "in_progress"}}
    for _ in range(20):
        assert write(stage, "operator", "merge", f"{SKYHOOK}/status", status).status == 200
    assert guard.metric("skyhook_webhook_reviews_total", allowed="true") == calls


PEOPLE = ("platform-admin", "sre-oncall", "argocd-application-controller")
OPERATORS = ("operator", "nodewright-operator")


@pytest.mark.parametrize("actor", [*PEOPLE, *OPERATORS, "bystander"])
def test_who_may_write_a_status(stage: Stage, actor: str) -> None:
    change = {"status": {"status": "erroring"}}
    answer = write(stage, actor, "merge", f"{SKYHOOK}/status", change)
    if actor in PEOPLE:
        assert refused_fields(answer) == {"status.status"}
    else:
        assert answer.status == 200
    if actor == "bystander":  # told once an hour how to be taken for the operator
        (warning,) = answer.warnings
        assert "`operators`" in warning
        stage.set("Skyhook", rollout.skyhook())
        again = write(stage, actor, "merge", f"{SKYHOOK}/status", change)
        assert (again.status, again.warnings) == (200, ())
    else:
        assert answer.warnings == ()


@pytest.mark.parametrize(
    "actor", [*PEOPLE, *OPERATORS, "bystander", "system:node:node-1", "node-controller"]
)
def test_everybody_who_may_annotate_a_node_may_take_a_legal_step_and_no_other(
    stage: Stage, actor: str
) -> None:
    for pair, through in NODE_STEPS.items():
        stage.set("Node", rollout.node())
        change = {"metadata": {"annotations": {NODE_STATE: node_state(pair)}}}
        answer = write(stage, actor, "merge", NODE, change)
        assert (answer.status == 200) is through, (pair, answer)


def test_people_and_tools_write_specs_annotations_and_labels_without_a_word(
    stage: Stage, guard: Guard
) -> None:
    for actor in (*PEOPLE, *OPERATORS, "bystander"):
        for change in (
            {"metadata": {"annotations": {"skyhook.nvidia.com/pause": "true"}}},
            {"metadata": {"annotations": {"skyhook.nvidia.com/pause": None}}},
            {"spec": {"packages": {"tuning": {"version": "1.2.4"}}}},
            {"spec": {"packages": {"tuning": {"version": "1.2.3"}}}},
        ):
            answer = write(stage, actor, "merge", SKYHOOK, change)
            assert (answer.status, answer.warnings) == (200, ()), (actor, change)


def test_sixteen_writers_at_once_are_refused_only_for_what_they_write(stage: Stage) -> None:
    words = ("erroring", "in_progress", "waiting", "paused", "unknown", "finished")

    def put(number: int) -> tuple[str, int]:
        word = words[number % len(words)]
        change = {"status": {"nodeStatus": {"node-1": word}}}
        answer = stage.cluster.call("operator", "PATCH", f"{SKYHOOK}/status", change, MERGE_PATCH)
        return word, answer.status

    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(put, range(96)))
    assert found == {(word, 422 if word == "finished" else 200) for word in words}


def test_the_python_client_reads_field_rule_and_reason(stage: Stage) -> None:
    kubeconfig = str(stage.cluster.kubeconfig("sre-oncall"))
    api = kubernetes_config.new_client_from_config(config_file=kubeconfig)
    try:
        objects = kubernetes_client.CustomObjectsApi(api)
        with pytest.raises(kubernetes_client.ApiException) as caught:
            objects.patch_cluster_custom_object_status(
                "skyhook.nvidia.com", "v1alpha1", "skyhooks", "gpu",
                {"status": {"nodeStatus": {"node-1": "erroring"}}},
            )  # fmt: skip
        body = json.loads(caught.value.body)
        assert (caught.value.status, body["reason"]) == (422, "Invalid")
        (cause,) = body["details"]["causes"]
        assert cause["field"] == "status.nodeStatus[node-1]"
        done = objects.patch_cluster_custom_object(
            "skyhook.nvidia.com", "v1alpha1", "skyhooks", "gpu", {"spec": {"priority": 3}}
        )
        assert done["spec"]["priority"] == 3
    finally:
        api.close()


def test_the_stage_hand_is_left_alone(stage: Stage) -> None:
    change = {"status": {"nodeStatus": {"node-1": "no word of theirs"}}}
    assert write(stage, HAND, "merge", f"{SKYHOOK}/status", change).status == 200


def test_node_status_and_label_go_together(stage: Stage) -> None:
    together = {"annotations": {NODE_STATUS: "erroring"}, "labels": {NODE_STATUS: "complete"}}
    answer = write(stage, "operator", "merge", NODE, {"metadata": together})
    assert refused_fields(answer) == {f"metadata.annotations[{NODE_STATUS}]"}
