"""Requires: when this holds, that must hold."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard, judge, said, texts
from webhook.core.finding import CauseType

DONE = {
    "id": "done",
    "severity": "deny",
    "when": [{"path": "status.phase", "became": ["Done"]}],
    "need": [{"path": "status.left", "empty": True}],
    "message": "{old} -> {new} while something is left",
}


def status(**fields):
    return {"status": fields}


def found(old, new, **rule):
    return judge(guard(requires=[{**DONE, **rule}]), old, new)


@pytest.mark.parametrize(
    ("old", "new", "denied"),
    [
        (status(phase="Run"), status(phase="Done"), False),
        (status(phase="Run"), status(phase="Done", left=["a"]), True),
        (status(phase="Run", left=["a"]), status(phase="Run", left=["b"]), False),
        (status(phase="Done"), status(phase="Done", left=["a"]), False),
        (None, status(phase="Done", left=["a"]), False),
    ],
)
def test_a_requirement_is_asked_when_its_condition_comes_true(old, new, denied):
    assert said(found(old, new)) == ([("deny", "done", "status.phase")] if denied else [])


def test_the_finding_says_what_happened_and_is_invalid():
    (finding,) = found(status(phase="Run"), status(phase="Done", left=[1]))
    assert finding.message == '"Run" -> "Done" while something is left'
    assert (finding.type, finding.closed, finding.rarely) == (CauseType.INVALID, False, False)


def test_a_requirement_may_be_a_value_domain_that_holds_for_every_release():
    (finding,) = found(status(phase="Run"), status(phase="Done", left=[1]), closed=True)
    assert finding.closed


def test_without_need_the_condition_itself_is_wrong():
    findings = found(status(phase="Run"), status(phase="Done"), need=[], message="")
    assert texts(findings) == ['"Run" -> "Done" needs: nothing makes it legal']


def test_without_a_message_the_needed_paths_are_named():
    need = [{"path": "status.a", "present": True}, {"path": "status.b", "present": True}]
    findings = found(status(phase="Run"), status(phase="Done"), need=need, message="")
    assert texts(findings) == ['"Run" -> "Done" needs: status.a; status.b']


def test_all_of_need_must_hold():
    need = [{"path": "status.a", "present": True}, {"path": "status.b", "present": True}]
    assert found(status(), status(phase="Done", a=1, b=1), need=need) == []
    assert said(found(status(), status(phase="Done", a=1), need=need)) == [
        ("deny", "done", "status.phase")
    ]


def test_the_place_of_the_finding_can_be_another():
    findings = found(
        status(phase="Run", left=[1]), status(phase="Done", left=[2]), at="status.left"
    )
    assert said(findings) == [("deny", "done", "status.left")]
    assert texts(findings) == ["[1] -> [2] while something is left"]


@pytest.mark.parametrize("severity", ["deny", "warn", "audit"])
def test_the_severity_is_the_rules(severity):
    findings = found(status(), status(phase="Done", left=[1]), severity=severity)
    assert said(findings) == [(severity, "done", "status.phase")]


TWINS = {
    "id": "twins",
    "severity": "deny",
    "when": [{"path": "status.one", "present": True}],
    "need": [{"path": "status.one", "equals": "status.other"}],
    "message": "differ",
}


@pytest.mark.parametrize(("reads", "asked"), [("changed", False), ("whole", True)])
def test_a_rule_that_reads_whole_is_asked_when_what_it_needs_changed(reads, asked):
    rules = guard(requires=[{**TWINS, "reads": reads}])
    findings = judge(rules, status(one=1, other=1), status(one=1, other=2))
    assert said(findings) == ([("deny", "twins", "status.one")] if asked else [])


def test_a_rule_with_several_triggers_speaks_once():
    rules = guard(requires=[{**TWINS, "reads": "whole"}])
    assert len(judge(rules, status(one=1, other=1), status(one=3, other=2))) == 1


def test_an_old_difference_only_warns():
    rules = guard(requires=[{**TWINS, "reads": "whole"}])
    assert said(judge(rules, status(one=1, other=2), status(one=1, other=3))) == [
        ("warn", "twins", "status.one")
    ]


EACH = {
    "id": "each",
    "severity": "deny",
    "when": [{"path": "status.nodes.*", "became": "any"}],
    "need": [{"path": "status.boots.*", "present": True}],
    "message": "{new} without a boot",
}


def test_a_wildcard_binds_both_sides_to_the_same_key():
    rules = guard(requires=[EACH])
    old, new = status(nodes={}, boots={"a": 1}), status(nodes={"a": "x", "b": "y"}, boots={"a": 1})
    findings = judge(rules, old, new)
    assert said(findings) == [("deny", "each", "status.nodes[b]")]
    assert texts(findings) == ['"y" without a boot']


def test_a_trigger_without_the_wildcard_asks_everywhere():
    rules = guard(
        requires=[{
            "id": "each", "severity": "deny", "reads": "whole",
            "when": [{"path": "status.nodes.*", "present": True}, {"path": "status.strict", "in": [True]}],
            "need": [{"path": "status.nodes.*", "in": ["ok"]}],
        }]
    )  # fmt: skip
    nodes = {"a": "ok", "b": "bad", "c": "bad"}
    findings = judge(rules, status(nodes=nodes), status(nodes=nodes, strict=True))
    assert said(findings) == [
        ("deny", "each", "status.nodes[b]"),
        ("deny", "each", "status.nodes[c]"),
    ]


def test_everywhere_reaches_elements_and_what_strings_hold():
    rules = guard(
        requires=[{
            "id": "each", "severity": "deny",
            "when": [
                {"path": 'm."k_{x}"|json.l[*].s', "present": True},
                {"path": "strict", "changed": True},
            ],
        }]
    )  # fmt: skip
    held = {"k_1": '{"l":[{"type":"T","s":1},{"type":"U"}]}', "other": "{}"}
    findings = judge(rules, {"m": held}, {"m": held, "strict": 1})
    assert said(findings) == [("deny", "each", "m[k_1].l[T].s")]


def test_captures_are_filled_into_the_message():
    rules = guard(
        requires=[{
            "id": "label", "severity": "deny",
            "when": [{"path": 'a."s_{sky}"', "became": "any"}],
            "need": [{"path": 'a."s_{sky}"', "equals": 'l."s_{sky}"'}],
            "message": "{old} -> {new}, but the label of {sky} says something else",
        }]
    )  # fmt: skip
    findings = judge(rules, {"a": {}}, {"a": {"s_gpu": "x", "s_net": "y"}, "l": {"s_net": "y"}})
    assert said(findings) == [("deny", "label", "a[s_gpu]")]
    assert texts(findings) == ['absent -> "x", but the label of gpu says something else']


@pytest.mark.parametrize(("excuse", "denied"), [(True, False), (False, True)])
def test_unless_one_of_its_lists_holds(excuse, denied):
    unless = [
        [{"path": "metadata.deleted", "present": True}],
        [{"path": "nothing", "present": True}],
    ]
    new = {**status(phase="Done", left=[1]), **({"metadata": {"deleted": 1}} if excuse else {})}
    assert bool(found(status(), new, unless=unless)) is denied


@pytest.mark.parametrize(
    ("need", "fields", "text"),
    [
        ({"path": "status.left", "empty": True}, {"left": {"a": 1, "b": 2}}, "status.left still holds a, b"),
        ({"path": "status.left", "empty": True}, {"left": [1]}, "status.left is [1]"),
        ({"path": "status.m", "every": ["x"]}, {"m": {"a": "x", "b": "y"}}, 'status.m[b] is "y"'),
        ({"path": "status.m", "every": ["x"]}, {"m": {"a": "z", "b": "y"}},
         'status.m[a] is "z" (1 more are not either)'),
        ({"path": "status.m", "every": ["x"]}, {"m": 5}, "status.m is 5"),
        ({"path": "status.ok", "in": [True]}, {}, "status.ok is absent"),
        ({"path": "status.a", "equals": "status.b"}, {"a": 1, "b": 2}, "status.a is 1 and status.b is 2"),
        ({"path": "status.phase", "equals": "status.b"}, {"b": 2}, "status.b is 2"),
        ({"path": "status.c[T].status", "in": ["True"]}, {"c": [{"type": "T", "status": "False"}]},
         'status.c[T].status is "False"'),
    ],
)  # fmt: skip
def test_a_message_may_say_what_stands_where_something_else_is_needed(need, fields, text):
    findings = found(
        status(phase="Run"), status(phase="Done", **fields), need=[need], message="while {found}"
    )
    assert texts(findings) == [f"while {text}"]


def test_of_several_needs_the_first_that_is_not_met_is_told():
    need = [{"path": "status.a", "present": True}, {"path": "status.b", "present": True}]
    findings = found(
        status(phase="Run"), status(phase="Done", a=1), need=need, message="while {found}"
    )
    assert texts(findings) == ["while status.b is absent"]
