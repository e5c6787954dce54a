"""Tracks that begin anew (``within``), wait (``gate``), or come whole (``birth``)."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard, judge, said, texts

STATE = {
    "id": "state",
    "path": "status.op.state",
    "within": "status.op.type",
    "values": ["Processing", "Failed", "Successful"],
    "entry": ["Processing"],
    "edges": {"Processing": ["Failed", "Successful"], "Failed": ["Processing"]},
    "removal": "warn",
}


def op(kind, state):
    fields = {k: v for k, v in (("type", kind), ("state", state)) if v is not None}
    return {"status": {"op": fields} if fields else {}}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (("Create", "Processing"), ("Create", "Successful"), []),
        (("Create", "Successful"), ("Create", "Processing"), ["deny state.edge"]),
        (("Create", "Successful"), ("Delete", "Processing"), []),
        (("Create", "Processing"), ("Delete", "Successful"), ["deny state.entry"]),
        (("Create", "Processing"), ("Create", None), ["warn state.removal"]),
        (("Create", "Processing"), (None, None), ["warn state.removal"]),
        ((None, None), ("Create", "Failed"), ["deny state.entry"]),
    ],
)
def test_another_run_begins_at_the_start(old, new, found):
    findings = judge(guard(tracks=[STATE]), op(*old), op(*new))
    assert [f"{severity} {rule}" for severity, rule, _ in said(findings)] == found


def test_a_removal_with_its_run_says_what_was_removed():
    findings = judge(guard(tracks=[STATE]), op("Create", "Processing"), op(None, None))
    assert texts(findings) == ['"Processing" -> absent: a state, once set, stays set']


GATED = {
    "id": "phase",
    "path": "status.phase",
    "values": ["a", "b"],
    "edges": {"a": ["b"], "b": ["a"]},
    "gate": {"path": "status.lock", "in": ["open"]},
}


def locked(phase, lock):
    return {"status": {k: v for k, v in (("phase", phase), ("lock", lock)) if v is not None}}


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (("a", "open"), ("b", "shut"), None),
        (("a", "shut"), ("b", "open"), 'left a while status.lock was "shut"; it must be open'),
        (("a", None), ("b", None), "left a while status.lock was absent; it must be open"),
        ((None, "shut"), ("b", "shut"), None),
    ],
)
def test_a_gate_looks_at_the_old_sibling(old, new, text):
    findings = judge(guard(tracks=[GATED]), locked(*old), locked(*new))
    assert said(findings) == ([] if text is None else [("deny", "phase.gate", "status.phase")])
    assert texts(findings) == ([] if text is None else [text])


def test_a_gate_has_a_severity_of_its_own():
    track = {**GATED, "gate": {**GATED["gate"], "severity": "warn"}}
    findings = judge(guard(tracks=[track]), locked("a", "shut"), locked("b", "shut"))
    assert said(findings) == [("warn", "phase.gate", "status.phase")]


def test_a_removal_passes_no_gate():
    track = {**GATED, "removal": "allow"}
    assert judge(guard(tracks=[track]), locked("a", "shut"), locked(None, "shut")) == []


BORN = {
    "id": "step",
    "path": "status.map.*",
    "values": ["a", "b"],
    "entry": ["a"],
    "edges": {"a": ["b"]},
    "birth": "free",
    "removal": "allow",
}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"status": {}}, {"k": "b"}, []),
        ({}, {"k": "b"}, []),
        ({"status": {"map": {}}}, {"k": "b"}, ["deny step.entry"]),
        ({"status": {"map": {"j": "a"}}}, {"j": "a", "k": "b"}, ["deny step.entry"]),
        ({"status": {}}, {"k": "z"}, ["deny step.value"]),
        ({"status": {"map": None}}, {"k": "b"}, []),
        ({"status": {"map": []}}, {"k": "b"}, []),
        ({"status": {"map": "x"}}, {"k": "b"}, []),
    ],
)
def test_a_whole_container_that_appears_may_hold_any_legal_value(old, new, found):
    findings = judge(guard(tracks=[BORN]), old, {"status": {"map": new}})
    assert [f"{severity} {rule}" for severity, rule, _ in said(findings)] == found


def test_a_container_that_appears_is_judged_unless_its_birth_is_free():
    track = {**BORN, "birth": "judged"}
    findings = judge(guard(tracks=[track]), {"status": {}}, {"status": {"map": {"k": "b"}}})
    assert said(findings) == [("deny", "step.entry", "status.map[k]")]


@pytest.mark.parametrize(("old", "free"), [([], False), ({}, True), ("x", True), (None, True)])
def test_a_list_is_born_where_there_was_none(old, free):
    track = {**BORN, "path": "status.c[x/{n}]", "parts": {"v": ["a", "b"]}}
    new = {"status": {"c": [{"type": "x/1", "v": "b"}]}}
    findings = judge(guard(tracks=[track]), {"status": {"c": old}}, new)
    assert said(findings) == ([] if free else [("deny", "step.entry", "status.c[x/1]")])
