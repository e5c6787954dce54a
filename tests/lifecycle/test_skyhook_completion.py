"""A Skyhook or a node turns complete only when everything it stands for is done (I19, T:633)."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import PREFIX, entry, judged, ready, skyhook

DONE = {"foo|1.0": entry("config/complete")}


def spec(**package):
    return {"packages": {"foo": {"name": "foo", "version": "1.0", "image": "reg/foo", **package}}}


def before(**status):
    whole = {
        "status": "in_progress", "nodeStatus": {"n1": "in_progress"}, "nodeBootIds": {"n1": "a"},
        "nodeState": {"n1": DONE}, "conditions": [ready("False", "Progressing")], "nodePriority": {},
        "observedGeneration": 4,
    }  # fmt: skip
    return {**whole, **status}


def after(**status):
    return before(
        **{
            "status": "complete",
            "nodeStatus": {"n1": "complete"},
            "conditions": [ready("True", "NodesConverged")],
            "observedGeneration": 5,
            **status,
        }
    )


def found(old, new, the_spec=None, meta=None):
    one, two = (skyhook(spec=the_spec or spec(), meta=meta, **s) for s in (old, new))
    return [
        (f.rule.removeprefix("skyhook."), str(f.field), f.message)
        for f in judged(one, two)
        if f.severity.value == "deny"
    ]


def test_a_real_completion_is_silent():
    assert found(before(), after()) == []


@pytest.mark.parametrize(
    ("status", "rule", "text"),
    [
        ({"nodeStatus": {"n1": "complete", "n2": "erroring"}, "nodeBootIds": {"n1": "a", "n2": "b"}},
         "complete-needs-nodes", '"in_progress" -> "complete" while status.nodeStatus[n2] is "erroring"; a Skyhook is complete when each of its nodes is'),
        ({"nodePriority": {"n9": "2026-05-01T10:00:00Z"}}, "complete-needs-empty-priority",
         '"in_progress" -> "complete" while status.nodePriority still holds n9; a complete Skyhook has no node waiting for its turn'),
        ({"conditions": [ready("False", "NodesConverged")]}, "complete-needs-ready",
         ('"in_progress" -> "complete" while status.conditions[Ready].status is "False";'
          " Ready turns True/NodesConverged in the same write")),
        ({"conditions": [ready("True", "Progressing")]}, "complete-needs-ready",
         ('"in_progress" -> "complete" while status.conditions[Ready].reason is "Progressing";'
          " Ready turns True/NodesConverged in the same write")),
        ({"observedGeneration": 4}, "complete-needs-generation",
         ('"in_progress" -> "complete" while status.observedGeneration is 4 and status.conditions[Ready].observedGeneration is 5;'
          " both name the generation that is complete now")),
        ({"conditions": [ready("True", "NodesConverged"), ready("False", "Progressing", kind=f"{PREFIX}/Ready")]},
         "complete-needs-legacy-ready", (f'"in_progress" -> "complete" while status.conditions[{PREFIX}/Ready].status is "False";'
          " it turns True/NodesConverged in the same write")),
    ],
)  # fmt: skip
def test_complete_needs_all_of_it_in_one_write(status, rule, text):
    got = found(before(), after(**status))
    assert (rule, "status.status", text) in got


def test_without_any_ready_nothing_is_compared_with_it():
    assert found(before(conditions=[]), after(conditions=[])) == []


def test_after_a_rollback_the_bare_ready_is_frozen_and_its_twin_is_read():
    frozen = ready("False", "Progressing", generation=3)
    old = [frozen, ready("False", "Progressing", kind=f"{PREFIX}/Ready")]
    new = [frozen, ready("True", "NodesConverged", kind=f"{PREFIX}/Ready")]
    assert found(before(conditions=old), after(conditions=new)) == []


def test_zero_nodes_are_complete():
    nothing = {"nodeStatus": {}, "nodeState": {}}
    assert found(before(**nothing), after(**nothing)) == []


PLACE = "status.nodeState[n1][foo|1.0]"


@pytest.mark.parametrize(
    ("package", "pair", "text"),
    [
        ({}, "config/complete", None),
        ({}, "config/in_progress", "is config/in_progress while {} turns complete; a finished package is at config/complete"),
        ({}, "config/erroring", "is config/erroring while {} turns complete; a finished package is at config/complete"),
        ({}, "post-interrupt/complete", "is post-interrupt/complete while {} turns complete; a finished package is at config/complete"),
        ({"interrupt": {"type": "reboot"}}, "post-interrupt/complete", None),
        ({"interrupt": {"type": "reboot"}}, "config/complete",
         "is config/complete while {} turns complete; a finished package is at post-interrupt/complete"),
        ({}, None, "is absent while {} turns complete; a finished package is at config/complete"),
        ({"uninstall": {"enabled": True, "apply": True}}, None, None),
        ({"uninstall": {"enabled": True, "apply": False}}, None,
         "is absent while {} turns complete; a finished package is at config/complete"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("at", ["status.nodeStatus[n1]", "status.status"])
def test_every_package_of_the_spec_is_finished_on_a_node_that_turns_complete(
    package, pair, text, at
):
    state = {"nodeState": {"n1": {} if pair is None else {"foo|1.0": entry(pair)}}}
    was = {"nodeStatus": {"n1": "complete"}} if at == "status.status" else {}
    got = found(before(**state, **was), after(**state), spec(**package))
    assert got == ([] if text is None else [("node-complete", PLACE, text.format(at))])


@pytest.mark.parametrize(
    ("package", "pair", "finished"),
    [
        ({"configInterrupts": {"a": {}}}, "config/complete", True),
        ({"configInterrupts": {"a": {}}}, "post-interrupt/complete", True),
        ({"configInterrupts": {"a": {}}}, "apply/complete", False),
        ({"interrupt": {"type": "reboot"}}, "config/complete", True),
        ({"interrupt": {"type": "reboot"}}, "post-interrupt/complete", False),
    ],
)
def test_while_a_config_update_is_under_way_its_interrupts_decide(package, pair, finished):
    status = {"nodeState": {"n1": {"foo|1.0": entry(pair)}}, "configUpdates": {"foo": ["a"]}}
    got = found(before(**status), after(**status), spec(**package))
    assert [rule for rule, _, _ in got] == ([] if finished else ["node-complete"])


def test_both_ends_are_named_while_either_may_be_right():
    status = {
        "nodeState": {"n1": {"foo|1.0": entry("apply/complete")}},
        "configUpdates": {"foo": ["a"]},
    }
    ((_, _, text),) = found(before(**status), after(**status), spec(configInterrupts={"a": {}}))
    assert text.endswith("a finished package is at config/complete or post-interrupt/complete")


@pytest.mark.parametrize("generation", [4, 6])
def test_a_writer_that_saw_another_spec_is_not_asked(generation):
    status = {"nodeState": {"n1": {"foo|1.0": entry("apply/complete")}}}
    conditions = [ready("True", "NodesConverged", generation=generation)]
    got = found(
        before(**status), after(**status, conditions=conditions, observedGeneration=generation)
    )
    assert "node-complete" not in [rule for rule, _, _ in got]


def test_a_dying_skyhook_is_not_asked():
    meta = {"deletionTimestamp": "2026-05-01T10:00:00Z"}
    assert found(before(nodeState={}), after(nodeState={}), meta=meta) == []


def test_entries_of_other_versions_and_of_packages_that_left_the_spec_do_not_count():
    state = {
        "n1": {
            **DONE,
            "foo|0.9": entry("apply/in_progress", "foo|0.9"),
            "gone|1.0": entry("apply/erroring", "gone|1.0"),
        }
    }
    assert found(before(nodeState=state), after(nodeState=state)) == []


@pytest.mark.parametrize(
    ("old", "new", "rule", "place"),
    [
        ({"nodeStatus": {"n1": "in_progress"}, "nodePriority": {"n1": "2026-05-01T10:00:00Z"}},
         {"nodeStatus": {"n1": "complete"}, "nodePriority": {"n1": "2026-05-01T10:00:00Z"}},
         "complete-left-priority", "status.nodeStatus[n1]"),
        ({"nodeStatus": {"n1": "complete"}, "nodePriority": {}},
         {"nodeStatus": {"n1": "complete"}, "nodePriority": {"n1": "2026-05-01T10:00:00Z"}},
         "priority-of-unfinished", "status.nodePriority[n1]"),
        ({"nodeStatus": {}, "nodeBootIds": {}}, {"nodeStatus": {"n2": "waiting"}, "nodeBootIds": {}},
         "node-needs-boot-id", "status.nodeStatus[n2]"),
        ({"nodeStatus": {"n1": "waiting"}}, {"nodeStatus": {"n1": "done"}}, "node-status.value", "status.nodeStatus[n1]"),
        ({"status": "complete"}, {"status": None}, "status.removal", "status.status"),
    ],
)  # fmt: skip
def test_a_node_is_in_one_place_at_a_time(old, new, rule, place):
    got = found(before(**old), before(**new))
    assert [(r, p) for r, p, _ in got] == [(rule, place)]


def test_every_package_that_is_not_finished_is_told():
    names = ("bar", "baz", "foo")
    packages = {n: {"name": n, "version": "1.0", "image": f"reg/{n}"} for n in names}
    told = found(before(nodeState={}), after(nodeState={}), {"packages": packages})
    assert {n for n in names if any(f"[{n}|1.0]" in field for _, field, _ in told)} == set(names)
