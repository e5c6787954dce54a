"""Ways past the guard, tried through a real API server that asks us (docs/bypasses.md tells them)."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

import pytest

from tests.e2e import rollout
from tests.e2e.rollout import NODE, NODE_STATE, NODE_STATUS, PACKAGE, PREFIX, SKYHOOK, entry
from tests.e2e.stage import PATHS, Stage
from tests.e2e.test_live_requests import refused_fields, write
from tests.kube.client import APPLY_PATCH, JSON, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH

if TYPE_CHECKING:
    from tests.e2e.guarding import Guard
    from tests.kube.client import Response

ADMIN = "platform-admin"
GLASS = "guard.skyhook.nvidia.com/break-glass"
YAML = "application/yaml"
WHOLE = json.dumps(entry("config/complete"))
BAD = json.dumps({PACKAGE: {**entry("config/complete"), "state": "done"}})
PLACE = f"metadata.annotations[{NODE_STATE}]"


def annotated(stage: Stage, text: str, actor: str = "operator", path: str = NODE) -> Response:
    change = {"metadata": {"annotations": {NODE_STATE: text}}}
    return stage.cluster.call(actor, "PATCH", path, change, MERGE_PATCH)


TEXTS = {
    "null-entry": f'{{"{PACKAGE}":null}}',
    "newline-in-a-key": json.dumps({"a|1\n": {"name": "a", "version": "1\n", "stage": "x", "state": "y"}}),
    "case-of-a-key": f'{{"{PACKAGE}":{WHOLE[:-1]},"STATE":"done"}}}}',
    "key-twice": f'{{"{PACKAGE}":{WHOLE[:-1]},"state":"done"}}}}',
    "entry-twice": f'{{"{PACKAGE}":{WHOLE},"{PACKAGE}":null}}',
    "escaped-key": f'{{"{PACKAGE}":{{"name":"tuning","version":"1.2.3","\\u0073tage":"x","state":"y"}}}}',
    "json-in-json": json.dumps(json.dumps({PACKAGE: entry("config/complete")})),
    "null": "null",
    "cut-off": f'{{"{PACKAGE}":{WHOLE}',
    "nested": f'{{"{PACKAGE}":{WHOLE[:-1]},"x":{"[" * 4000}{"]" * 4000}}}}}',
}  # fmt: skip


@pytest.mark.parametrize("path", [NODE, f"{NODE}/status"])
@pytest.mark.parametrize("name", TEXTS)
def test_what_the_operator_would_misread_is_refused(stage: Stage, name: str, path: str) -> None:
    fields = refused_fields(annotated(stage, TEXTS[name], path=path))
    assert all(field.startswith(PLACE) for field in fields)


@pytest.mark.parametrize("actor", ["operator", ADMIN, "system:node:node-1", "bystander"])
def test_nobody_writes_a_word_that_is_none(stage: Stage, actor: str) -> None:
    assert refused_fields(annotated(stage, BAD, actor))


def test_a_body_whose_keys_stand_twice_is_judged_as_it_is_stored(stage: Stage) -> None:
    """The API server keeps one of them before it asks us, whichever field validation is asked for."""
    for first, last, through in (("blocked", "done", False), ("done", "blocked", True)):
        words = f'"node-1":"{first}","node-1":"{last}"'
        body = f'{{"status":{{"nodeStatus":{{{words}}}}}}}'
        for query in ("", "?fieldValidation=Ignore"):
            stage.set("Skyhook", rollout.skyhook())
            path = f"{SKYHOOK}/status{query}"
            answer = stage.cluster.call("operator", "PATCH", path, body, MERGE_PATCH)
            assert (answer.status == 200) is through, answer
            if not through:
                assert refused_fields(answer) == {"status.nodeStatus[node-1]"}
    strict = f"{SKYHOOK}/status?fieldValidation=Strict"
    body = '{"status":{"status":"waiting","status":"blocked"}}'
    assert stage.cluster.call("operator", "PATCH", strict, body, MERGE_PATCH).status in (400, 422)


NUMBERS = ["1e30", "6.0", "-1", "99999999999999999999", "1e400", "true", '"6"', "6.5"]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_is_none_never_arrives(stage: Stage, number: str) -> None:
    """By the CRD's schema, or by us; 6.0 is 6, a generation that is not there yet."""
    body = f'{{"status":{{"observedGeneration":{number}}}}}'
    answer = stage.cluster.call("operator", "PATCH", f"{SKYHOOK}/status", body, MERGE_PATCH)
    assert answer.status in (400, 422), answer
    assert "observedGeneration" not in stage.get(SKYHOOK)["status"]


def test_a_status_in_yaml_is_judged_as_in_json(stage: Stage) -> None:
    live = stage.get(SKYHOOK)
    live["status"]["nodeStatus"]["node-1"] = "done"
    answer = stage.cluster.call("operator", "PUT", f"{SKYHOOK}/status", json.dumps(live), YAML)
    assert refused_fields(answer) == {"status.nodeStatus[node-1]"}


@pytest.mark.parametrize("part", ["scale", "finalizers", "nothing"])
def test_there_is_no_other_way_into_a_skyhook(stage: Stage, part: str) -> None:
    change = {"status": {"status": "complete"}}
    answer = stage.cluster.call("operator", "PATCH", f"{SKYHOOK}/{part}", change, MERGE_PATCH)
    assert answer.status in (404, 405)


def test_a_json_patch_that_moves_copies_and_tests_is_judged_by_its_outcome(stage: Stage) -> None:
    state = "/status/nodeState/node-1/tuning|1.2.3"
    steps = [
        {"op": "add", "path": "/status/packageList", "value": "skipped"},
        {"op": "move", "from": "/status/packageList", "path": f"{state}/state"},
        {"op": "add", "path": "/status/packageList", "value": "tuning:1.2.3"},
    ]
    answer = stage.cluster.call("operator", "PATCH", f"{SKYHOOK}/status", steps, JSON_PATCH)
    assert refused_fields(answer) == {f"status.nodeState[node-1][{PACKAGE}]"}


def test_removal_by_apply_of_what_another_manager_left_is_judged(stage: Stage) -> None:
    """Server-side apply prunes what its manager had: the same rules hold for what goes."""
    named = {"apiVersion": f"{PREFIX}/v1alpha1", "kind": "Skyhook", "metadata": {"name": "gpu"}}
    path = f"{SKYHOOK}/status?fieldManager=pruner&force=true"
    had = {**named, "status": {"status": "blocked"}}
    assert stage.cluster.call("operator", "PATCH", path, had, APPLY_PATCH).status == 200
    live = stage.get(SKYHOOK)
    live["metadata"]["managedFields"] = [
        e for e in live["metadata"]["managedFields"] if e["manager"] == "pruner"
    ]
    assert stage.cluster.call("kubernetes-admin", "PUT", f"{SKYHOOK}/status", live).status == 200
    answer = stage.cluster.call("operator", "PATCH", path, {**named, "status": {}}, APPLY_PATCH)
    if answer.status != 200:  # who wrote it last decides whether it goes at all
        assert refused_fields(answer) == {"status.status"}
    assert stage.get(SKYHOOK)["status"]["status"] == "blocked"


def conditions(*statuses: str) -> list[dict[str, str]]:
    return [
        {"type": f"{PREFIX}/gpu/NotReady", "status": s, "reason": "Incomplete"} for s in statuses
    ]


@pytest.mark.parametrize("way", ["put", "json"])
def test_a_condition_of_a_node_stands_once(stage: Stage, way: str) -> None:
    """The API server does not mind two of a type; readers take one or the other."""
    change = {"status": {"conditions": conditions("True", "Bogus")}}
    answer = write(stage, "operator", way, f"{NODE}/status", change)
    assert refused_fields(answer) == {f"status.conditions[{PREFIX}/gpu/NotReady]"}


def test_a_condition_of_a_skyhook_stands_once_by_its_schema(stage: Stage) -> None:
    change = {"status": {"conditions": rollout.ready("False", "Progressing") * 2}}
    answer = write(stage, "operator", "put", f"{SKYHOOK}/status", change)
    assert (answer.status, "Duplicate value" in answer.body["message"]) == (422, True)


def test_a_dying_object_is_judged_like_any_other(stage: Stage) -> None:
    assert stage.cluster.call(ADMIN, "DELETE", SKYHOOK).status == 200
    change = {"status": {"nodeStatus": {"node-1": "done"}}}
    assert refused_fields(write(stage, "operator", "merge", f"{SKYHOOK}/status", change))
    person = write(stage, ADMIN, "merge", f"{SKYHOOK}/status", {"status": {"status": "erroring"}})
    assert refused_fields(person) == {"status.status"}
    both = {
        "metadata": {"finalizers": None},
        "spec": {"packages": {"Bad_Key": {"version": "1", "image": "i"}}},
    }
    assert refused_fields(write(stage, ADMIN, "merge", SKYHOOK, both)) == {"spec.packages[Bad_Key]"}
    stage.remove("Skyhook", "gpu")  # fmt: skip


def test_a_node_is_not_asked_about_when_it_registers(stage: Stage, guard: Guard) -> None:
    """Limit: what a Node is created with is not ours to hold up; from then on it is judged."""
    stage.remove("Node", "node-2")
    made = rollout.node()
    made["metadata"] = {"name": "node-2", "annotations": {NODE_STATE: BAD}}
    calls = guard.reviews()
    assert stage.cluster.call(ADMIN, "POST", PATHS["Node"], made).status == 201
    assert guard.reviews() == calls
    path = f"{PATHS['Node']}/node-2"
    other = {PACKAGE: entry("config/complete"), "b|1": {**entry("apply/complete"), "name": "b"}}
    assert refused_fields(annotated(stage, json.dumps(other), path=path))  # b|1 is not 1.2.3
    stage.remove("Node", "node-2")


def test_a_deleted_skyhook_comes_back_without_a_status_and_is_given_one_freely(
    stage: Stage,
) -> None:
    """Limit: a restore is two writes, and the second has no history; its words are judged."""
    saved = stage.get(SKYHOOK)
    stage.remove("Skyhook", "gpu")
    body = {**rollout.skyhook(), "status": saved["status"]}
    made = stage.cluster.call("bystander", "POST", PATHS["Skyhook"], body)
    assert (made.status, "status" in made.body) == (201, False)
    bad = copy.deepcopy(saved["status"])
    bad["nodeStatus"]["node-1"] = "done"
    for status, through in ((bad, False), (saved["status"], True)):
        whole = {**stage.get(SKYHOOK), "status": status}
        answer = stage.cluster.call("bystander", "PUT", f"{SKYHOOK}/status", whole)
        assert (answer.status == 200) is through, answer


def test_a_person_who_is_impersonated_is_judged_as_that_person(stage: Stage) -> None:
    """RBAC says who may impersonate; we see the one who is played, as RBAC does."""
    change = {"status": {"status": "erroring"}}
    path = f"{SKYHOOK}/status"
    for user, through in (
        ("sre@example.com", False),
        ("system:serviceaccount:skyhook:skyhook-operator-controller-manager", True),
        ("x-system:serviceaccount:skyhook:skyhook-operator-controller-manager", False),
    ):
        stage.set("Skyhook", rollout.skyhook())
        answer = stage.cluster.call(user, "PATCH", path, change, MERGE_PATCH)
        if answer.status == 403 and "webhook" not in answer.body["message"]:
            continue  # RBAC did not let the stranger through
        assert (answer.status == 200) is through, (user, answer)


def test_the_glass_is_not_broken_by_people_nor_through_the_status(stage: Stage) -> None:
    text = "2026-11-30T12:00:00Z INC-1: stuck"
    spec = {"packages": {"Bad_Key": {"version": "1.0.0", "image": "registry.example/x"}}}
    change = {"metadata": {"annotations": {GLASS: text}}, "spec": spec}
    assert refused_fields(write(stage, ADMIN, "merge", SKYHOOK, change)) == {
        "spec.packages[Bad_Key]"
    }
    only = {"metadata": {"annotations": {GLASS: text}}}
    assert write(stage, ADMIN, "merge", SKYHOOK, only).status == 200
    done = {"status": {"nodeStatus": {"node-1": "done"}}}
    assert refused_fields(write(stage, "operator", "merge", f"{SKYHOOK}/status", done))


def test_keys_of_the_other_identity_are_judged_by_its_words(stage: Stage) -> None:
    change = {"metadata": {"annotations": {"nodewright.nvidia.com/nodeState_gpu": BAD}}}
    answer = stage.cluster.call("nodewright-operator", "PATCH", NODE, change, MERGE_PATCH)
    assert refused_fields(answer)
    label = {"metadata": {"labels": {"nodewright.nvidia.com/status_gpu": "done"}}}
    assert refused_fields(stage.cluster.call(ADMIN, "PATCH", NODE, label, MERGE_PATCH))


def test_a_strategic_patch_that_replaces_all_annotations_is_judged(stage: Stage) -> None:
    change = {"metadata": {"annotations": {"$patch": "replace", NODE_STATE: BAD}}}
    answer = stage.cluster.call("operator", "PATCH", NODE, change, STRATEGIC_MERGE_PATCH)
    assert refused_fields(answer)


def test_a_status_label_of_a_node_holds_words_only(stage: Stage) -> None:
    change = {"metadata": {"labels": {NODE_STATUS: "done"}}}
    for path in (NODE, f"{NODE}/status"):
        answer = stage.cluster.call("operator", "PATCH", path, change, MERGE_PATCH)
        assert refused_fields(answer), path


def test_a_node_that_swells_in_our_review_is_still_judged(stage: Stage) -> None:
    """JSON writes < as six characters: 1.2 MB of it in an object are 14 MB in a review."""
    long = {"type": "Filler", "status": "True", "reason": "x", "message": "<" * 600_000}
    filler = [{**long, "type": f"Filler{n}"} for n in (1, 2)]
    path = f"{NODE}/status"
    change = {"status": {"conditions": filler}}
    kubelet = "system:node:node-1"
    answer = stage.cluster.call(kubelet, "PATCH", path, change, STRATEGIC_MERGE_PATCH)
    assert answer.status == 200, str(answer)[:300]
    try:
        assert refused_fields(annotated(stage, BAD))
    finally:
        stage.remove("Node", "node-1")


def test_an_annotation_of_the_largest_size_is_judged(stage: Stage) -> None:
    text = json.dumps({PACKAGE: {**entry("config/complete"), "state": "done", "x": "<" * 250_000}})
    assert refused_fields(annotated(stage, text))
    assert stage.cluster.call("operator", "PUT", NODE, stage.get(NODE), JSON).status == 200


def test_a_node_with_thousands_of_conditions_is_still_judged(stage: Stage) -> None:
    """The cost of our matchConditions grows with the list; over the API server's budget nobody asks us.

    It stays below: with 70,000 the API server itself gives up on the write (504), which is then not made.
    """
    many = [{"type": f"a{n}", "status": "True"} for n in range(8_000)]
    live = {**stage.get(NODE), "status": {"conditions": many}}
    answer = stage.cluster.call("system:node:node-1", "PUT", f"{NODE}/status", live)
    try:
        assert answer.status == 200, str(answer)[:300]
        assert refused_fields(annotated(stage, BAD))
    finally:
        stage.remove("Node", "node-1")
