"""Conditions of a Skyhook: words, twins, and what Ready may claim."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import PREFIX, judged, ready, skyhook

LEGACY = f"{PREFIX}/Ready"
TRANSITION = f"{PREFIX}/Transition"


def found(old, new, **status):
    """Findings on a write of conditions: (severity, rule, field) of each."""
    before, after = (skyhook(status="in_progress", conditions=c, **status) for c in (old, new))
    got = judged(before, after)
    return [
        (f.severity.value, f.rule.removeprefix("skyhook."), str(f.field))
        for f in dict.fromkeys(got)
    ]


REASONS = [
    "NodesConverged",
    "Progressing",
    "Blocked",
    "Erroring",
    "Paused",
    "Waiting",
    "Disabled",
    "Unknown",
]


@pytest.mark.parametrize("kind", ["Ready", LEGACY])
@pytest.mark.parametrize("status", ["True", "False"])
@pytest.mark.parametrize("reason", REASONS)
def test_ready_says_one_of_eight_reasons_with_either_status(kind, status, reason):
    assert found([ready("False", "Waiting", kind=kind)], [ready(status, reason, kind=kind)]) == []


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("Ready", ("ready-status", "ready-reason")),
        (LEGACY, ("legacy-ready-status", "legacy-ready-reason")),
    ],
)
@pytest.mark.parametrize(
    ("field", "value"), [("status", "Unknown"), ("reason", "Done"), ("status", "true")]
)
def test_any_other_word_is_denied(kind, rules, field, value):
    new = ready(kind=kind, **{field: value})
    rule = rules[0] if field == "status" else rules[1]
    assert ("deny", f"{rule}.value", f"status.conditions[{kind}].{field}") in found(
        [ready(kind=kind)], [new]
    )


@pytest.mark.parametrize("reason", ["complete", "blocked", "waiting", "in_progress", "unknown"])
def test_transition_carries_the_status_as_its_reason(reason):
    assert (
        found([ready(kind=TRANSITION, reason="waiting")], [ready(kind=TRANSITION, reason=reason)])
        == []
    )


def test_transition_says_nothing_else():
    got = found(
        [ready(kind=TRANSITION, reason="waiting")], [ready(kind=TRANSITION, reason="Progressing")]
    )
    assert [r for s, r, _ in got if s == "deny"] == ["transition-reason.value"]


@pytest.mark.parametrize(
    ("transition", "legacy", "denied"),
    [("False", "False", False), ("True", "False", True), ("False", "True", True)],
)
def test_transition_has_the_status_of_the_prefixed_ready(transition, legacy, denied):
    new = [
        ready(legacy, "Progressing", kind=LEGACY),
        ready(transition, "in_progress", kind=TRANSITION, message="new"),
    ]
    old = [ready("False", "Waiting", kind=LEGACY), ready("False", "waiting", kind=TRANSITION)]
    place = f"status.conditions[{TRANSITION}].status"
    assert (("deny", "transition-agrees", place) in found(old, new)) is denied


ONCE = ["TaintNotTolerable", "NodesIgnored"]
ALWAYS_TRUE = [
    "ApplyPackage", "DeploymentPolicyNotFound", "Blocked", "UninstallInProgress", "UninstallFailed",
    "NodeStateMalformed", "DeletionBlocked",
]  # fmt: skip


@pytest.mark.parametrize("kind", ALWAYS_TRUE)
def test_some_conditions_are_removed_and_never_turn_false(kind):
    reason = REASON_OF[kind]
    old = [ready("True", reason, kind=kind)]
    assert [
        s
        for s, _, f in found(old, [ready("False", reason, kind=kind)])
        if f.startswith("status.conditions")
    ] == ["deny"]
    assert found(old, []) == []
    assert found([], old) == []


@pytest.mark.parametrize("kind", ONCE)
def test_other_conditions_turn_both_ways(kind):
    old, new = ready("True", kind, kind=kind), ready("False", kind, kind=kind)
    assert found([old], [new]) == []
    assert found([new], [old]) == []


REASON_OF = {
    "ApplyPackage": "ApplyPackage",
    "DeploymentPolicyNotFound": "DeploymentPolicyNotFound",
    "Blocked": "DependencyUninstalled",
    "UninstallInProgress": "UninstallInProgress",
    "UninstallFailed": "UninstallPodFailing",
    "NodeStateMalformed": "ParseError",
    "DeletionBlocked": "PausedWithPendingUninstall",
}


@pytest.mark.parametrize("kind", ["Custom", "Whatever", f"{PREFIX}/Other", "example.com/Mine"])
def test_unknown_condition_types_are_open(kind):
    assert found([], [ready("Unknown", "Anything", kind=kind)]) == []


@pytest.mark.parametrize("kind", ["Ready", "Custom", LEGACY])
@pytest.mark.parametrize(("stamp", "denied"), [(5, False), (6, True), (7, True), (1, False)])
def test_no_condition_is_stamped_from_the_future(kind, stamp, denied):
    got = found([ready(generation=4, kind=kind)], [ready(generation=stamp, kind=kind)])
    place = f"status.conditions[{kind}].observedGeneration"
    assert got == ([("deny", "condition-generation.over", place)] if denied else [])


def pair(bare, twin, kind="Ready", **extra):
    return [ready("False", bare, kind=kind, **extra), ready("False", twin, kind=f"{PREFIX}/{kind}")]


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        (pair("Waiting", "Waiting"), pair("Progressing", "Progressing"), None),
        (pair("Waiting", "Waiting"), pair("Progressing", "Waiting"), "deny"),
        (pair("Waiting", "Waiting"), pair("Waiting", "Progressing"), None),
        (pair("Waiting", "Paused"), pair("Waiting", "Blocked"), None),
        (pair("Waiting", "Waiting"), [ready("False", "Progressing")], None),
        ([], pair("Waiting", "Progressing"), "deny"),
        (
            pair("Waiting", "Waiting"),
            pair("Waiting", "Waiting", lastTransitionTime="2026-05-02T10:00:00Z"),
            None,
        ),
    ],
)
def test_a_bare_type_that_changed_carries_its_twin_along(old, new, severity):
    place = "status.conditions[Ready]"
    assert found(old, new) == ([] if severity is None else [(severity, "twin-follows", place)])


@pytest.mark.parametrize("field", ["status", "reason", "message", "observedGeneration"])
def test_a_twin_repeats_all_but_the_time(field):
    other = {"status": "True", "reason": "Paused", "message": "x", "observedGeneration": 3}[field]
    new = pair("Progressing", "Progressing")
    new[0][field] = other
    assert ("deny", "twin-follows", "status.conditions[Ready]") in found(
        pair("Waiting", "Waiting"), new
    )


def test_a_mirror_of_ours_that_does_not_follow_only_warns():
    old, new = (pair(r, "Same", kind="Custom") for r in ("Same", "New"))
    assert found(old, new) == [("warn", "twin-follows", "status.conditions[Custom]")]


def test_the_text_names_both_twins():
    old, new = (
        skyhook(conditions=pair("Waiting", "Waiting")),
        skyhook(conditions=pair("Paused", "Waiting")),
    )
    (finding,) = judged(old, new)
    assert finding.message == (
        f'reason is "Paused", but "Waiting" in "{LEGACY}"; both must say the same'
    )


NODES = {"nodeStatus": {"n1": "complete", "n2": "complete"}, "nodeBootIds": {"n1": "a", "n2": "b"}}


@pytest.mark.parametrize(
    ("kind", "rule"), [("Ready", "ready-needs-nodes"), (LEGACY, "legacy-ready-needs-nodes")]
)
@pytest.mark.parametrize("other", ["in_progress", "erroring", "waiting"])
def test_ready_never_converges_before_its_nodes(kind, rule, other):
    old, new = (
        [ready("False", "Progressing", kind=kind)],
        [ready("True", "NodesConverged", kind=kind)],
    )
    assert found(old, new, **NODES) == []
    open_nodes = {**NODES, "nodeStatus": {"n1": "complete", "n2": other}}
    assert found(old, new, **open_nodes) == [("deny", rule, f"status.conditions[{kind}].status")]


@pytest.mark.parametrize(
    ("status", "reason"),
    [("True", "Progressing"), ("True", "Paused"), ("True", "Blocked"), ("False", "NodesConverged")],
)
def test_ready_may_be_true_for_other_reasons_and_converged_but_false(status, reason):
    nodes = {**NODES, "nodeStatus": {"n1": "complete", "n2": "in_progress"}}
    assert found([ready("False", "Waiting")], [ready(status, reason)], **nodes) == []
