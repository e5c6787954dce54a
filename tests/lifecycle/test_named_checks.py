"""Checks: named rules in code, with parameters from the profile."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import NO_CODE, guard, judge, profile, said
from webhook.core.finding import CauseType, Finding, Severity
from webhook.lifecycle.compile import Code, ProfileError, compile_profile
from webhook.lifecycle.rule import Mark

CHECK = {
    "id": "mine",
    "use": "bad_word",
    "severity": "deny",
    "at": ["status.*"],
    "with": {"word": "x"},
}


def bad_word(parameters):
    word = parameters["word"]
    if not isinstance(word, str):
        raise ValueError("with: word must be a text")

    def check(_run, _old, new, trail):
        if new is not None and new.value == word:
            yield Mark(trail.field, f"says {word}")

    return check


CODE = Code({"bad_word": bad_word}, {}, {})


def found(old, new, code=CODE, **rule):
    return judge(guard(checks=[{**CHECK, **rule}], code=code), {"status": old}, {"status": new})


def test_a_mark_gets_the_rules_id_and_severity():
    (finding,) = found({}, {"a": "x", "b": "y"})
    assert (finding.rule, str(finding.field), finding.severity) == (
        "p.mine",
        "status[a]",
        Severity.DENY,
    )
    assert (finding.message, finding.type) == ("says x", CauseType.FORBIDDEN)
    assert not finding.closed
    assert not finding.rarely


def test_a_mark_may_bring_its_own():
    def check(_parameters):
        return lambda _r, _o, _n, t: [
            Mark(t.field, "m", Severity.WARN, CauseType.DUPLICATE, closed=True, rarely=True)
        ]

    (finding,) = found({}, {"a": 1}, Code({"bad_word": check}, {}, {}))
    assert finding == Finding(
        "p.mine", finding.field, Severity.WARN, "m", CauseType.DUPLICATE, rarely=True, closed=True
    )


def test_without_a_place_a_check_is_asked_about_the_whole_object():
    asked = []

    def check(_parameters):
        return lambda _r, old, new, t: asked.append((old.value, new.value, str(t.field))) or ()

    found({}, {"a": 1}, Code({"bad_word": check}, {}, {}), at=[])
    assert asked == [({"status": {}}, {"status": {"a": 1}}, "")]


def test_several_places_are_all_asked():
    findings = found({}, {"a": "x", "b": "x"}, at=["status.a", "status.b"])
    assert [str(f.field) for f in findings] == ["status.a", "status.b"]


def test_an_old_defect_only_warns_and_unless_excuses():
    assert said(found({"a": "x"}, {"a": "x", "b": 1})) == []
    assert said(found({"a": "x"}, {"a": "x "}, **{"with": {"word": "x "}})) == [
        ("deny", "mine", "status[a]")
    ]
    assert found({}, {"a": "x"}, unless=[[{"path": "status.a", "present": True}]]) == []


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"use": "none_such"}, "nothing here is called 'none_such'"),
        ({"with": {"word": 5}}, "with: word must be a text"),
        ({"with": {}}, "nothing here is called 'word'"),
        ({"unless": [[{"predicate": "none_such"}]]}, "nothing here is called 'none_such'"),
    ],
)
def test_a_check_that_cannot_be_made_refuses_the_profile(rule, reason):
    with pytest.raises(ProfileError) as raised:
        compile_profile(profile(checks=[{**CHECK, **rule}]), CODE)
    assert str(raised.value) == f"profile p: guards[0].checks[mine]: {reason}"


def test_without_code_no_check_is_known():
    with pytest.raises(ProfileError, match="nothing here is called 'bad_word'"):
        compile_profile(profile(checks=[CHECK]), NO_CODE)
