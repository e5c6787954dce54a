"""Numbers of Skyhook.status that must add up, in one object and from write to write."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import judged, rules, skyhook

BATCH = "status.compartmentStatuses[c].batchState.currentBatch"


def found(old, new):
    """Each finding once: a rule that reads two places is asked at both, and the verdict joins them."""
    got = judged(skyhook(**old), skyhook(**new))
    return [
        (f.severity.value, f.rule.removeprefix("skyhook."), str(f.field), f.message)
        for f in dict.fromkeys(got)
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1/3", "2/3", None),
        ("1/3", "3/3", None),
        (None, "0/0", None),
        ("1/3", None, None),
        ("2/3", "4/3", '"4/3": 4 nodes cannot be complete of 3 that are selected'),
        ("2/3", "all", '"all" must be "<complete>/<selected>", as in "2/3"'),
        ("2/3", "", '"" must be "<complete>/<selected>", as in "2/3"'),
        ("2/3", " 2/3", '" 2/3" must be "<complete>/<selected>", as in "2/3"'),
        ("2/3", "2/3/4", '"2/3/4" must be "<complete>/<selected>", as in "2/3"'),
        ("2/3", "-1/3", '"-1/3" must be "<complete>/<selected>", as in "2/3"'),
        ("2/3", "1/1234567890", '"1/1234567890" must be "<complete>/<selected>", as in "2/3"'),
        ("2/3", 2, '2 must be "<complete>/<selected>", as in "2/3"'),
    ],
)
def test_complete_nodes_is_a_fraction_of_at_most_one(old, new, message):
    expected = (
        [] if message is None else [("deny", "complete-nodes", "status.completeNodes", message)]
    )
    assert found({"completeNodes": old}, {"completeNodes": new}) == expected


@pytest.mark.parametrize(
    ("done", "busy", "message"),
    [
        ("1/3", 2, None),
        (
            "1/3",
            3,
            "3 in progress and 1 complete are more than the 3 nodes that are selected (status.completeNodes)",
        ),
        ("0/0", 0, None),
        (
            "0/0",
            1,
            "1 in progress and 0 complete are more than the 0 nodes that are selected (status.completeNodes)",
        ),
        (None, 9, None),
        ("x", 9, None),
    ],
)
def test_in_progress_and_complete_nodes_fit_into_the_selected(done, busy, message):
    old = {"completeNodes": done, "nodesInProgress": 0}
    expected = (
        [] if message is None else [("deny", "in-progress-fits", "status.nodesInProgress", message)]
    )
    assert found(old, {**old, "nodesInProgress": busy}) == expected


@pytest.mark.parametrize("new", [-1, -100])
def test_nodes_in_progress_are_never_negative(new):
    expected = [
        (
            "deny",
            "nodes-in-progress.least",
            "status.nodesInProgress",
            f"1 -> {new}: it is never less than 0",
        )
    ]
    assert found({"nodesInProgress": 1}, {"nodesInProgress": new}) == expected
    assert found({"nodesInProgress": 7}, {"nodesInProgress": 0}) == []


KEYS = {"n1": "2026-05-01T10:00:00Z", "n2": "2026-05-01T10:00:00Z", "n3": "2026-05-01T10:00:00Z"}


def queue(offset, *names):
    return {"nodeOrderOffset": offset, "nodePriority": {n: KEYS[n] for n in names}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (queue(3, "n1", "n2"), queue(4, "n2"), []),
        (queue(3, "n1", "n2", "n3"), queue(6), []),
        (queue(3, "n1"), queue(3, "n1", "n2"), []),
        (queue(3, "n1"), queue(4, "n2"), []),
        (queue(7, "n1"), queue(0), []),
        (queue(7, "n1"), {"nodeOrderOffset": 0}, []),
        (queue(7, "n1"), {}, []),
        (queue(3, "n1", "n2"), queue(3, "n2"),
         [("offset-counts", "3 -> 3, but 1 node leaves status.nodePriority in this write; it must become 4")]),
        (queue(3, "n1"), queue(5, "n1"),
         [("offset-counts", "3 -> 5, but 0 nodes leave status.nodePriority in this write; it must become 3")]),
        (queue(3, "n1"), queue(2, "n1"),
         [("offset-counts", "3 -> 2, but 0 nodes leave status.nodePriority in this write; it must become 3"),
          ("order-offset.down", "3 -> 2 goes back; it stays or rises")]),
        (queue(3, "n1"), queue(-1, "n1"),
         [("order-offset-value.least", "3 -> -1: it is never less than 0"),
          ("order-offset.down", "3 -> -1 goes back; it stays or rises")]),
    ],
)  # fmt: skip
def test_the_offset_counts_the_nodes_that_left_the_queue(old, new, expected):
    got = found(old, new)
    assert sorted((rule, message) for _, rule, _, message in got) == expected
    assert {(severity, field) for severity, _, field, _ in got} <= {
        ("deny", "status.nodeOrderOffset")
    }


@pytest.mark.parametrize(
    ("old", "new", "rule", "message"),
    [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:01Z", None, None),
        ("2026-05-01T10:00:01Z", "2026-05-01T10:00:00Z", "down",
         '"2026-05-01T10:00:01Z" -> "2026-05-01T10:00:00Z" goes back; it stays or rises'),
        ("2026-05-01T10:00:00Z", "now", "format", '"now" is not an RFC 3339 time'),
    ],
)  # fmt: skip
def test_a_node_never_queues_earlier_than_it_did(old, new, rule, message):
    got = found({"nodePriority": {"n1": old}}, {"nodePriority": {"n1": new}})
    expected = (
        []
        if rule is None
        else [("deny", f"node-priority.{rule}", "status.nodePriority[n1]", message)]
    )
    assert got == expected


def compartment(**fields):
    whole = {"matched": 4, "ceiling": 2, "completed": 1, "inProgress": 1, "progressPercent": 25}
    return {"compartmentStatuses": {"c": {**whole, **fields}}}


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({}, None, None),
        ({"completed": 4, "progressPercent": 100}, None, None),
        ({"completed": 3, "progressPercent": 75, "inProgress": 4}, None, None),
        ({"matched": 3, "completed": 2, "progressPercent": 66}, None, None),
        ({"matched": 0, "completed": 0, "inProgress": 0, "progressPercent": 0}, None, None),
        ({"matched": 1, "completed": 1, "inProgress": 1, "progressPercent": 100}, None, None),
        ({"matched": -1}, "matched", "-1: it is never less than 0"),
        ({"ceiling": -1}, "ceiling", "-1: it is never less than 0"),
        ({"inProgress": -1}, "inProgress", "-1: it is never less than 0"),
        ({"completed": -1, "progressPercent": -25}, "completed", "-1: it is never less than 0"),
        ({"inProgress": 5}, "inProgress", "5 is more than the 4 nodes in this compartment"),
        (
            {"completed": 5, "progressPercent": 125},
            "completed",
            "5 is more than the 4 nodes in this compartment",
        ),
        (
            {"progressPercent": 26},
            "progressPercent",
            "26, but 1 of 4 nodes are complete: it must be 25",
        ),
        (
            {"progressPercent": 140},
            "progressPercent",
            "140, but 1 of 4 nodes are complete: it must be 25",
        ),
    ],
)
def test_the_numbers_of_a_compartment_add_up(fields, place, message):
    got = found(
        compartment(),
        compartment(ceiling=3, **fields) if "ceiling" not in fields else compartment(**fields),
    )
    expected = (
        []
        if place is None
        else [("deny", "compartment", f"status.compartmentStatuses[c].{place}", message)]
    )
    assert got == expected


def compartments(selected, **matched):
    there = {
        n: {"matched": m, "completed": 0, "inProgress": 0, "ceiling": 1, "progressPercent": 0}
        for n, m in matched.items()
    }
    return {"completeNodes": f"0/{selected}", "compartmentStatuses": there or None}


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (compartments(3, a=1, b=2), None),
        (compartments(3), None),
        (
            compartments(3, a=1, b=1),
            "the compartments hold 2 nodes, but status.completeNodes says that 3 are selected; each selected node is in one compartment",
        ),
        (
            compartments(2, a=3),
            "the compartments hold 3 nodes, but status.completeNodes says that 2 are selected; each selected node is in one compartment",
        ),
    ],
)
def test_the_compartments_match_as_many_nodes_as_are_selected(new, message):
    got = found(compartments(1, a=1), new)
    expected = (
        []
        if message is None
        else [("deny", "matched-total", "status.compartmentStatuses", message)]
    )
    assert got == expected


def batch(current, **extra):
    return compartment(batchState={"currentBatch": current, **extra})


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1, 2, []),
        (5, 1, []),
        (3, 3, []),
        (None, 4, []),
        (1, 3, [("climb", "1 -> 3 is too far for one write; legal from 1: 2, 1")]),
        (1, 7, [("climb", "1 -> 7 is too far for one write; legal from 1: 2, 1")]),
        (5, 4, [("down", "5 -> 4 goes back; legal from 5: 6, 1")]),
        (
            5,
            0,
            [
                ("down", "5 -> 0 goes back; legal from 5: 6, 1"),
                ("least", "5 -> 0: it is never less than 1"),
            ],
        ),
    ],
)
def test_a_batch_follows_the_one_before_or_begins_again(old, new, expected):
    got = found(batch(old) if old is not None else compartment(), batch(new, completedNodes=4))
    assert sorted((r, m) for _, r, _, m in got) == [(f"current-batch.{r}", m) for r, m in expected]
    assert {f for _, _, f, _ in got} <= {BATCH}


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("abc:1.0,zeb:1.0", None),
        ("abc", '"abc" must be "<package>:<version>", as in "tuning:1.2.3"'),
        ("abc:1.0", None),
        ("", None),
        (
            "zeb:1.0,abc:1.0",
            '"zeb:1.0,abc:1.0" must be sorted, each package once: "abc:1.0,zeb:1.0"',
        ),
        ("abc:1.0,abc:1.0", '"abc:1.0,abc:1.0" must be sorted, each package once: "abc:1.0"'),
    ],
)
def test_the_package_list_is_sorted(new, message):
    expected = [] if message is None else [("deny", "package-list", "status.packageList", message)]
    assert found({"packageList": "x:1"}, {"packageList": new}) == expected


@pytest.mark.parametrize(
    ("new", "field", "message"),
    [
        (["a.conf"], None, None),
        ([], "status.configUpdates[foo]", "[] must not be empty; remove the field, or fill it"),
        (["a", "a"], "status.configUpdates[foo][a]", '"a" occurs more than once; keep one'),
    ],
)
def test_config_updates_are_filled_and_without_repetition(new, field, message):
    expected = [] if field is None else [("deny", "config-updates", field, message)]
    assert found({"configUpdates": {"foo": ["b"]}}, {"configUpdates": {"foo": new}}) == expected
    assert found({"configUpdates": {"foo": ["b"]}}, {}) == []


@pytest.mark.parametrize(
    ("old", "new", "generation", "turns", "expected"),
    [
        (4, 5, 5, True, []),
        (None, 5, 5, True, []),
        (2, 2, 6, False, []),
        (4, 9, 5, True, ["deny observed-generation-bound.over"]),
        (4, 5, 5, False, ["deny generation-with-complete"]),
        (5, None, 5, False, ["deny observed-generation.removal"]),
        (5, 0, 5, False, ["deny generation-with-complete", "deny observed-generation.down"]),
        (5, -1, 5, True, ["deny observed-generation-value.least", "deny observed-generation.down"]),
    ],
)
def test_the_observed_generation_moves_with_completion_and_never_ahead(
    old, new, generation, turns, expected
):
    status = {"nodeStatus": {}}
    before = skyhook(generation=generation, observedGeneration=old, status="in_progress", **status)
    after = skyhook(
        generation=generation,
        observedGeneration=new,
        status="complete" if turns else "in_progress",
        **status,
    )
    assert sorted(rules(judged(before, after))) == expected


@pytest.mark.parametrize(
    ("new", "expected"), [(6, []), (7, ["deny observed-generation-at-the-end.over"])]
)
def test_the_finalizer_may_add_one_to_the_observed_generation(new, expected):
    meta = {"deletionTimestamp": "2026-05-01T10:00:00Z"}
    old = skyhook(meta=meta, observedGeneration=5, status="complete")
    assert (
        rules(judged(old, skyhook(meta=meta, observedGeneration=new, status="complete")))
        == expected
    )
