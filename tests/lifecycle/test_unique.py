"""Unique: no two elements of a list are alike."""

from __future__ import annotations

import json

import pytest

from tests.lifecycle.small import guard, judge, said, texts
from webhook.core.finding import CauseType, Severity


def found(new, old=None, **rule):
    rules = guard(unique=[{"id": "u", "severity": "deny", "path": "l", **rule}])
    return judge(rules, {} if old is None else {"l": old}, {} if new is None else {"l": new})


@pytest.mark.parametrize(
    ("new", "key", "places"),
    [
        (["a", "b"], None, []),
        (["a", "b", "a"], None, ["l[a]"]),
        (["b", "a", "b", "a", "a"], None, ["l[a]", "l[b]"]),
        ([1, 2, 1], None, ["l[1]"]),
        ([{"t": 1}, {"t": 1}], None, []),
        ([{"t": "x"}, {"t": "y"}], "t", []),
        ([{"t": "x"}, {"u": "x"}, {"t": "x"}], "t", ["l[x]"]),
        ([{}, {}], "t", []),
        ([], None, []),
        (None, None, []),
        ({"a": 1}, None, []),
    ],
)
def test_doubles_are_found_by_value_or_by_key(new, key, places):
    assert said(found(new, key=key)) == [("deny", "u", place) for place in places]


def test_a_double_is_a_closed_denial_that_names_it():
    (finding,) = found(["a", "a"])
    assert finding.message == '"a" occurs more than once; keep one'
    assert (finding.type, finding.closed) == (CauseType.DUPLICATE, True)


@pytest.mark.parametrize(("new", "empty"), [([], True), (["a"], False), ({}, True), (None, False)])
def test_a_list_may_have_to_hold_something(new, empty):
    findings = found(new, old=["b"], filled=True)
    assert texts(findings) == (
        [f"{json.dumps(new)} must not be empty; remove the field, or fill it"] if empty else []
    )
    assert all((f.type, f.closed) == (CauseType.REQUIRED, True) for f in findings)


def test_an_old_double_only_warns_and_a_new_one_is_denied():
    findings = found(["a", "a", "b", "b"], old=["a", "a"])
    assert {str(f.field): f.severity for f in findings} == {
        "l[a]": Severity.WARN,
        "l[b]": Severity.DENY,
    }


def test_unless_excuses():
    assert found(["a", "a"], unless=[[{"path": "l", "present": True}]]) == []
