"""Field paths print as apimachinery prints them."""

from __future__ import annotations

import pytest

from webhook.core.field import ROOT, FieldPath, Key

STATUS = FieldPath().child("status")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (ROOT, ""),
        (STATUS, "status"),
        (STATUS.child("nodeState"), "status.nodeState"),
        (STATUS.child("a", "b"), "status.a.b"),
        (
            STATUS.child("nodeState").key("node-a").key("pkg|1.0.0"),
            "status.nodeState[node-a][pkg|1.0.0]",
        ),
        (
            STATUS.child("conditions").key("Ready").child("reason"),
            "status.conditions[Ready].reason",
        ),
        (FieldPath().child("items").index(0), "items[0]"),
        (FieldPath().key("first"), "[first]"),
        (FieldPath().key("first").child("second"), "[first].second"),
    ],
)
def test_a_path_prints_as_apimachinery_does(path, text):
    assert str(path) == text


def test_names_are_the_bare_steps():
    assert STATUS.key("x.io/y").index(3).names() == ("status", "x.io/y", "3")


def test_an_index_and_a_key_are_bracketed_and_a_child_is_not():
    assert list(FieldPath().child("a").key("b").index(2)) == [
        Key("a", bracketed=False),
        Key("b", bracketed=True),
        Key("2", bracketed=True),
    ]


@pytest.mark.parametrize(
    ("path", "other", "below"),
    [
        (STATUS.child("a"), STATUS, True),
        (STATUS, STATUS, True),
        (STATUS, ROOT, True),
        (STATUS, STATUS.child("a"), False),
        (FieldPath().child("statusX"), STATUS, False),
        (FieldPath().key("status"), STATUS, False),
    ],
)
def test_starts_with_compares_whole_steps(path, other, below):
    assert path.starts_with(other) is below
