"""The table of a track, whatever form the profile gave it."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard
from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.lifecycle.edges import EdgeTable
from webhook.lifecycle.model import EdgeClass

TABLE = EdgeTable(
    {
        ("absent", "a"): "doc",
        ("a", "b"): "doc",
        ("b", "c"): "doc",
        ("c", "a"): "doc",
        ("a", "c"): "odd",
        ("a", "absent"): "end",
        ("b", "absent"): "doc",
        ("x", "a"): "odd",
        ("x", "b"): "late",
        ("x", "c"): "end",
    },
    {
        "doc": EdgeClass(documented=True),
        "end": EdgeClass(),
        "odd": EdgeClass(default=Severity.WARN, writers={Writer.OPERATOR: Severity.ALLOW}),
        "late": EdgeClass(default=Severity.WARN, changes_only=False),
    },
)


@pytest.mark.parametrize(
    ("old", "new", "writer", "severity"),
    [
        ("a", "b", Writer.PERSON, Severity.ALLOW),
        ("a", "c", Writer.PERSON, Severity.WARN),
        ("a", "c", Writer.OPERATOR, Severity.ALLOW),
        ("b", "a", Writer.OPERATOR, None),
        ("x", "b", Writer.OPERATOR, Severity.WARN),
    ],
)
def test_the_severity_of_an_edge_is_that_of_its_class_for_the_writer(old, new, writer, severity):
    assert TABLE.severity(old, new, writer) is severity


def test_documented_edges_are_those_of_documented_classes():
    assert TABLE.documented("a", "b")
    assert not TABLE.documented("a", "c")
    assert not TABLE.documented("b", "a")


@pytest.mark.parametrize(
    ("old", "targets"),
    [("a", ["b"]), ("b", ["c"]), ("x", ["c", "a"]), ("absent", ["a"]), ("nowhere", [])],
)
def test_onward_are_the_targets_of_the_two_most_certain_classes(old, targets):
    assert TABLE.onward(old) == targets


@pytest.mark.parametrize(
    ("old", "new", "way"),
    [
        ("a", "b", ["a", "b"]),
        ("a", "c", ["a", "b", "c"]),
        ("absent", "c", ["absent", "a", "b", "c"]),
        ("c", "absent", []),
        ("a", "x", []),
        ("a", "a", ["a", "b", "c", "a"]),
    ],
)
def test_the_way_is_the_shortest_documented_one(old, new, way):
    assert TABLE.way(old, new) == way


def test_star_stands_for_every_value_that_is_not_terminal():
    track = {
        "id": "t",
        "path": "a",
        "values": ["a", "b", "c"],
        "terminal": ["c"],
        "edges": {"*": ["a"]},
        "entry": [],
    }
    table = guard(tracks=[track]).tracks["t"].table
    assert set(table.edges) == {("b", "a")}


def test_strict_edges_win_over_skips_and_entries_over_entry_skips():
    track = {
        "id": "t", "path": "a", "values": ["a", "b"], "edges": {"a": ["b"]}, "skips": {"a": ["b"], "b": ["a"]},
        "entry": ["a"], "entry_skips": ["a", "b"],
    }  # fmt: skip
    table = guard(tracks=[track]).tracks["t"].table
    assert table.edges == {
        ("a", "b"): "strict",
        ("b", "a"): "skip",
        ("absent", "a"): "strict",
        ("absent", "b"): "skip",
    }
    assert table.severity("b", "a", Writer.OPERATOR) is Severity.WARN
    assert table.severity("a", "b", Writer.PERSON) is Severity.ALLOW
    assert table.documented("a", "b")
    assert not table.documented("b", "a")
