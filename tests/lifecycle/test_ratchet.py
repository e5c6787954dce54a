"""An old defect never denies: same rule, same place, and only then."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard, judge, said
from webhook.core.field import FieldPath
from webhook.core.finding import Finding, Severity
from webhook.lifecycle.plan import ratchet

COLOURS = {"id": "colour", "path": "status.colours.*", "values": ["red", "green"]}
BOUND = {
    "id": "seen",
    "path": "status.seen",
    "order": "int",
    "bound": "metadata.generation",
    "down": "allow",
}


def status(**fields):
    return {"metadata": {"generation": 5}, "status": fields}


@pytest.fixture(scope="module")
def colours():
    return guard(tracks=[COLOURS])


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": "blue"}, {"a": "pink"}, [("warn", "colour.value", "status.colours[a]")]),
        ({"a": "red"}, {"a": "pink"}, [("deny", "colour.value", "status.colours[a]")]),
        (
            {"a": "blue"},
            {"a": "blue", "b": "pink"},
            [("deny", "colour.value", "status.colours[b]")],
        ),
        ({"a": "blue"}, {"a": "blue", "b": "red"}, []),
        ({"a": "blue"}, {"a": "red"}, []),
        ({"a": "blue"}, {}, []),
        ({"a": 7}, {"a": [7]}, [("warn", "colour.value", "status.colours[a]")]),
    ],
)
def test_an_old_illegal_word_never_denies(colours, old, new, found):
    assert said(judge(colours, status(colours=old), status(colours=new))) == found


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (9, 8, [("warn", "seen.over", "status.seen")]),
        (9, 5, []),
        (4, 9, [("deny", "seen.over", "status.seen")]),
        ("x", "y", [("warn", "seen.format", "status.seen")]),
        ("x", 9, [("deny", "seen.over", "status.seen")]),
    ],
)
def test_another_rule_of_the_same_place_is_another_defect(old, new, found):
    assert said(judge(guard(monotone=[BOUND]), status(seen=old), status(seen=new))) == found


def test_on_create_there_is_no_old_defect(colours):
    assert said(judge(colours, None, status(colours={"a": "pink"}))) == [
        ("deny", "colour.value", "status.colours[a]")
    ]


def finding(rule, field, severity=Severity.DENY):
    return Finding(rule, FieldPath().child(field), severity, "x")


def test_same_rule_and_same_place_become_a_warning():
    assert ratchet(finding("r", "f"), [finding("q", "f"), finding("r", "f")]) == finding(
        "r", "f", Severity.WARN
    )


@pytest.mark.parametrize("before", [[], [finding("q", "f")], [finding("r", "g")]])
def test_anything_else_stays_denied(before):
    assert ratchet(finding("r", "f"), before) == finding("r", "f")


def test_a_ratcheted_audit_stays_an_audit():
    audit = finding("r", "f", Severity.AUDIT)
    assert ratchet(audit, [audit]) is audit
