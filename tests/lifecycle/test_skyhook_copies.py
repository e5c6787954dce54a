"""Skyhook.status is a copy of what Nodes say: judged where Nodes are known (I45, I46)."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import STATE, STATUS, entry, judged, look, node, skyhook
from webhook.core.evidence import GivenNodes
from webhook.core.writer import Writer

PLACE = "status.nodeState[n1][foo|1.0]"


def nodes(*states, complete=True):
    return GivenNodes({"n1": tuple(look(s) for s in states)}, complete=complete)


def found(old, new, evidence, writer=Writer.OPERATOR, rule="node-state-copy"):
    status = {"nodeBootIds": {"n1": "a", "n2": "b"}}
    got = judged(skyhook(**old, **status), skyhook(**new, **status), writer, evidence=evidence)
    return [
        (f.severity.value, str(f.field), f.message, f.rarely)
        for f in got
        if f.rule == f"skyhook.{rule}"
    ]


def copied(pair, **extra):
    return {"nodeState": {"n1": {} if pair is None else {"foo|1.0": entry(pair, **extra)}}}


OLD = copied("config/in_progress")
NODE = node({"foo|1.0": entry("config/complete")})


@pytest.mark.parametrize(
    ("new", "evidence", "text"),
    [
        (copied("config/complete"), nodes(NODE), None),
        (copied("config/erroring"), nodes(NODE), f"is config/erroring, but Node n1 says config/complete in {STATE}, and this is its copy"),
        (copied("config/erroring"), nodes(node({"foo|1.0": entry("config/erroring")}), NODE), None),
        (copied("config/erroring"), nodes(node({}), NODE),
         f"is config/erroring, but Node n1 says nothing, then config/complete in {STATE}, and this is its copy"),
        (copied("config/erroring"), nodes(node(None)), f"is config/erroring, but Node n1 says nothing in {STATE}, and this is its copy"),
        (copied("config/erroring"), nodes(node("{broken")), f"is config/erroring, but Node n1 says nothing in {STATE}, and this is its copy"),
        (copied(None), nodes(NODE), None),
        (copied("config/complete", image="evil"), nodes(NODE),
         f"is config/complete, but Node n1 says config/complete in {STATE}, and this is its copy"),
        (copied("config/complete", containerSHA="x"), nodes(NODE),
         f"is config/complete, but Node n1 says config/complete in {STATE}, and this is its copy"),
        (copied("config/complete", restarts=3), nodes(NODE), None),
        (copied("config/in_progress", restarts=3), nodes(NODE), None),
    ],
)  # fmt: skip
def test_each_field_of_a_changed_entry_is_one_that_the_node_has_or_had(new, evidence, text):
    for writer, severity in (
        (Writer.OPERATOR, "warn"),
        (Writer.SERVICE_ACCOUNT, "warn"),
        (Writer.PERSON, "deny"),
        (Writer.UNKNOWN, "warn"),
    ):
        got = found(OLD, new, evidence, writer)
        assert got == ([] if text is None else [(severity, PLACE, text, True)]), writer


def test_a_mixture_of_two_real_copies_is_odd_and_no_lie():
    held = nodes(
        node({"foo|1.0": entry("interrupt/complete")}),
        node({"foo|1.0": entry("post-interrupt/erroring")}),
    )
    said = f"Node n1 says interrupt/complete, then post-interrupt/erroring in {STATE}"
    end = "never both words at once, as where a stale write mixes two copies"
    for pair in ("interrupt/erroring", "post-interrupt/in_progress"):
        for writer in Writer:
            got = found(copied("apply/in_progress"), copied(pair), held, writer)
            assert got == [("warn", PLACE, f"is {pair}, but {said}: {end}", True)]


def test_of_many_former_values_the_newest_are_told_and_odd_texts_are_cut():
    states = [f"config/x{number}" for number in range(10)] + ["config/" + "y" * 99 + "\n"]
    held = nodes(*(node({"foo|1.0": entry(pair)}) for pair in states))
    ((_, _, message, _),) = found(copied("apply/complete"), copied("config/complete"), held)
    assert "says config/x5, then config/x6" in message
    assert "config/x4" not in message
    assert "y..." in message
    assert message.isprintable()


def test_a_pair_that_the_old_copy_had_is_no_mixture():
    held = nodes(node({"foo|1.0": entry("config/complete", image="other")}))
    old, new = copied("apply/erroring"), copied("apply/erroring", image="other")
    assert found(old, new, held) == []


def test_what_nobody_knows_denies_nothing():
    for evidence in (
        GivenNodes({}, complete=False),
        GivenNodes({"other": (look(NODE),)}, complete=False),
    ):
        assert found(OLD, copied("config/erroring"), evidence, Writer.PERSON) == []


def test_an_unchanged_copy_may_be_out_of_date():
    held = nodes(node({"foo|1.0": entry("post-interrupt/complete")}))
    assert (
        found({**OLD, "packageList": "a:1"}, {**OLD, "packageList": "b:1"}, held, Writer.PERSON)
        == []
    )


@pytest.mark.parametrize("rule", ["node-state-copy", "node-status-copy"])
def test_a_node_that_does_not_exist_is_named(rule):
    old = {"nodeState": {}, "nodeStatus": {}}
    new = {
        "node-state-copy": {
            "nodeState": {"n2": {"foo|1.0": entry("apply/in_progress")}},
            "nodeStatus": {},
        },
        "node-status-copy": {"nodeStatus": {"n2": "waiting"}, "nodeState": {}},
    }[rule]
    place = {
        "node-state-copy": "status.nodeState[n2][foo|1.0]",
        "node-status-copy": "status.nodeStatus[n2]",
    }[rule]
    assert found(old, new, nodes(NODE), Writer.PERSON, rule) == [
        (
            "deny",
            place,
            'there is no Node "n2"; only Nodes that the selector matches have an entry',
            True,
        )
    ]
    assert found(old, new, nodes(NODE), Writer.OPERATOR, rule) == [
        (
            "warn",
            place,
            'there is no Node "n2"; only Nodes that the selector matches have an entry',
            True,
        )
    ]
    assert found(old, new, nodes(NODE, complete=False), Writer.PERSON, rule) == []
    assert found(new, old, nodes(NODE), Writer.PERSON, rule) == []


@pytest.mark.parametrize(
    ("status", "held", "text"),
    [
        ("complete", [node(status="complete")], None),
        ("complete", [node(status="erroring")], f'is "complete", but Node n1 says "erroring" in {STATUS}, and this is its copy'),
        ("complete", [node(status="complete"), node(status="erroring")], None),
        ("complete", [node(status="waiting"), node(status="erroring")],
         f'is "complete", but Node n1 says "waiting", then "erroring" in {STATUS}, and this is its copy'),
        ("waiting", [node()], None),
        ("unknown", [node()], None),
        ("complete", [node()], f'is "complete", but Node n1 says absent in {STATUS}, and this is its copy'),
        ("waiting", [node(status="erroring")], f'is "waiting", but Node n1 says "erroring" in {STATUS}, and this is its copy'),
    ],
)  # fmt: skip
def test_a_changed_node_status_is_what_the_node_says_or_said(status, held, text):
    old, new = {"nodeStatus": {"n1": "in_progress"}}, {"nodeStatus": {"n1": status}}
    for writer, severity in ((Writer.OPERATOR, "warn"), (Writer.PERSON, "deny")):
        got = found(old, new, nodes(*held), writer, "node-status-copy")
        assert got == ([] if text is None else [(severity, "status.nodeStatus[n1]", text, True)])


@pytest.mark.parametrize("word", ["done", 7, ["complete"], {"complete": True}])
def test_a_word_that_there_is_not_gives_way_to_any_other(word):
    old, new = {"nodeStatus": {"n1": word}}, {"nodeStatus": {"n1": "waiting"}}
    held = nodes(node(status="erroring"))
    assert found(old, new, held, Writer.PERSON, "node-status-copy") == []
