"""Findings sort denials first, and deterministically."""

from __future__ import annotations

import random

import pytest

from webhook.core.field import ROOT, FieldPath
from webhook.core.finding import CauseType, Finding, Severity, shape

STATUS = FieldPath().child("status")


def test_severities_are_the_words_of_the_profile_language():
    assert [s.value for s in Severity] == ["deny", "warn", "audit", "allow"]


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        (CauseType.REQUIRED, "FieldValueRequired"),
        (CauseType.INVALID, "FieldValueInvalid"),
        (CauseType.NOT_SUPPORTED, "FieldValueNotSupported"),
        (CauseType.FORBIDDEN, "FieldValueForbidden"),
        (CauseType.DUPLICATE, "FieldValueDuplicate"),
        (CauseType.TYPE_INVALID, "FieldValueTypeInvalid"),
    ],
)
def test_causes_are_spelled_as_apimachinery_spells_them(cause, text):
    assert cause.value == text


def test_a_finding_is_forbidden_open_and_always_told_unless_it_says_otherwise():
    finding = Finding("a.b", STATUS, Severity.DENY, "no")
    assert (finding.type, finding.rarely, finding.closed) == (CauseType.FORBIDDEN, False, False)


def test_at_changes_the_severity_and_nothing_else():
    finding = Finding(
        "a.b", STATUS, Severity.DENY, "no", CauseType.INVALID, rarely=True, closed=True
    )
    assert finding.at(Severity.WARN) == Finding(
        "a.b", STATUS, Severity.WARN, "no", CauseType.INVALID, rarely=True, closed=True
    )
    assert finding.at(Severity.DENY) is finding


def test_findings_sort_by_severity_then_place_then_rule_then_text():
    in_order = [
        Finding("z.z", STATUS, Severity.DENY, "z"),
        Finding("a.a", STATUS.child("a"), Severity.DENY, "a"),
        Finding("a.a", STATUS.child("b"), Severity.DENY, "a"),
        Finding("a.b", STATUS.child("b"), Severity.DENY, "a"),
        Finding("a.b", STATUS.child("b"), Severity.DENY, "b"),
        Finding("a.a", STATUS, Severity.WARN, "a"),
        Finding("a.a", STATUS, Severity.AUDIT, "a"),
        Finding("a.a", STATUS, Severity.ALLOW, "a"),
    ]
    for seed in range(5):
        shuffled = list(in_order)
        random.Random(seed).shuffle(shuffled)
        assert sorted(set(shuffled), key=Finding.order) == in_order, f"seed {seed}"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (STATUS, "status must be a list"),
        (ROOT, "the object must be a list"),
        (FieldPath(), "the object must be a list"),
    ],
)
def test_a_wrong_shape_is_a_closed_denial_that_says_what_is_wanted(path, message):
    assert shape("p.shape", path, "a list") == Finding(
        "p.shape", path, Severity.DENY, message, CauseType.TYPE_INVALID, closed=True
    )
