"""Tests on a review: what each atom of `when`, `need` and `unless` means."""

from __future__ import annotations

import msgspec
import pytest

from tests.lifecycle.small import look
from webhook.lifecycle.atoms import compile_any, compile_tests, member, value_of
from webhook.lifecycle.model import Test as Atom
from webhook.lifecycle.path import START, Trail
from webhook.lifecycle.run import Run

ABSENT = object()


def root(value):
    return {} if value is ABSENT else {"v": value}


def holds(atom, old, new):
    tests = [msgspec.convert({"path": "v", **atom}, Atom)]
    old_root = None if old is None else look(root(old))
    return compile_tests(tests, {})(Run(old_root, look(root(new))), START)


@pytest.mark.parametrize(
    ("atom", "new", "yes"),
    [
        ({"in": ["a", 1]}, "a", True), ({"in": ["a", 1]}, 1, True), ({"in": ["a", 1]}, True, False),
        ({"in": ["a"]}, ABSENT, False), ({"in": ["a"]}, "b", False),
        ({"not_in": ["a"]}, "b", True), ({"not_in": ["a"]}, "a", False), ({"not_in": ["a"]}, ABSENT, True),
        ({"present": True}, 0, True), ({"present": True}, ABSENT, False), ({"present": True}, None, False),
        ({"present": False}, ABSENT, True), ({"present": False}, "", False),
        ({"is": "x"}, "x", True), ({"is": "x"}, "y", False), ({"is": "x"}, ABSENT, False),
        ({"matches": "a+"}, "aaa", True), ({"matches": "a+"}, "aab", False), ({"matches": "a+"}, 5, False),
        ({"matches": ".*"}, ABSENT, False),
        ({"every": ["a"]}, {"x": "a", "y": "a"}, True), ({"every": ["a"]}, {"x": "a", "y": "b"}, False),
        ({"every": ["a"]}, {}, True), ({"every": ["a"]}, ABSENT, True), ({"every": ["a"]}, ["a"], False),
        ({"every": [1]}, {"x": True}, False),
        ({"empty": True}, {}, True), ({"empty": True}, [], True), ({"empty": True}, ABSENT, True),
        ({"empty": True}, {"x": 1}, False), ({"empty": False}, {"x": 1}, True), ({"empty": False}, ABSENT, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("old", [None, ABSENT, "a"])
def test_atoms_of_the_new_object(atom, new, yes, old):
    assert holds(atom, old, new) is yes


@pytest.mark.parametrize(
    ("atom", "old", "new", "yes"),
    [
        ({"was_present": True}, "a", ABSENT, True), ({"was_present": True}, ABSENT, "a", False),
        ({"was_present": False}, ABSENT, "a", True), ({"was_present": False}, None, "a", True),
        ({"was": ["a"]}, "a", "b", True), ({"was": ["a"]}, "b", "a", False), ({"was": ["a"]}, ABSENT, "a", False),
        ({"was": ["a"]}, None, "a", False),
        ({"was_not": ["a"]}, "b", "a", True), ({"was_not": ["a"]}, "a", "b", False),
        ({"was_not": ["a"]}, ABSENT, "a", True), ({"was_not": ["a"]}, None, "b", False),
        ({"changed": True}, "a", "b", True), ({"changed": True}, "a", "a", False),
        ({"changed": True}, ABSENT, "a", True), ({"changed": True}, "a", ABSENT, True),
        ({"changed": True}, None, "a", False), ({"changed": False}, None, "a", True),
        ({"changed": False}, "a", "a", True), ({"changed": True}, 1, True, True),
        ({"became": ["b"]}, "a", "b", True), ({"became": ["b"]}, "b", "b", False),
        ({"became": ["b"]}, ABSENT, "b", True), ({"became": ["b"]}, "a", "c", False),
        ({"became": ["b"]}, None, "b", False), ({"became": ["b"]}, "b", ABSENT, False),
        ({"became": "any"}, "a", "c", True), ({"became": "any"}, "a", ABSENT, False),
        ({"became": "any"}, "a", "a", False), ({"became": "any"}, None, "a", False),
    ],
)  # fmt: skip
def test_atoms_of_the_old_object_and_of_the_step(atom, old, new, yes):
    assert holds(atom, old, new) is yes


@pytest.mark.parametrize(
    ("one", "other", "yes"),
    [
        ("a", "a", True),
        ("a", "b", False),
        (1, True, False),
        (ABSENT, ABSENT, False),
        ("a", ABSENT, False),
    ],
)
def test_equals_compares_two_places_of_the_new_object(one, other, yes):
    new = {k: v for k, v in (("v", one), ("w", other)) if v is not ABSENT}
    atom = msgspec.convert({"path": "v", "equals": "w"}, Atom)
    assert compile_tests([atom], {})(Run(None, look(new)), START) is yes


def test_the_text_of_is_holds_what_the_path_captured():
    atom = msgspec.convert({"path": "v", "is": "k_{n}"}, Atom)
    trail = Trail(names=(("n", "x"),))
    assert compile_tests([atom], {})(Run(None, look({"v": "k_x"})), trail)
    assert not compile_tests([atom], {})(Run(None, look({"v": "k_{n}"})), trail)


def test_several_words_of_one_atom_must_all_hold():
    atom = {"in": ["a", "b"], "was": ["b"], "changed": True}
    assert holds(atom, "b", "a")
    assert not holds(atom, "b", "b")
    assert not holds(atom, "c", "a")


def test_a_list_is_an_and_and_lists_of_lists_are_an_or():
    yes, no = (
        msgspec.convert({"path": "v", "in": ["a"]}, Atom),
        msgspec.convert({"path": "v", "in": ["b"]}, Atom),
    )
    run = Run(None, look({"v": "a"}))
    assert compile_tests([], {})(run, START)
    assert compile_tests([yes, yes], {})(run, START)
    assert not compile_tests([yes, no], {})(run, START)
    assert compile_any([[no], [yes]], {})(run, START)
    assert not compile_any([[no], [yes, no]], {})(run, START)
    assert not compile_any([], {})(run, START)


def test_a_predicate_is_asked_with_run_and_trail():
    asked = []

    def predicate(run, trail):
        asked.append((run, trail))
        return True

    atom, run = msgspec.convert({"predicate": "mine"}, Atom), Run(None, look({}))
    assert compile_tests([atom], {"mine": predicate})(run, START)
    assert asked == [(run, START)]


def test_an_unknown_predicate_is_no_profile():
    with pytest.raises(KeyError, match="mine"):
        compile_tests([msgspec.convert({"predicate": "mine"}, Atom)], {})


def test_member_and_value():
    assert member(1.0, [1])
    assert not member(True, [1])
    assert not member(None, [])
    assert value_of(None) is None
    assert value_of(look({"a": 1})) == {"a": 1}
