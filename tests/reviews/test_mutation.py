"""Mutating admission as the API server meets it: cases of public bug reports, recordings, people."""

from __future__ import annotations

import base64
import copy
import functools
import gzip
import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import jsonpatch
import pytest

from tests.conftest import NOW, ROOT, SHARED
from webhook.catalog import shipped
from webhook.core.window import CLOSED, OPEN, Window
from webhook.core.writer import UserGlobs, Writer
from webhook.reviews.decode import decode_admission, request_of
from webhook.reviews.mirroring import MirrorSettings, keepers_of
from webhook.reviews.mutation import Mutation, mutate, mutation_answer, mutation_review

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PROFILES = [shipped("skyhook"), shipped("nodewright")]
OPERATORS = UserGlobs.of(PROFILES[0].identity.operators if PROFILES[0].identity else ())
CASES = {
    path.stem: json.loads(path.read_text())
    for path in sorted((ROOT / "tests" / "mutations" / "cases").glob("*.json"))
}
P = "skyhook.nvidia.com"


DEFAULT = MirrorSettings()


def mutation(
    request: dict[str, Any], settings: MirrorSettings = DEFAULT, now: datetime = NOW
) -> Mutation:
    body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    sent = json.dumps(body, ensure_ascii=False).encode()
    keepers = keepers_of(PROFILES, settings)
    in_one_pass, found = (
        mutate(request_of(read(sent)), keepers, operators=OPERATORS, now=now)
        for read in (mutation_review, decode_admission)
    )
    assert in_one_pass == found
    return found


def patch_of(found: Mutation) -> list[dict[str, Any]]:
    return [] if found.patch is None else json.loads(found.patch)


def applied(request: dict[str, Any], patch: list[dict[str, Any]]) -> Any:
    """By the strict library, on the whole reviewed object."""
    return jsonpatch.JsonPatch(patch).apply(copy.deepcopy(request["object"]))


def check_patch(request: dict[str, Any], patch: list[dict[str, Any]]) -> Any:
    """What holds for every patch of ours; returns the object it leads to."""
    assert all(op["path"].startswith("/status/conditions") for op in patch)
    assert {op["op"] for op in patch} <= {"add", "replace", "remove"}
    kinds = [op["op"] for op in patch if op["path"].count("/") == 3]
    assert kinds == sorted(kinds, key=["add", "replace", "remove"].index)
    result = applied(request, patch)
    types = [c["type"] for c in (result.get("status") or {}).get("conditions") or ()]
    assert len(types) == len(set(types))
    outside = copy.deepcopy(result), copy.deepcopy(request["object"])
    for one in outside:
        (one.get("status") or {}).pop("conditions", None)
    assert outside[0] == outside[1]
    again = mutation({**request, "object": result})
    assert again.patch is None, "sent again, it changes again"
    return result


@pytest.mark.parametrize("name", CASES)
def test_a_case(name: str):
    request = CASES[name]["request"]["body"]["request"]
    found = mutation(request)
    expected = CASES[name]["expect"]
    expected = (expected.get("any_of") or [expected])[0]
    response = mutation_answer(
        request_of(decode_admission(json.dumps(CASES[name]["request"]["body"]).encode())), found
    )
    assert response.allowed
    assert response.uid == request["uid"]
    assert (response.patch is None) == (response.patch_type is None)
    if request["object"] is None:
        assert response.patch is None
        return
    result = check_patch(request, patch_of(found))
    wanted = expected.get("patch", {})
    for pointer, value in wanted.get("result_json", {}).items():
        here: Any = result
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            here = here[int(key)] if isinstance(here, list) else here[key]
        assert json.dumps(here) == json.dumps(value), pointer
    for op in wanted.get("no_op", []):
        assert op not in [o["op"] for o in patch_of(found)]
    for pointer in wanted.get("never_under", []):
        assert not [o for o in patch_of(found) if o["path"].startswith(pointer)]


def test_b11_a_status_write_gets_its_mirrors():
    request = CASES["B11"]["request"]["body"]["request"]
    result = check_patch(request, patch_of(mutation(request)))
    types = [c["type"] for c in result["status"]["conditions"]]
    bare = [t for t in types if "/" not in t]
    assert bare
    assert {f"{P}/{t}" for t in bare} <= set(types)


def write(new: list[dict] | None, old: list[dict] | None, **more: Any) -> dict[str, Any]:
    def whole(conditions: list[dict] | None) -> dict[str, Any]:
        status: dict[str, Any] = {"status": "in_progress", "nodeStatus": {"node-a": "in_progress"}}
        if conditions is not None:
            status["conditions"] = conditions
        return {
            "apiVersion": f"{P}/v1alpha1",
            "kind": "Skyhook",
            "metadata": {"name": "a", "generation": 3},
            "spec": {},
            "status": status,
        }

    return {
        "uid": "u",
        "operation": "UPDATE",
        "kind": {"group": P, "version": "v1alpha1", "kind": "Skyhook"},
        "resource": {"group": P, "version": "v1alpha1", "resource": "skyhooks"},
        "subResource": "status",
        "userInfo": {"username": "platform-admin"},
        "object": whole(new),
        "oldObject": whole(old),
        **more,
    }


READY = {
    "type": "Ready",
    "status": "True",
    "reason": "R",
    "message": "m",
    "lastTransitionTime": "t",
}


@pytest.mark.parametrize(
    "more",
    [
        {"subResource": None},
        {"subResource": "scale"},
        {"operation": "CREATE"},
        {"operation": "DELETE"},
        {"operation": "CONNECT"},
        {"resource": {"group": P, "version": "v1alpha1", "resource": "deploymentpolicies"}},
        {"resource": {"group": "", "version": "v1", "resource": "nodes"}},
        {"object": None},
        {"object": {"status": "text"}},
        {"object": {"status": {"conditions": {}}}},
        {"object": {"status": {"conditions": [READY, READY]}}},
        {"oldObject": None},
        {"oldObject": {"status": {"conditions": "x"}}},
        {"object": {"metadata": "x", "status": {"conditions": [READY]}}},
    ],
)  # fmt: skip
def test_no_patch_for_other_writes_and_on_any_doubt(more: dict[str, Any]):
    assert mutation(write([READY], [READY], **more)).patch is None


def test_the_same_write_without_doubt_is_patched():
    assert mutation(write([READY], [READY])).patch is not None


def test_nobody_mirrors_read_only_objects():
    settings = MirrorSettings(read_only=frozenset({"skyhook"}))
    assert mutation(write([READY], [READY]), settings).patch is None


def test_nodewrights_get_their_prefix_and_a_second_one_on_demand():
    resource = {"group": "nodewright.nvidia.com", "version": "v1alpha1", "resource": "nodewrights"}
    request = write([READY], [READY], resource=resource)
    (add,) = patch_of(mutation(request))
    assert add["value"]["type"] == "nodewright.nvidia.com/Ready"
    both = MirrorSettings(further_prefixes={"nodewright": (P,)})
    types = [op["value"]["type"] for op in patch_of(mutation(request, both))]
    assert types == ["nodewright.nvidia.com/Ready", "skyhook.nvidia.com/Ready"]


UNTIL = MirrorSettings(window=Window(until=NOW + timedelta(days=92)))


def test_people_hear_how_long_it_lasts_and_only_they():
    (warning,) = mutation(write([READY], [READY]), UNTIL).warnings
    assert "92 days" in warning
    assert f"{P}/Ready" in warning
    assert warning.isprintable()
    assert len(warning) <= 250
    for user in (
        "system:serviceaccount:skyhook:skyhook-operator-controller-manager",
        "system:serviceaccount:a:b",
        "",
    ):
        assert mutation(write([READY], [READY], userInfo={"username": user}), UNTIL).warnings == ()


@pytest.mark.parametrize(
    "window", [OPEN, CLOSED, Window(until=NOW)], ids=["open", "closed", "over"]
)
def test_nobody_hears_anything_where_no_end_lies_ahead(window: Window):
    assert mutation(write([READY], [READY]), MirrorSettings(window=window)).warnings == ()


def test_nobody_hears_of_names_that_the_object_does_not_carry():
    assert mutation(write([], []), UNTIL).warnings == ()


def test_old_names_are_counted_with_their_writer():
    mirror = {**READY, "type": f"{P}/Ready"}
    made = mutation(write([READY], []))
    assert (made.writer, made.carried, made.written) == (Writer.PERSON, (f"{P}/Ready",), ())
    wrote = mutation(write([READY, mirror], []))
    assert (wrote.carried, wrote.written) == ((f"{P}/Ready",), (f"{P}/Ready",))
    assert mutation(write([READY, mirror], [READY, mirror])).written == ()


def test_the_answer_carries_the_patch_in_base64():
    found = mutation(write([READY], [READY]))
    body = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": write([READY], [READY]),
    }
    response = mutation_answer(request_of(decode_admission(json.dumps(body).encode())), found)
    assert response.patch_type == "JSONPatch"
    assert response.patch is not None
    assert base64.b64decode(response.patch) == found.patch


def status_writes(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            for line in lines:
                if b'"skyhooks"' not in line:
                    continue
                request = json.loads(line)["request"]
                kind = (
                    request["resource"]["resource"],
                    request.get("subResource"),
                    request["operation"],
                )
                if kind == ("skyhooks", "status", "UPDATE"):
                    yield request


@functools.cache
def checked_in() -> list[dict[str, Any]]:
    return list(status_writes(ROOT / "tests" / "recorded"))


SETTINGS = {
    "open": MirrorSettings(),
    "closed": MirrorSettings(window=CLOSED),
    "strip": MirrorSettings(window=CLOSED, strip=True),
    "0.15": MirrorSettings(releases={"skyhook": "0.15"}),
    "ready": MirrorSettings(project_ready=True),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_recorded_status_writes_are_patched_and_then_at_rest(name: str):
    writes = checked_in()[:: 1 if name == "open" else 3]
    assert len(writes) > 300
    assert (check_recorded(writes, name) > 0) == (name != "closed"), "0.16 keeps its own mirrors"


@pytest.mark.nightly
@pytest.mark.parametrize("name", SETTINGS)
def test_all_recorded_status_writes(name: str):
    folder = SHARED / "skyhook" / "recorded"
    if not folder.is_dir():
        pytest.skip("the shared folder is not here")
    assert (check_recorded(status_writes(folder), name) > 0) == (name != "closed")


def check_recorded(writes: Iterable[dict[str, Any]], name: str) -> int:
    """Each patch applies under the strict library and is empty when sent again; how many there were."""
    patched = 0
    for request in writes:
        found = mutation(request, SETTINGS[name], NOW + timedelta(days=2))
        assert found.doubt == ""
        if found.patch is not None:
            patched += 1
            result = applied(request, patch_of(found))
            again = mutation({**request, "object": result}, SETTINGS[name], NOW + timedelta(days=3))
            assert again.patch is None, request["uid"]
    return patched
