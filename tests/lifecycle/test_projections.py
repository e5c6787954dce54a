"""Projections: one value decides the fields of another place."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard, judge, said, texts
from webhook.core.finding import CauseType

READY = {
    "id": "ready",
    "severity": "deny",
    "from": "status.phase",
    "to": "status.c[Ready]",
    "table": {"Done": {"status": "True", "reason": "Converged"}, "Run": {"status": "False"}},
}


def root(phase, status=None, reason=None):
    condition = {k: v for k, v in (("status", status), ("reason", reason)) if v is not None}
    conditions = [{"type": "Ready", **condition}] if condition else []
    return {"status": {"phase": phase, "c": conditions}}


def found(old, new, **rule):
    return judge(guard(projections=[{**READY, **rule}]), old, new)


@pytest.mark.parametrize(
    ("new", "wrong"),
    [
        (root("Done", "True", "Converged"), []),
        (root("Done", "False", "Converged"), ["status.c[Ready].status"]),
        (root("Done", "False", "Odd"), ["status.c[Ready].status", "status.c[Ready].reason"]),
        (root("Run", "False", "Anything"), []),
        (root("Run", "True"), ["status.c[Ready].status"]),
        (root("Other", "True"), []),
        (root("Done"), []),
    ],
)
def test_a_row_says_what_each_field_must_be(new, wrong):
    findings = found(root("Start", "Unknown", "Start"), new)
    assert said(findings) == [("deny", "ready", field) for field in wrong]


def test_the_finding_says_both_values():
    (finding,) = found(root("Run"), root("Done", "False", "Converged"))
    assert finding.message == '"False" while status.phase is "Done"; it must be "True"'
    assert (finding.type, finding.closed) == (CauseType.INVALID, False)


def test_a_field_that_is_missing_is_wrong_too():
    assert texts(found(root("Run"), root("Done", "True"))) == [
        'absent while status.phase is "Done"; it must be "Converged"'
    ]


@pytest.mark.parametrize(("judged", "asked"), [("either", True), ("from", False)])
def test_a_projection_may_look_at_its_source_only(judged, asked):
    findings = found(root("Run", "False"), root("Run", "True"), judge=judged)
    assert bool(findings) is asked


def test_a_projection_speaks_once_though_both_places_changed():
    assert len(found(root("Run", "False"), root("Done", "False", "Converged"))) == 1


def test_an_old_mismatch_only_warns():
    findings = found(root("Run", "True"), root("Run", "True", "New"))
    assert said(findings) == [("warn", "ready", "status.c[Ready].status")]


def test_a_projection_may_be_a_closed_value():
    (finding,) = found(root("Run"), root("Done", "False", "Converged"), closed=True)
    assert finding.closed


def test_numbers_and_booleans_are_looked_up_by_their_text():
    rules = guard(
        projections=[{**READY, "table": {"1": {"status": "one"}, "True": {"status": "yes"}}}]
    )
    for value, want in ((1, "one"), (True, "yes")):
        assert texts(judge(rules, root(0), root(value, "x")))[0].endswith(f'it must be "{want}"')


def test_captures_bind_both_places():
    rule = {
        "id": "r", "severity": "deny", "from": "c[x/{s}/NotReady].status", "to": "c[x/{s}/NotReady]",
        "table": {"True": {"reason": "Incomplete"}},
    }  # fmt: skip
    new = {
        "c": [
            {"type": f"x/{s}/NotReady", "status": "True", "reason": r}
            for s, r in (("a", "Incomplete"), ("b", "Odd"))
        ]
    }
    findings = judge(guard(projections=[rule]), {"c": []}, new)
    assert said(findings) == [("deny", "r", "c[x/b/NotReady].reason")]


def test_unless_excuses():
    unless = [[{"path": "status.phase", "in": ["Done"]}]]
    assert found(root("Run"), root("Done", "False"), unless=unless) == []
