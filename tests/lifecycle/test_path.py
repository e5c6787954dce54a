"""The grammar of paths, and what a path reads."""

from __future__ import annotations

import pytest

from webhook.core.field import FieldPath
from webhook.core.view import View
from webhook.lifecycle.path import START, Lookup, PathError, Step, StepKind, Trail, parse

KEY, STAR, TYPE = StepKind.KEY, StepKind.STAR, StepKind.TYPE
ANY_TYPE, INSIDE = StepKind.ANY_TYPE, StepKind.INSIDE


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a", [Step(KEY, "a")]),
        ("a.b", [Step(KEY, "a"), Step(KEY, "b")]),
        ("a.b-c_d/e", [Step(KEY, "a"), Step(KEY, "b-c_d/e")]),
        ('a."x.io/y"', [Step(KEY, "a"), Step(KEY, "x.io/y", bracketed=True)]),
        ('a."x[0]|y"', [Step(KEY, "a"), Step(KEY, "x[0]|y", bracketed=True)]),
        ("a.*", [Step(KEY, "a"), Step(STAR)]),
        ("a.*.*", [Step(KEY, "a"), Step(STAR), Step(STAR)]),
        ("a.c[T]", [Step(KEY, "a"), Step(KEY, "c"), Step(TYPE, "T", bracketed=True)]),
        ("a[x.io/T].s", [Step(KEY, "a"), Step(TYPE, "x.io/T", bracketed=True), Step(KEY, "s")]),
        ("a[*]", [Step(KEY, "a"), Step(ANY_TYPE, "", bracketed=True)]),
        ("a|json", [Step(KEY, "a"), Step(INSIDE)]),
        ("a|json.b", [Step(KEY, "a"), Step(INSIDE), Step(KEY, "b")]),
        ('"k_{x}"', [Step(KEY, "k_{x}", bracketed=True)]),
    ],
)
def test_a_path_is_a_list_of_steps(path, steps):
    assert list(parse(path)) == steps


@pytest.mark.parametrize(
    "path", ["", ".", "a.", "a..b", "a[", "a[]", 'a."', 'a.""', "a|yaml", "a|", "a]"]
)
def test_what_is_no_path_is_refused(path):
    with pytest.raises(PathError, match="is no path: it ends at"):
        parse(path)


def test_a_refusal_says_where_the_path_ends():
    with pytest.raises(PathError) as raised:
        parse("a.b]c")
    assert str(raised.value) == "'a.b]c' is no path: it ends at ']c'"


@pytest.mark.parametrize(
    ("path", "wild"),
    [
        ("a", [False]),
        ("*", [True]),
        ("a[*]", [False, True]),
        ("a[T]", [False, False]),
        ("a[x/{n}]", [False, True]),
        ('"k_{n}"', [True]),
        ("a|json", [False, False]),
    ],
)
def test_a_step_is_wild_where_it_may_lead_to_several_places(path, wild):
    assert [step.wild for step in parse(path)] == wild


ROOT = View.of(
    {
        "a": {"b": 1, "x.io/y": "z", "k_one": 11, "k_two": 22},
        "l": [{"type": "T", "v": 1}, {"type": "T", "v": 2}, {"type": "x/sky/Up", "v": 3}],
        "s": '{"in": {"p|1": 7}}',
    }
)


@pytest.mark.parametrize(
    ("path", "trail", "value"),
    [
        ("a.b", START, 1),
        ('a."x.io/y"', START, "z"),
        ("a.none.deeper", START, None),
        ("a.*", Trail(stars=("b",)), 1),
        ("a.*", START, None),
        ("*.*", Trail(stars=("a", "b")), 1),
        ("*.*", Trail(stars=("a",)), None),
        ("l[T].v", START, 1),
        ("l[U].v", START, None),
        ("l[*].v", Trail(stars=("x/sky/Up",)), 3),
        ("l[*].v", START, None),
        ("l[x/{n}/Up].v", Trail(names=(("n", "sky"),)), 3),
        ('a."k_{n}"', Trail(names=(("n", "two"),)), 22),
        ('a."k_{n}"', START, None),
        ('s|json.in."{p}|{v}"', Trail(names=(("p", "p"), ("v", "1"))), 7),
        ("a.b|json.in", START, None),
    ],
)
def test_a_lookup_reads_where_the_trail_leads(path, trail, value):
    found = Lookup(path)(ROOT, trail)
    assert (None if found is None else found.value) == value


def test_a_lookup_in_nothing_is_nothing():
    assert Lookup("a.b")(None, START) is None


@pytest.mark.parametrize(
    ("path", "trail", "text"),
    [
        ("a.b", START, "a.b"),
        ("a.*.c", Trail(stars=("k",)), "a[k].c"),
        ("a.*.c", START, "a[*].c"),
        ("l[T].s", START, "l[T].s"),
        ("l[*].s", Trail(stars=("T",)), "l[T].s"),
        ('a."k_{n}"|json."{p}"', Trail(names=(("n", "x"), ("p", "q"))), "a[k_x][q]"),
    ],
)
def test_a_lookup_prints_its_place(path, trail, text):
    assert str(Lookup(path).field(trail)) == text


def test_the_parent_of_a_place_is_what_holds_it():
    assert Lookup("a.b").parent()(ROOT, START).fields.keys() == {"b", "x.io/y", "k_one", "k_two"}
    assert len(Lookup("l[T]").parent()(ROOT, START).items) == 3


@pytest.mark.parametrize(
    ("step", "key", "trail"),
    [
        (Step(KEY, "a"), "a", Trail(FieldPath().child("a"))),
        (Step(KEY, "a", bracketed=True), "a", Trail(FieldPath().key("a"))),
        (Step(STAR), "n", Trail(FieldPath().key("n"), ("n",))),
        (Step(ANY_TYPE, "", bracketed=True), "T", Trail(FieldPath().key("T"), ("T",))),
        (Step(TYPE, "T", bracketed=True), "T", Trail(FieldPath().key("T"))),
        (
            Step(KEY, "k_{x}", bracketed=True),
            "k_one",
            Trail(FieldPath().key("k_one"), (), (("x", "one"),)),
        ),
        (Step(KEY, "k_{x}", bracketed=True), "k_", None),
        (Step(KEY, "k_{x}", bracketed=True), "j_one", None),
        (
            Step(KEY, "k_{x}.", bracketed=True),
            "k_one.",
            Trail(FieldPath().key("k_one."), (), (("x", "one"),)),
        ),
        (Step(KEY, "k.{x}", bracketed=True), "kzone", None),
        (
            Step(KEY, "{p}|{v}", bracketed=True),
            "a|1|2",
            Trail(FieldPath().key("a|1|2"), (), (("p", "a"), ("v", "1|2"))),
        ),
    ],
)
def test_a_trail_goes_one_step_on(step, key, trail):
    assert START.step(step, key) == trail


def test_a_trail_keeps_what_it_bound_before():
    trail = START.step(Step(STAR), "n1").step(Step(KEY, "k_{x}", bracketed=True), "k_y")
    trail = trail.step(Step(STAR), "n2")
    assert trail.stars == ("n1", "n2")
    assert trail.names == (("x", "y"),)
    assert str(trail.field) == "[n1][k_y][n2]"


def test_a_trail_fills_captures_into_a_text():
    trail = Trail(names=(("sk", "gpu"), ("p", "foo")))
    assert trail.fill("{sk}/{p}/{sk}/{other}") == "gpu/foo/gpu/{other}"


def test_trails_that_lead_to_the_same_place_are_one():
    on, again = (START.step(Step(STAR), "k") for _ in range(2))
    assert on == again
    assert len({on, again, START.step(Step(STAR), "other")}) == 2
    assert on != START
    assert on != on.field
