"""Ready projected for operators that write none: the operator's words, its buckets, its order."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from tests.conftest import ROOT
from webhook.core.conditions import MirrorNames
from webhook.core.window import CLOSED, OPEN, Window
from webhook.mutations.keeper import Keeper, Kept, keep
from webhook.mutations.ready import REASONS, ready_message

P = "skyhook.nvidia.com"
NOW = datetime(2026, 11, 29, 12, 0, 7, 999, tzinfo=UTC)
LATER = datetime(2026, 11, 29, 13, tzinfo=UTC)


def keeper(window: Window = OPEN, *, project_ready: bool = True) -> Keeper:
    names = MirrorNames((P,), ("*", "!Transition"), frozenset({"Ready"}))
    return Keeper(names, window, project_ready=project_ready)


def status(
    word: str | None = "in_progress", conditions: Any = None, **nodes: str
) -> dict[str, Any]:
    found: dict[str, Any] = {"nodeStatus": nodes}
    if word is not None:
        found["status"] = word
    if conditions is not None:
        found["conditions"] = conditions
    return found


def kept(new: dict, old: dict, by: Keeper, now: datetime = NOW) -> Kept:
    raws = (
        msgspec.Raw(json.dumps({"metadata": {"generation": 4}, "status": s}).encode())
        for s in (new, old)
    )
    return keep(by, *raws, now)


def patch(new: dict, old: dict, by: Keeper | None = None, now: datetime = NOW) -> list[dict]:
    found = kept(new, old, by or keeper(), now)
    assert not found.doubt
    return [] if found.patch is None else json.loads(found.patch)


READY = {
    "lastTransitionTime": "2026-11-29T12:00:07Z",
    "message": "0/1 nodes complete, 1 in progress (a)",
    "observedGeneration": 4,
    "reason": "Progressing",
    "status": "False",
    "type": "Ready",
}
MIRROR = {**READY, "type": f"{P}/Ready"}


@pytest.mark.parametrize("conditions", [None, []])
def test_a_status_without_ready_gets_it_under_both_names(conditions: Any):
    steps = patch(status(conditions=conditions, a="in_progress"), {})
    values = steps[0]["value"] if conditions is None else [s["value"] for s in steps]
    assert values == [READY, MIRROR]
    assert steps[0]["path"] == (
        "/status/conditions" if conditions is None else "/status/conditions/0"
    )


def test_null_conditions_become_a_list():
    (step,) = patch(status(a="in_progress") | {"conditions": None}, {})
    assert (step["op"], step["path"], step["value"]) == (
        "add",
        "/status/conditions",
        [READY, MIRROR],
    )


def test_closed_it_comes_under_the_bare_name():
    (step,) = patch(status(a="in_progress"), {}, keeper(CLOSED))
    assert step["value"] == [READY]


def test_it_is_off_by_default():
    assert patch(status(a="in_progress"), {}, keeper(project_ready=False)) == []


@pytest.mark.parametrize("word", [None, "finished", "", 7, {}])
def test_no_status_no_ready(word: Any):
    assert patch(status(word, a="in_progress"), {}) == []


def test_an_operator_that_writes_ready_is_left_alone():
    for name in ("Ready", f"{P}/Ready"):
        own = {**READY, "type": name, "message": "mine", "reason": "Other"}
        steps = patch(
            status("complete", [own], a="complete"), status("in_progress", [own], a="in_progress")
        )
        assert "NodesConverged" not in json.dumps(steps)


def test_ours_follows_the_status_and_its_time_only_a_flip():
    before = status("in_progress", [READY, MIRROR], a="in_progress")
    steps = patch(status("erroring", [READY, MIRROR], a="erroring"), before, now=LATER)
    assert {(s["path"], s["value"]) for s in steps} == {
        ("/status/conditions/0/reason", "Erroring"),
        ("/status/conditions/0/message", "0/1 nodes complete, 1 erroring (a)"),
        ("/status/conditions/1/reason", "Erroring"),
        ("/status/conditions/1/message", "0/1 nodes complete, 1 erroring (a)"),
    }
    steps = patch(status("complete", [READY, MIRROR], a="complete"), before, now=LATER)
    said = [s["value"] for s in steps]
    assert [(v["status"], v["reason"], v["lastTransitionTime"]) for v in said] == [
        ("True", "NodesConverged", "2026-11-29T13:00:00Z")
    ] * 2


def test_an_operator_that_drops_it_from_its_array_gets_it_again_with_its_time():
    steps = patch(
        status("in_progress", [], a="in_progress"),
        status("in_progress", [READY, MIRROR], a="in_progress"),
        now=LATER,
    )
    assert [s["value"] for s in steps] == [READY, MIRROR]


def test_generation_is_the_old_object_s_as_a_status_write_cannot_change_it():
    new, old = (
        {"metadata": {"generation": g}, "status": s}
        for g, s in ((9, status(a="in_progress")), (4, {}))
    )
    found = keep(keeper(), *(msgspec.Raw(json.dumps(o).encode()) for o in (new, old)), NOW)
    assert found.patch is not None
    assert json.loads(found.patch)[0]["value"][0]["observedGeneration"] == 4


def test_the_reason_table_is_total_over_the_eight_statuses():
    assert sorted(REASONS) == [
        "blocked",
        "complete",
        "disabled",
        "erroring",
        "in_progress",
        "paused",
        "unknown",
        "waiting",
    ]


def test_buckets_come_in_the_operator_s_order_with_sorted_names():
    nodes = {"z": "unknown", "b": "complete", "a": "complete", "y": "disabled", "x": "paused", "w": "waiting", "v": "erroring", "u": "blocked", "t": "in_progress"}  # fmt: skip
    assert ready_message(nodes) == (
        "2/9 nodes complete (a, b), 1 in progress (t), 1 blocked (u), 1 erroring (v), 1 waiting (w), "
        "1 paused (x), 1 disabled (y), 1 unknown (z)"
    )


@pytest.mark.parametrize(("count", "listed"), [(10, True), (11, False)])
def test_more_than_ten_nodes_are_not_listed(count: int, listed: bool):
    said = ready_message({f"n{i:02}": "waiting" for i in range(count)})
    assert said.startswith(f"0/{count} nodes complete, {count} waiting (")
    assert said.endswith("(list truncated; see controller logs)") is not listed


def test_no_nodes_and_words_of_the_future():
    assert ready_message({}) == "0/0 nodes complete"
    assert ready_message({"a": "dreaming"}) == "0/1 nodes complete"


def test_nodes_without_a_status_are_unknown():
    (step,) = patch({"status": "waiting", "nodeBootIds": {"b": "x", "a": "y"}}, {})
    assert step["value"][0]["message"] == "0/2 nodes complete, 2 unknown (a, b)"


def test_it_says_what_the_real_operator_says():
    """Against recordings: take Ready away and project it again. The operator's writes may lag by one."""
    same = total = 0
    with gzip.open(ROOT / "tests" / "recorded" / "distilled.jsonl.gz") as lines:
        for line in lines:
            request = json.loads(line)["request"]
            if request["kind"]["kind"] != "Skyhook" or request.get("subResource") != "status":
                continue
            now = request["object"].get("status") or {}
            conditions = now.pop("conditions", None) or []
            real = next((c for c in conditions if c["type"] == "Ready"), None)
            old = next(
                (
                    c
                    for c in (request["oldObject"].get("status") or {}).get("conditions") or []
                    if c["type"] == "Ready"
                ),
                None,
            )
            if real is None or real == old or "status" not in now:
                continue
            total += 1
            (step,) = patch(now, {}, keeper(CLOSED))
            (made,) = step["value"]
            same += (made["reason"], made["message"]) == (real["reason"], real["message"])
    assert total > 500
    assert same > 0.95 * total


def test_every_word_of_the_operator_has_its_reason():
    assert REASONS == {
        "complete": "NodesConverged", "in_progress": "Progressing", "blocked": "Blocked", "erroring": "Erroring",
        "paused": "Paused", "waiting": "Waiting", "disabled": "Disabled", "unknown": "Unknown",
    }  # fmt: skip
    for word, reason in REASONS.items():
        [ready, _] = patch(status(word, conditions=[], a=word), {})
        assert (ready["value"]["reason"], ready["value"]["status"]) == (
            reason,
            "True" if word == "complete" else "False",
        )


def test_ready_under_its_other_name_alone_is_somebody_elses():
    old = status("blocked", [{**MIRROR, "reason": "Blocked"}], a="blocked")
    new = status("in_progress", [{**MIRROR, "reason": "Blocked"}], a="in_progress")
    for step in patch(new, old):
        assert step["value"]["reason"] == "Blocked"


def test_closed_ours_follows_the_status_alone():
    (first,) = patch(status("blocked", conditions=[], a="blocked"), {}, keeper(CLOSED))
    ours = first["value"]
    old = status("blocked", conditions=[ours], a="blocked")
    new = status("in_progress", conditions=[ours], a="in_progress")
    steps = patch(new, old, keeper(CLOSED))
    assert {step["path"] for step in steps} >= {"/status/conditions/0/reason"}
    assert patch(status("blocked", conditions=[ours], a="blocked"), old, keeper(CLOSED)) == []
