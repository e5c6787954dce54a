"""Properties of every verdict, whatever JSON comes: seeds are printed by Hypothesis on failure.

The objects are recorded ones with arbitrary values planted, and arbitrary JSON under guarded kinds.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import NOW
from tests.corpus import reading
from tests.lifecycle.skyhook import PREFIX, entry, ready
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, review
from webhook.reviews.answer import LONGEST_CAUSE, LONGEST_WARNING, MOST_CAUSES, MOST_WARNINGS
from webhook.reviews.engine import Engine

if TYPE_CHECKING:
    from webhook.reviews.verdict import Verdict

FAST = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
LONG = settings(FAST, max_examples=5000, derandomize=False, print_blob=True)
USERS = st.sampled_from([OPERATOR, ACCOUNT, PERSON, "system:node:n1", None])
STATUSES = [
    "complete",
    "blocked",
    "waiting",
    "disabled",
    "paused",
    "in_progress",
    "erroring",
    "unknown",
]

WORDS = st.one_of(
    st.sampled_from(
        [*STATUSES, "apply", "config", "interrupt", "skipped", "True", "False", "Unknown", "foo|1.0", "n1", "true", "1/2", "9/2", "", "2026-05-01T10:00:00Z", "{", "{}", "[]", '{"foo|1.0":{"stage":"apply","state":"complete"}}']
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)  # fmt: skip
KEYS = st.one_of(
    st.sampled_from(
        ["status", "nodeState", "nodeStatus", "conditions", "type", "stage", "state", "name", "version", "metadata", "annotations", "labels", f"{PREFIX}/nodeState_gpu", f"{PREFIX}/status_gpu", "generation", "observedGeneration", "spec", "packages", "compartmentStatuses", "batchState", "currentBatch", "nodePriority", "configUpdates", "foo|1.0"]
    ),
    WORDS,
)  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False), WORDS
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=20,
)


@cache
def recorded() -> list[dict[str, Any]]:
    """One recorded write in each of many kinds: (operator's, people's; Skyhooks, Nodes)."""
    names = [p.name for p in reading.files(reading.CHECKED_IN) if p.name != reading.REJECTED_FILE]
    lines = list(reading.lines(reading.CHECKED_IN, names=names))
    writes = [json.loads(line) for line in lines[:: max(1, len(lines) // 400)]]
    return [w for w in writes if w["request"].get("oldObject") and w["request"].get("object")]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document, those inside of annotations excepted."""
    found = [path] if path else []
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, kid in inner:
        found += places(kid, (*path, key))
    return found


def planted(value: Any, path: tuple[Any, ...], what: Any) -> Any:
    """A copy of ``value`` with ``what`` at ``path``."""
    changed = copy.deepcopy(value)
    here = changed
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = what
    return changed


@st.composite
def damaged(draw: Any) -> dict[str, Any]:
    """A recorded write with arbitrary JSON at some places of the old or the new object."""
    write = copy.deepcopy(draw(st.sampled_from(recorded())))
    for _ in range(draw(st.integers(1, 3))):
        side = draw(st.sampled_from(["object", "oldObject"]))
        there = places(write["request"][side])
        if there:
            write["request"][side] = planted(
                write["request"][side], draw(st.sampled_from(there)), draw(JSON)
            )
    user = draw(USERS)
    write["request"]["userInfo"] = None if user is None else {"username": user}
    return write


@st.composite
def arbitrary(draw: Any) -> dict[str, Any]:
    """Arbitrary JSON for old and new, under a guarded kind."""
    kind = draw(st.sampled_from(["Skyhook", "Node", "DeploymentPolicy", "NodeWright"]))
    old, new = draw(st.one_of(st.none(), JSON)), draw(JSON)
    whole = review({"kind": kind}, {"kind": kind}, draw(USERS))
    if kind == "NodeWright":
        whole["request"]["kind"]["group"] = "nodewright.nvidia.com"
    whole["request"].update(object=new, oldObject=old)
    return whole


@cache
def engine() -> Engine:
    """The engine without any settings; no fixture, since Hypothesis would print it whole."""
    return Engine.default(lambda: NOW)


def answered(whole: dict[str, Any]) -> Verdict:
    """The verdict; its answer always parses, and nothing raises."""
    judged = engine().judge_body(json.dumps(whole).encode())
    answer = json.loads(judged.encode())
    within_limits(answer, judged.verdict)
    return judged.verdict


def within_limits(answer: dict[str, Any], verdict: Verdict) -> None:
    response = answer["response"]
    assert response["uid"]
    assert response["allowed"] is verdict.allowed
    warnings = response.get("warnings", [])
    assert len(warnings) <= MOST_WARNINGS
    assert sum(map(len, warnings)) <= 4096
    causes = response["status"]["details"]["causes"] if not verdict.allowed else []
    assert len(causes) <= MOST_CAUSES + 1
    texts = [*warnings, *(c["message"] for c in causes), *(c["field"] for c in causes)]
    assert all(len(w) <= LONGEST_WARNING for w in warnings)
    assert all(len(c["message"]) <= LONGEST_CAUSE for c in causes)
    assert all(t.isprintable() for t in texts)
    assert all(len(v) <= LONGEST_CAUSE for v in response.get("auditAnnotations", {}).values())
    assert len(response.get("status", {}).get("message", "")) <= LONGEST_CAUSE


def same_both_sides(whole: dict[str, Any]) -> None:
    """Equal old and new are allowed, without a word."""
    request = {**whole["request"], "operation": "UPDATE", "oldObject": whole["request"]["object"]}
    assert answered({**whole, "request": request}).findings == ()


@FAST
@given(damaged())
def test_no_rule_raises_on_any_value_in_a_recorded_object(whole):
    answered(whole)
    same_both_sides(whole)


@FAST
@given(arbitrary())
def test_no_rule_raises_on_any_json_at_all(whole):
    answered(whole)
    same_both_sides(whole)


@pytest.mark.nightly
@LONG
@given(st.one_of(damaged(), arbitrary()))
def test_no_rule_raises_on_any_json_in_a_long_run(whole):
    answered(whole)
    same_both_sides(whole)


@FAST
@given(damaged(), st.sampled_from(["a", "b"]))
def test_an_old_defect_never_denies(whole, label):
    """Whatever the object holds, a write that only labels it goes through, and so does a finalizer."""
    held = whole["request"]["object"]
    if not isinstance(held, dict) or not isinstance(held.get("metadata"), dict):
        return
    metadata = {k: v for k, v in held["metadata"].items() if k not in ("labels", "finalizers")}
    before = {**held, "metadata": {**metadata, "labels": {"team": label}}}
    after = {**held, "metadata": {**metadata, "labels": {"team": "c"}, "finalizers": ["x/y"]}}
    request = {**whole["request"], "operation": "UPDATE", "oldObject": before, "object": after}
    assert answered({**whole, "request": request}).allowed


def without(value: Any, path: tuple[Any, ...]) -> Any:
    changed = copy.deepcopy(value)
    here = changed
    for key in path[:-1]:
        here = here[key]
    del here[path[-1]]
    return changed


SETTLED = {
    "status": "in_progress",
    "nodeStatus": {"n1": "in_progress", "n2": "waiting"},
    "nodeBootIds": {"n1": "a", "n2": "b"},
    "nodeState": {"n1": {"foo|1.0": entry("config/in_progress")}, "n2": {}},
    "completeNodes": "0/2",
    "nodesInProgress": 1,
    "packageList": "foo:1.0",
    "nodeOrderOffset": 3,
    "configUpdates": {"foo": ["a"]},
    "conditions": [ready("False", "Progressing"), ready("False", "Progressing", kind=f"{PREFIX}/Ready")],
    "compartmentStatuses": {"c": {"matched": 2, "ceiling": 1, "completed": 0, "inProgress": 1, "progressPercent": 0}},
}  # fmt: skip
REPAIRED = [
    ("status",), ("nodeStatus",), ("nodeStatus", "n1"), ("nodeState",), ("nodeState", "n1"), ("nodeState", "n1", "foo|1.0"),
    ("nodeState", "n1", "foo|1.0", "stage"), ("nodeState", "n1", "foo|1.0", "state"), ("nodeState", "n1", "foo|1.0", "name"),
    ("completeNodes",), ("packageList",), ("configUpdates",), ("configUpdates", "foo"), ("conditions",),
    ("conditions", 0, "status"), ("conditions", 0, "reason"), ("compartmentStatuses",), ("compartmentStatuses", "c"),
]  # fmt: skip
NO_WORD = JSON.filter(
    lambda v: v is not None and v not in ("complete", "config", "apply", "True", "False", "")
)


@FAST
@given(st.sampled_from(REPAIRED), NO_WORD, USERS)
def test_a_repair_of_an_illegal_value_is_always_allowed(path, broken, user):
    """From any unreadable or illegal value, by anybody, to what the operator would have there."""
    here: Any = SETTLED
    for key in path:
        here = here[key]
    if isinstance(here, dict | list) and isinstance(broken, dict | list):
        return  # other entries in the place of ours: no repair of one value
    good = {
        "kind": "Skyhook",
        "metadata": {"name": "gpu", "generation": 5},
        "spec": {},
        "status": SETTLED,
    }
    bad = {**good, "status": planted(SETTLED, path, broken)}
    if not answered(review(good, bad, OPERATOR)).denied:
        return  # the planted value is legal after all
    verdict = answered(review(bad, good, user))
    assert verdict.allowed, (broken, [(f.rule, f.message) for f in verdict.denied])


ANNOTATIONS = [f"{PREFIX}/nodeState_gpu", f"{PREFIX}/status_gpu", f"{PREFIX}/cordon_gpu"]


@FAST
@given(st.sampled_from(ANNOTATIONS), JSON, USERS)
def test_a_repair_of_a_node_is_always_allowed(key, broken, user):
    state = json.dumps(
        {
            "foo|1.0": entry("post-interrupt/complete"),
            "bar|2.0": entry("interrupt/skipped", "bar|2.0"),
        }
    )
    annotations = dict(zip(ANNOTATIONS, (state, "blocked", "true"), strict=True))
    good = {"kind": "Node", "metadata": {"name": "n1", "annotations": annotations}}
    text = broken if isinstance(broken, str) else json.dumps(broken)
    bad = {"kind": "Node", "metadata": {"name": "n1", "annotations": {**annotations, key: text}}}
    illegal = answered(review(good, bad, PERSON)).denied
    if any(f.closed for f in illegal) and key != ANNOTATIONS[0]:
        assert answered(review(bad, good, user)).allowed
    if any(f.rule == "skyhook.node-state-json" for f in illegal):
        assert answered(review(bad, good, user)).allowed


@pytest.mark.parametrize("depth", [50, 400, 900])
@pytest.mark.parametrize("key", ["restarts", "name", "image", "other"])
def test_a_value_nested_deeply_stops_no_judgement(key, depth):
    """Nested so deep that it is readable and hard to compare: in an annotation, where no schema looks."""
    deep = '{"a":' * depth + "%s" + "}" * depth
    whole = (
        '{"foo|1.0":{"name":"foo","version":"1.0","image":"i","stage":"%s","state":"%s","'
        + key
        + '":'
        + deep
        + "}}"
    )
    nodes = [
        {"kind": "Node", "metadata": {"name": "n", "annotations": {ANNOTATIONS[0]: whole % values}}}
        for values in (("apply", "in_progress", 1), ("interrupt", "skipped", 2))
    ]
    verdict = answered(review(*nodes, PERSON))
    assert not verdict.allowed
    assert answered(review(nodes[0], nodes[0], PERSON)).findings == ()
