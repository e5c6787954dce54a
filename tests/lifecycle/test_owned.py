"""Owned: fields that one writer alone has a reason to write."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard, judge, said, texts
from webhook.core.writer import Writer
from webhook.lifecycle.compile import Code

SA = "system:serviceaccount:x:y"
OWNED = {
    "id": "own",
    "others": {"person": "deny", "service-account": "warn"},
    "shapes": ["tool"],
    "never": [{"path": "status.phase", "became": ["Done"]}],
    "paths": [
        {"path": "status.phase", "hint": "use the tool"},
        {"path": "status.c[*]", "value": ["status", "reason"]},
        {"path": "status.steps.*", "value": ["stage", "state"], "track": "step"},
    ],
}
TRACKS = [
    {"id": "phase", "path": "status.phase", "values": ["Run", "Wait", "Done"], "removal": "allow"},
    {"id": "ready", "path": "status.c[Ready].reason", "values": ["Ok"], "removal": "allow"},
    {
        "id": "step", "path": "status.steps.*", "parts": {"stage": ["a", "b"], "state": ["c"]},
        "values": ["a/c", "b/c"], "edges": {"a/c": ["b/c"], "b/c": ["a/c"]}, "removal": "allow",
    },
]  # fmt: skip


def status(**fields):
    return {"status": fields}


def found(old, new, writer=Writer.PERSON, *, tool=False, user="bob", **rule):
    code = Code({}, {"tool": lambda _run, _trail: tool}, {})
    rules = guard(owned=[{**OWNED, **rule}], tracks=TRACKS, code=code)
    return [f for f in judge(rules, old, new, writer=writer, user=user) if f.rule == "p.own"]


@pytest.mark.parametrize(
    ("writer", "severity"),
    [
        (Writer.PERSON, "deny"),
        (Writer.SERVICE_ACCOUNT, "warn"),
        (Writer.OPERATOR, None),
        (Writer.UNKNOWN, None),
    ],
)
def test_who_may_write_is_told_apart(writer, severity):
    findings = found(status(phase="Run"), status(phase="Wait"), writer, user=SA)
    assert said(findings) == ([] if severity is None else [(severity, "own", "status.phase")])


def test_a_person_is_told_what_to_do_instead():
    (finding,) = found(status(phase="Run"), status(phase="Wait"))
    assert finding.message == '"Run" -> "Wait": only the operator writes this; use the tool'
    assert not finding.rarely
    assert not finding.closed


def test_another_service_account_is_told_rarely_and_with_the_setting_that_makes_it_the_operator():
    (finding,) = found(status(phase="Run"), status(phase="Wait"), Writer.SERVICE_ACCOUNT, user=SA)
    assert finding.rarely
    assert finding.message == (
        f'"Run" -> "Wait": only the operator writes this, and {SA} is not it as configured;'
        " if it is, add it to the setting `operators`"
    )


@pytest.mark.parametrize(
    ("old", "new", "place", "text"),
    [
        (status(c=[]), status(c=[{"type": "T", "status": "True"}]), "status.c[T]",
         "absent -> True/: only the operator writes this"),
        (status(c=[{"type": "T", "status": "True", "reason": "R"}]), status(c=[]), "status.c[T]",
         "True/R -> absent: only the operator writes this"),
        (status(phase="Run"), status(), "status.phase",
         '"Run" -> absent: only the operator writes this; use the tool'),
        (status(steps={"k": {"stage": "a", "state": "c"}}), status(steps={"k": {"stage": "b", "state": "c"}}),
         "status.steps[k]", "a/c -> b/c: only the operator writes this; legal from a/c, for the operator: b/c"),
    ],
)  # fmt: skip
def test_a_finding_shows_old_and_new_as_the_place_is_read(old, new, place, text):
    findings = found(old, new)
    assert said(findings) == [("deny", "own", place)]
    assert texts(findings) == [text]


def test_what_did_not_change_is_nobodys_claim():
    old = {"status": {"phase": "Run", "c": [{"type": "T", "status": "True"}]}}
    new = {"status": {"c": [{"status": "True", "type": "T"}], "phase": "Run", "other": 1}}
    assert found(old, new) == []


def test_on_create_nothing_is_owned():
    assert found(None, status(phase="Run")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (status(phase="Gone"), status(phase="Run")),
        (status(phase=7), status(phase="Run")),
        (status(phase="Gone"), status()),
        (
            status(c=[{"type": "Ready", "reason": "Bad"}]),
            status(c=[{"type": "Ready", "reason": "Ok"}]),
        ),
        (
            status(steps={"k": {"stage": "z", "state": "c"}}),
            status(steps={"k": {"stage": "a", "state": "c"}}),
        ),
        (status(steps={"k": "x"}), status(steps={"k": {"stage": "a", "state": "c"}})),
        (status(steps=[1]), status(steps={"k": {"stage": "b", "state": "c"}})),
        (
            {"status": 5},
            status(phase="Run", c=[{"type": "T"}], steps={"k": {"stage": "a", "state": "c"}}),
        ),
    ],
)
def test_an_illegal_value_may_be_repaired_by_anybody(old, new):
    assert found(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (status(phase="Gone"), status(phase="Other")),
        (
            status(c=[{"type": "Ready", "reason": "Bad"}]),
            status(c=[{"type": "Ready", "reason": "Worse"}]),
        ),
        (status(phase="Gone", c=[]), status(phase="Gone", c=[{"type": "T"}])),
    ],
)
def test_another_illegal_value_is_no_repair(old, new):
    assert [s for s, _, _ in said(found(old, new))] == ["deny"]


@pytest.mark.parametrize(
    ("writer", "new", "severity"),
    [
        (Writer.PERSON, status(phase="Wait"), "warn"),
        (Writer.PERSON, status(phase="Done"), "deny"),
        (Writer.SERVICE_ACCOUNT, status(phase="Wait"), "warn"),
    ],
)
def test_a_write_that_the_tool_really_makes_warns_but_never_claims(writer, new, severity):
    assert said(found(status(phase="Run"), new, writer, tool=True)) == [
        (severity, "own", "status.phase")
    ]


def test_what_a_tool_never_does_denies_the_rest_of_that_write_too():
    old = status(phase="Run", c=[])
    findings = found(old, status(phase="Done", c=[{"type": "T"}]), tool=True)
    assert {f.severity.value for f in findings} == {"deny"}


def test_a_path_may_be_excused():
    unless = [[{"path": "status.phase", "in": ["Wait"]}]]
    assert found(status(phase="Run"), status(phase="Wait"), unless=unless) == []
    assert found(status(phase="Run"), status(phase="Done"), unless=unless) != []


def test_one_of_the_paths_may_be_excused_for_itself():
    excuse = {"unless": [[{"path": "status.phase", "in": ["Wait"]}]]}
    paths = [{**OWNED["paths"][0], **excuse}, OWNED["paths"][1]]
    old, new = status(phase="Run", c=[]), status(phase="Wait", c=[{"type": "T"}])
    assert said(found(old, new, paths=paths)) == [("deny", "own", "status.c[T]")]
    assert len(found(old, status(phase="Done", c=[{"type": "T"}]), paths=paths)) == 2
