"""The answer: what kubectl shows, within the API server's limits."""

from __future__ import annotations

import json

import msgspec
import pytest

from webhook.core.field import FieldPath
from webhook.core.finding import CauseType, Finding, Severity
from webhook.core.writer import Writer
from webhook.reviews.answer import (
    LONGEST_CAUSE,
    LONGEST_FIELD,
    LONGEST_WARNING,
    MOST_CAUSES,
    MOST_WARNINGS,
    answer,
    cut,
    text_of,
    warning_of,
)
from webhook.reviews.verdict import Verdict
from webhook.reviews.wire import AdmissionRequest, GroupVersionKind

STATUS = FieldPath().child("status")
REQUEST = AdmissionRequest("u-1", "UPDATE", GroupVersionKind("g.io", "v1", "Skyhook"), name="gpu")


def finding(number=0, message="no", severity=Severity.DENY, rule="p.r", **extra):
    return Finding(f"{rule}{number or ''}", STATUS.key(f"n{number}"), severity, message, **extra)


def encoded(verdict, request=REQUEST):
    return json.loads(msgspec.json.encode(answer(request, verdict)))


def test_an_allowed_write_gets_two_words():
    assert encoded(Verdict(Writer.OPERATOR)) == {"uid": "u-1", "allowed": True}


def test_a_denial_is_a_422_with_every_finding_as_a_cause():
    denied = (finding(1, "first", type=CauseType.INVALID), finding(2, "second"))
    assert encoded(Verdict(Writer.PERSON, denied)) == {
        "uid": "u-1",
        "allowed": False,
        "status": {
            "message": 'Skyhook "gpu" is invalid: status[n1]: first (p.r1) (and 1 more)',
            "reason": "Invalid",
            "code": 422,
            "status": "Failure",
            "details": {
                "name": "gpu",
                "group": "g.io",
                "kind": "Skyhook",
                "causes": [
                    {
                        "reason": "FieldValueInvalid",
                        "message": "first (p.r1)",
                        "field": "status[n1]",
                    },
                    {
                        "reason": "FieldValueForbidden",
                        "message": "second (p.r2)",
                        "field": "status[n2]",
                    },
                ],
            },
        },
        "auditAnnotations": {"rules": "p.r1,p.r2", "writer": "person"},
    }


def test_a_single_denial_counts_no_more():
    assert encoded(Verdict(Writer.PERSON, (finding(1, "first"),)))["status"]["message"] == (
        'Skyhook "gpu" is invalid: status[n1]: first (p.r1)'
    )


def test_a_name_may_be_missing():
    request = AdmissionRequest("u", "CREATE", GroupVersionKind("g.io", "v1", "Skyhook"))
    status = encoded(Verdict(Writer.PERSON, (finding(1, "first"),)), request)["status"]
    assert status["message"] == 'Skyhook "" is invalid: status[n1]: first (p.r1)'
    assert status["details"].get("name", "") == ""


@pytest.mark.parametrize("count", [MOST_CAUSES, MOST_CAUSES + 1, 5000])
def test_causes_are_capped_and_the_rest_counted(count):
    denied = tuple(finding(n) for n in range(count))
    causes = encoded(Verdict(Writer.PERSON, denied))["status"]["details"]["causes"]
    rest = count - MOST_CAUSES
    assert len(causes) == min(count, MOST_CAUSES + 1)
    if rest > 0:
        assert causes[-1] == {
            "reason": "FieldValueInvalid",
            "message": f"and {rest} more like these",
            "field": "",
        }
    assert causes[0]["message"] == "no (p.r)"


@pytest.mark.parametrize("length", [10, LONGEST_CAUSE, 100_000])
def test_texts_are_cut_and_keep_the_rule(length):
    long = Finding("p.r", STATUS.key("n" * length), Severity.DENY, "x" * length)
    status = encoded(Verdict(Writer.PERSON, (long,)))["status"]
    (cause,) = status["details"]["causes"]
    assert len(cause["message"]) <= LONGEST_CAUSE
    assert len(status["message"]) <= LONGEST_CAUSE
    assert len(cause["field"]) <= LONGEST_FIELD
    assert cause["message"].endswith(" (p.r)")
    if length > 10:
        assert cause["message"] == "x" * (LONGEST_CAUSE - 9) + "... (p.r)"


@pytest.mark.parametrize(
    ("count", "shown", "last"),
    [
        (1, 1, "status[n0]: odd (p.r)"),
        (
            MOST_WARNINGS,
            MOST_WARNINGS,
            f"status[n{MOST_WARNINGS - 1}]: odd (p.r{MOST_WARNINGS - 1})",
        ),
        (MOST_WARNINGS + 1, MOST_WARNINGS, "2 more warnings were left out"),
        (500, MOST_WARNINGS, f"{500 - MOST_WARNINGS + 1} more warnings were left out"),
    ],
)
def test_warnings_are_capped_and_the_rest_counted(count, shown, last):
    warned = tuple(finding(n, "odd", Severity.WARN) for n in range(count))
    warnings = encoded(Verdict(Writer.PERSON, warned=warned))["warnings"]
    assert len(warnings) == shown
    assert warnings[-1] == last


def test_all_warnings_together_stay_below_the_api_servers_limit():
    warned = tuple(finding(n, "ä" * 5000, Severity.WARN) for n in range(500))
    warnings = encoded(Verdict(Writer.PERSON, warned=warned))["warnings"]
    assert max(map(len, warnings)) == LONGEST_WARNING
    assert sum(map(len, warnings)) <= 4096


def test_equal_warnings_are_said_once():
    odd = finding(1, "odd", Severity.WARN)
    warnings = encoded(Verdict(Writer.PERSON, warned=(odd, odd.at(Severity.AUDIT))))["warnings"]
    assert warnings == ["status[n1]: odd (p.r1)"]


def test_warnings_are_told_on_denials_too():
    got = encoded(Verdict(Writer.PERSON, (finding(1),), (finding(2, "odd", Severity.WARN),)))
    assert got["warnings"] == ["status[n2]: odd (p.r2)"]
    assert got["auditAnnotations"]["rules"] == "p.r1,p.r2"


def test_audit_annotations_name_rules_writer_and_what_the_policy_let_pass():
    verdict = Verdict(
        Writer.SERVICE_ACCOUNT,
        audited=(finding(1), finding(1), finding(2)),
        would_deny=("p.r1", "p.r2"),
    )
    assert encoded(verdict) == {
        "uid": "u-1",
        "allowed": True,
        "auditAnnotations": {
            "rules": "p.r1,p.r2",
            "writer": "service-account",
            "would-deny": "p.r1,p.r2",
        },
    }


def test_audit_annotations_are_cut_too():
    audited = tuple(finding(n, rule="p.some-long-rule-name") for n in range(500))
    got = encoded(
        Verdict(Writer.OPERATOR, audited=audited, would_deny=tuple(f.rule for f in audited))
    )
    assert len(got["auditAnnotations"]["rules"]) == LONGEST_CAUSE
    assert len(got["auditAnnotations"]["would-deny"]) == LONGEST_CAUSE


@pytest.mark.parametrize(
    ("text", "most", "result"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "..."),
        ("abcdef", 5, "ab..."),
        ("a\nb\r\tc\x00\x1b\x7f", 20, "a b  c   "),
        ("a\u2028b\u202ec", 20, "a b c"),
        ("grün ✓", 20, "grün ✓"),
    ],
)
def test_a_text_is_one_line_of_so_many_characters(text, most, result):
    assert cut(text, most) == result


def test_a_finding_as_a_cause_and_as_a_warning():
    long = Finding("p.r", STATUS, Severity.WARN, "x" * 5000)
    assert text_of(finding(1, "a\nb")) == "a b (p.r1)"
    assert warning_of(finding(1, "a\nb")) == "status[n1]: a b (p.r1)"
    assert len(warning_of(long)) == LONGEST_WARNING
    assert warning_of(long).startswith("status: xxx")
    assert warning_of(long).endswith("... (p.r)")


def test_the_limits_are_those_that_were_measured():
    assert (MOST_WARNINGS, LONGEST_WARNING, MOST_CAUSES, LONGEST_CAUSE, LONGEST_FIELD) == (
        15,
        250,
        50,
        1000,
        500,
    )
