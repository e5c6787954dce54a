"""Nodes: what the operator keeps on them besides the packages."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import CORDON, PREFIX, STATUS, entry, judged, node, rules
from webhook.core.writer import Writer


def found(old, new, writer=Writer.OPERATOR):
    got = judged(old, new, writer)
    return [
        (f.severity.value, f.rule.removeprefix("skyhook."), str(f.field), f.message)
        for f in dict.fromkeys(got)
    ]


@pytest.mark.parametrize(
    ("old", "new", "place", "text"),
    [
        (node({}, status="erroring"), node({}, status="failed"), f"metadata.annotations[{STATUS}]",
         ('"erroring" -> "failed" is not a node status; legal: complete, blocked, waiting, disabled, paused, in_progress,'
         " erroring, unknown")),
        (node({}, labels={STATUS: "waiting"}), node({}, labels={STATUS: "x"}), f"metadata.labels[{STATUS}]",
         ('"waiting" -> "x" is not a node status; legal: complete, blocked, waiting, disabled, paused, in_progress,'
         " erroring, unknown")),
        (node({}, cordon="true"), node({}, cordon="false"), f"metadata.annotations[{CORDON}]",
         '"true" -> "false" is not a value of this annotation; legal: true; remove the annotation to lift the cordon'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("writer", list(Writer))
def test_closed_values_are_closed_for_everybody(old, new, place, text, writer):
    got = found(old, new, writer)
    assert [(s, f, m) for s, _, f, m in got if f == place] == [("deny", place, text)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (node({}, cordon="true"), node({})),
        (node({}), node({}, cordon="true")),
        (node({}, labels={STATUS: "complete"}), node({}, labels={})),
        (node({}, status="complete"), node({})),
        (
            node({}, status="complete", labels={STATUS: "complete"}),
            node({}, labels={STATUS: "complete"}),
        ),
        (
            node({}, **{f"{PREFIX}/version_gpu": "v0.8.1"}),
            node({}, **{f"{PREFIX}/version_gpu": "dev"}),
        ),
        (node({}), node({}, **{f"{PREFIX}/autoTaint_x": "true", f"{PREFIX}/anything": "?"})),
        (node({}), node({}, labels={f"{PREFIX}/ignore": "maybe"})),
    ],
)
@pytest.mark.parametrize("writer", list(Writer))
def test_keys_may_come_and_go_and_unknown_keys_are_open(old, new, writer):
    assert found(old, new, writer) == []


@pytest.mark.parametrize(
    ("annotation", "label", "denied"),
    [
        ("complete", "complete", False),
        ("in_progress", "complete", True),
        ("in_progress", None, False),
        (None, "complete", False),
    ],
)
def test_annotation_and_label_that_change_together_agree(annotation, label, denied):
    old = node({}, status="waiting", labels={STATUS: "waiting"})
    got = found(old, node({}, status=annotation, labels={} if label is None else {STATUS: label}))
    text = f'"waiting" -> "in_progress", but metadata.labels[{STATUS}] is "complete"; annotation and label change together, to the same value'
    expected = [("deny", "label-agrees", f"metadata.annotations[{STATUS}]", text)]
    assert got == (expected if denied else [])


def test_a_label_that_was_left_behind_is_nobodys_fault():
    old, new = (node({}, status=s, labels={STATUS: "waiting"}) for s in ("waiting", "in_progress"))
    assert found(old, new) == []


@pytest.mark.parametrize(
    ("new", "denied"),
    [
        (node({}, status="complete", cordon="true"), True),
        (node({}, status="complete"), False),
        (node({}, status="erroring", cordon="true"), False),
    ],
)
def test_the_write_that_completes_a_node_lifts_its_cordon(new, denied):
    got = found(node({}, status="in_progress", cordon="true"), new)
    text = f'"in_progress" -> "complete" while metadata.annotations[{CORDON}] is "true"; remove that annotation in the same write, which lifts the cordon'
    expected = [("deny", "complete-lifts-cordon", f"metadata.annotations[{STATUS}]", text)]
    assert got == (expected if denied else [])


def condition(name, status, reason):
    return [{"type": f"{PREFIX}/gpu/{name}", "status": status, "reason": reason, "message": "m"}]


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("NotReady", "True", "Incomplete"),
        ("NotReady", "False", "Complete"),
        ("Erroring", "True", "Package(s) Erroring or Unknown"),
        ("Erroring", "False", "Not Erroring"),
    ],
)
def test_a_node_condition_is_one_of_four_pairs(name, status, reason):
    assert found(node(conditions=[]), node(conditions=condition(name, status, reason))) == []
    place = f"status.conditions[{PREFIX}/gpu/{name}]"
    rule = {"NotReady": "not-ready", "Erroring": "erroring"}[name]
    other = node(conditions=condition(name, status, "Other"))
    assert found(node(conditions=[]), other) == [
        ("deny", f"{rule}-reason", f"{place}.reason",
         f'"Other" while {place}.status is "{status}"; it must be "{reason}"'),
    ]  # fmt: skip
    unknown = node(conditions=condition(name, "Unknown", reason))
    assert [(s, r, f) for s, r, f, _ in found(node(conditions=[]), unknown)] == [
        ("deny", f"{rule}-status.value", f"{place}.status")
    ]


@pytest.mark.parametrize(
    "kind", ["Ready", "NotReady", f"{PREFIX}/gpu/Other", "example.com/gpu/NotReady"]
)
def test_other_node_conditions_are_none_of_ours(kind):
    new = node(conditions=[{"type": kind, "status": "Unknown", "reason": "?"}])
    assert found(node(conditions=[]), new) == []


def test_one_write_may_touch_the_keys_of_several_skyhooks():
    other = f"{PREFIX}/nodeState_net"
    step = (
        '{"bar|1.0":{"name":"bar","version":"1.0","image":"i","stage":"%s","state":"in_progress"}}'
    )
    old = node({"foo|1.0": entry("apply/complete")}, **{other: step % "apply"})
    new = node({"foo|1.0": entry("config/in_progress")}, **{other: step % "interrupt"})
    got = rules(judged(old, new))
    assert got == ["deny node-package-step.edge"]
    assert str(judged(old, new)[0].field) == f"metadata.annotations[{other}][bar|1.0]"


def test_a_node_that_registers_again_brings_its_annotations_with_any_status():
    pair = {"foo|1.0": entry("config/complete")}
    assert found(node(), node(pair, status="blocked")) == []
    assert [r for _, r, _, _ in found(node(pair), node(pair, status="blocked"))] == [
        "node-status-annotation.entry"
    ]
    assert found(None, node(pair, status="blocked")) == []


@pytest.mark.parametrize("old", [None, node(), node({}), node("{broken")])
def test_but_no_word_that_does_not_exist(old):
    new = node({"foo|1.0": entry("config/complete")}, status="failed")
    assert ("deny", "node-status-annotation.value", f"metadata.annotations[{STATUS}]") in [
        x[:3] for x in found(old, new)
    ]


def test_the_migration_of_0_5_brings_no_such_word_either():
    old = {"foo": {"name": "foo", "version": "1.0", "stage": "apply", "state": "complete"}}
    got = found(node(old), node({"foo|1.0": entry("apply/skipped")}))
    assert [(s, r) for s, r, _, _ in got] == [("deny", "node-package-step.value")]
