"""The walk: every rule is asked where a write changed something, and nowhere else."""

from __future__ import annotations

import pytest

from webhook.core.finding import Finding, Severity
from webhook.core.view import View
from webhook.lifecycle.path import START, Step, StepKind, Trail
from webhook.lifecycle.plan import MOST_FINDINGS, Plan
from webhook.lifecycle.run import Run


class Spy:
    """A rule that remembers where it was asked, and finds nothing."""

    def __init__(self):
        self.asked = []

    def __call__(self, run, old, new, trail):
        self.asked.append((str(trail.field), old and old.value, new and new.value))
        return ()


def asked(path, old, new):
    plan, spy = Plan("p"), Spy()
    plan.add(path, spy)
    found = plan.judge(Run(View.of(old), View.of(new)))
    assert found == []
    return spy.asked


@pytest.mark.parametrize(
    ("path", "old", "new", "places"),
    [
        ("a.b", {"a": {"b": 1}}, {"a": {"b": 2}}, [("a.b", 1, 2)]),
        ("a.b", {"a": {"b": 1}}, {"a": {}}, [("a.b", 1, None)]),
        ("a.b", {"a": {"b": 1}}, {}, [("a.b", 1, None)]),
        ("a.b", {}, {"a": {"b": 2}}, [("a.b", None, 2)]),
        ("a.b", {"a": {"b": 1}}, {"a": {"b": None}}, [("a.b", 1, None)]),
        ("a.b", {"a": {"b": None}}, {"a": {}}, []),
        ("a.b", {"a": {"b": 1, "c": 1}}, {"a": {"b": 1, "c": 2}}, []),
        ("a.*", {"a": {"b": 1, "c": 1, "d": 1}}, {"a": {"b": 1, "c": 2, "e": 3}},
         [("a[c]", 1, 2), ("a[e]", None, 3), ("a[d]", 1, None)]),
        ('a."k_{x}"', {"a": {}}, {"a": {"k_1": 1, "j_1": 1}}, [("a[k_1]", None, 1)]),
        ("l[T].v", {"l": [{"type": "T", "v": 1}]}, {"l": [{"type": "S"}, {"type": "T", "v": 2}]},
         [("l[T].v", 1, 2)]),
        ("l[*].v", {"l": [{"type": "T", "v": 1}, {"type": "S", "v": 1}]},
         {"l": [{"type": "S", "v": 1}, {"type": "T", "v": 2}]}, [("l[T].v", 1, 2)]),
        ("l[*]", {"l": [{"type": "T"}]}, {"l": []}, [("l[T]", {"type": "T"}, None)]),
        ("l[x/{n}]", {"l": []}, {"l": [{"type": "x/1"}, {"type": "y/1"}]}, [("l[x/1]", None, {"type": "x/1"})]),
        ("s|json.a", {"s": '{"a":1,"b":1}'}, {"s": '{"b":1,"a":2}'}, [("s.a", 1, 2)]),
        ("s|json.a", {"s": "{broken"}, {"s": '{"a":2}'}, [("s.a", None, 2)]),
        ("s|json.a", {"s": '{"a":1}'}, {"s": "[]"}, [("s.a", 1, None)]),
        ("a", {"a": [1, 2]}, {"a": [1, 2]}, []),
    ],
)  # fmt: skip
def test_a_rule_is_asked_where_its_value_changed(path, old, new, places):
    assert asked(path, old, new) == places


def test_the_empty_path_is_the_whole_object():
    assert asked("", {"a": 1}, {"a": 2}) == [("", {"a": 1}, {"a": 2})]


def test_rules_on_named_and_wild_places_are_both_asked():
    plan, spies = Plan("p"), [Spy() for _ in range(5)]
    for path, spy in zip(("l[T].v", "l[*].v", "m.k", "m.*", 'm."{x}"'), spies, strict=True):
        plan.add(path, spy)
    new = {"l": [{"type": "T", "v": 1}], "m": {"k": 1}}
    plan.judge(Run(View.of({"l": [], "m": {}}), View.of(new)))
    assert [spy.asked for spy in spies] == [
        [("l[T].v", None, 1)],
        [("l[T].v", None, 1)],
        [("m.k", None, 1)],
        [("m[k]", None, 1)],
        [("m[k]", None, 1)],
    ]


def test_several_rules_on_one_place_are_asked_in_order():
    plan, order = Plan("p"), []
    plan.add("a", lambda *_: order.append("first") or ())
    plan.add("a", lambda *_: order.append("second") or ())
    plan.judge(Run(View.of({"a": 1}), View.of({"a": 2})))
    assert order == ["first", "second"]


def test_without_an_old_object_everything_is_new():
    plan, spy = Plan("p"), Spy()
    plan.add("a.*", spy)
    plan.judge(Run(None, View.of({"a": {"b": 1, "c": 2}})))
    assert spy.asked == [("a[b]", None, 1), ("a[c]", None, 2)]


def test_byte_equal_objects_are_not_walked():
    plan, spy = Plan("p"), Spy()
    plan.add("", spy)
    plan.judge(Run(View.of({"a": 1}), View.of({"a": 1})))
    assert spy.asked == []


def test_of_5000_nodes_only_the_changed_one_is_visited_and_decoded(monkeypatch):
    def skyhook(node_1234):
        state = {f"n{i:04d}": {"p|1": {"state": "complete"}} for i in range(5000)}
        return View.of({"status": {"nodeState": {**state, "n1234": {"p|1": {"state": node_1234}}}}})

    plan, spy = Plan("p"), Spy()
    plan.add("status.nodeState.*.*.state", spy)
    decoded = []
    real = View.value.fget
    monkeypatch.setattr(
        View, "value", property(lambda v: (decoded.append(bytes(v.raw)), real(v))[1])
    )
    plan.judge(Run(skyhook("in_progress"), skyhook("complete")))
    assert spy.asked == [("status.nodeState[n1234][p|1].state", "in_progress", "complete")]
    assert decoded == [b'"in_progress"', b'"complete"']


@pytest.mark.parametrize(
    ("path", "old", "new", "field", "message"),
    [
        ("a.b", {"a": {}}, {"a": 5}, "a", "a must be an object"),
        ("a.b", {"a": {}}, {"a": [1]}, "a", "a must be an object"),
        ("a.*.b", {"a": {"k": {}}}, {"a": {"k": "x"}}, "a[k]", "a[k] must be an object"),
        ("l[T]", {"l": []}, {"l": {}}, "l", "l must be a list"),
        ("l[*].v", {"l": []}, {"l": "x"}, "l", "l must be a list"),
        ("l[*].v", {"l": []}, {"l": [{"type": "T"}]}, None, None),
        ("l[*].v", {}, {"l": [{"type": "T", "v": 1}, 5]}, None, None),
    ],
)
def test_a_value_of_the_wrong_shape_is_denied_with_its_place(path, old, new, field, message):
    plan = Plan("p")
    plan.add(path, Spy())
    found = plan.judge(Run(View.of(old), View.of(new)))
    expected = [] if field is None else [("p.shape", field, Severity.DENY, message, True)]
    assert [(f.rule, str(f.field), f.severity, f.message, f.closed) for f in found] == expected


@pytest.mark.parametrize(("old", "new"), [({"a": 5}, {"a": [1]}), ({"a": "x"}, {"a": 5})])
def test_a_shape_that_was_wrong_before_only_warns(old, new):
    plan = Plan("p")
    plan.add("a.b", Spy())
    (finding,) = plan.judge(Run(View.of(old), View.of(new)))
    assert finding.severity is Severity.WARN


def test_a_shape_wrong_in_another_way_than_before_is_denied():
    plan = Plan("p")
    plan.add("a.b", Spy())
    plan.add("a[T]", Spy())
    found = plan.judge(Run(View.of({"a": [1]}), View.of({"a": {"b": 1}})))
    assert [(f.message, f.severity) for f in found] == [("a must be a list", Severity.DENY)]


def finder(rule, severity, closed=False):
    def judge(_run, _old, new, trail):
        if new is not None:
            yield Finding(rule, trail.field, severity, "no", closed=closed)

    return judge


def many(key, count):
    return {key: {f"k{i:05d}": 1 for i in range(count)}}


@pytest.mark.parametrize("severity", [Severity.WARN, Severity.AUDIT])
def test_a_flood_of_lesser_findings_hides_no_denial(severity):
    plan = Plan("p")
    plan.add("a.*", finder("p.odd", severity))
    plan.add("z.*.deep", finder("p.bad", Severity.DENY))
    old, new = (
        {"a": {}, "z": {"x": {}}},
        {**many("a", MOST_FINDINGS + 500), "z": {"x": {"deep": 1}}},
    )
    found = plan.judge(Run(View.of(old), View.of(new)))
    assert [f.rule for f in found].count("p.odd") == MOST_FINDINGS
    assert [str(f.field) for f in found if f.rule == "p.bad"] == ["z[x].deep"]


def test_a_flood_of_denials_that_the_policy_turns_into_less_hides_no_other():
    plan = Plan("p")
    plan.add("a.*", finder("p.off", Severity.DENY))
    plan.add("z.*.deep", finder("p.bad", Severity.DENY))
    old, new = (
        {"a": {}, "z": {"x": {}}},
        {**many("a", MOST_FINDINGS + 500), "z": {"x": {"deep": 1}}},
    )
    found = plan.judge(Run(View.of(old), View.of(new)), lambda f: f.rule != "p.off")
    assert "p.bad" in {f.rule for f in found}


def test_after_so_many_denials_that_stand_the_walk_ends():
    plan, spy = Plan("p"), Spy()
    plan.add("a.*", finder("p.bad", Severity.DENY))
    plan.add("z.*", spy)
    old, new = {"a": {}, "z": {}}, {**many("a", MOST_FINDINGS + 500), "z": {"x": 1}}
    found = plan.judge(Run(View.of(old), View.of(new)))
    assert [f.rule for f in found] == ["p.bad"] * MOST_FINDINGS
    assert spy.asked == []


def test_as_many_denials_as_the_limit_do_not_end_it():
    plan, spy = Plan("p"), Spy()
    plan.add("a.*", finder("p.bad", Severity.DENY))
    plan.add("z.*", spy)
    new = {**many("a", MOST_FINDINGS), "z": {"x": 1}}
    plan.judge(Run(View.of({"a": {}, "z": {}}), View.of(new)))
    assert spy.asked == [("z[x]", None, 1)]


@pytest.mark.parametrize(
    ("severity", "closed", "becomes"),
    [
        (Severity.DENY, False, Severity.WARN),
        (Severity.DENY, True, Severity.DENY),
        (Severity.WARN, False, Severity.WARN),
        (Severity.AUDIT, False, Severity.AUDIT),
    ],
)
def test_for_a_release_nobody_recorded_only_closed_values_deny(severity, closed, becomes):
    plan = Plan("p", certain=False)
    plan.add("a", finder("p.r", severity, closed))
    (finding,) = plan.judge(Run(View.of({}), View.of({"a": 1})))
    assert finding.severity is becomes


def test_the_shape_rule_carries_the_profiles_name():
    assert Plan("skyhook").shape_rule == "skyhook.shape"


def test_defects_are_what_every_rule_says_of_the_old_value_at_a_place():
    plan = Plan("p")
    plan.add("l[*]", finder("p.wild", Severity.DENY))
    plan.add("l[T].v", finder("p.named", Severity.DENY))
    plan.add("l[S].v", finder("p.other", Severity.DENY))
    plan.add("m.k", finder("p.elsewhere", Severity.DENY))
    old = View.of({"l": [{"type": "T", "v": 1}, {"type": "S", "v": 1}], "m": {"k": 1}})
    trail = START.step(*_key("l")).step(*_any("T"))
    found = plan.defects(Run(old, View.of({})), "l[*]", trail)
    assert {(f.rule, str(f.field)) for f in found} == {("p.wild", "l[T]"), ("p.named", "l[T].v")}


def test_a_pattern_that_does_not_fit_the_key_says_nothing_of_it():
    plan = Plan("p")
    plan.add("m.*", finder("p.any", Severity.DENY))
    plan.add('m."k_{x}"', finder("p.pattern", Severity.DENY))
    trail = START.step(*_key("m")).step(Step(StepKind.STAR), "other")
    found = plan.defects(Run(View.of({"m": {"other": 1}}), None), "m.*", trail)
    assert [f.rule for f in found] == ["p.any"]


def test_defects_inside_a_string_are_found():
    plan = Plan("p")
    plan.add('s."k_{x}"|json.a', finder("p.inside", Severity.DENY))
    old = View.of({"s": {"k_1": '{"a":1}'}})
    trail = START.step(*_key("s")).step(*_key("k_{x}", "k_1", bracketed=True)).step(*_key("a"))
    found = plan.defects(Run(old, None), 's."k_{x}"|json.a', trail)
    assert [str(f.field) for f in found] == ["s[k_1].a"]


@pytest.mark.parametrize(
    ("old", "path", "message"),
    [
        ({"a": 5}, "a.b.c", "a must be an object"),
        ({"a": {"b": []}}, "a.b.c", "a.b must be an object"),
        ({"a": {}}, "a.b.c", None),
        ({}, "a.b.c", None),
        ([1], "a.b.c", "the object must be an object"),
        ({"a": {}}, "a[T]", "a must be a list"),
        ({"a": []}, "a[T]", None),
    ],
)
def test_an_absent_place_has_the_defect_of_what_cannot_hold_it(old, path, message):
    plan = Plan("p")
    plan.add(path, Spy())
    found = plan.defects(Run(View.of(old), View.of({})), path, Trail())
    assert [f.message for f in found] == ([] if message is None else [message])


def _key(name, key=None, bracketed=False):
    return Step(StepKind.KEY, name, bracketed), key or name


def _any(key):
    return Step(StepKind.ANY_TYPE, "", bracketed=True), key


@pytest.mark.parametrize(
    ("before", "after", "found"), [(2, 2, []), (2, 3, ["warn"]), (1, 2, ["deny"])]
)
def test_a_repeated_type_is_told_when_there_are_more_of_it_than_before(before, after, found):
    def listed(count, value):
        return {"l": [{"type": "T", "v": value}] * count}

    plan = Plan("p")
    plan.add("l[*].v", Spy())
    findings = plan.judge(Run(View.of(listed(before, 1)), View.of(listed(after, 2))))
    assert [f.severity.value for f in findings] == found
