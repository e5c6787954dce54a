"""Texts that the compilers of all families share."""

from __future__ import annotations

import pytest

from webhook.core.view import UNREADABLE
from webhook.lifecycle.rule import LONGEST_VALUE, listed, show


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "absent"),
        (UNREADABLE, "a value that cannot be read"),
        ("x", '"x"'),
        ("", '""'),
        (5, "5"),
        (True, "true"),
        (1.5, "1.5"),
        ([1, "ä"], '[1, "ä"]'),
        ({"a": None}, '{"a": null}'),
        ("a\nb\tc\x1b[31m\x7f", '"a\ufffdb\ufffdc\ufffd[31m\ufffd"'),
        ("a\u202eb\u2028c", '"a\ufffdb\ufffdc"'),
        ("grün ✓", '"grün ✓"'),
    ],
)
def test_a_value_is_shown_on_one_line(value, text):
    assert show(value) == text


@pytest.mark.parametrize("length", [LONGEST_VALUE, LONGEST_VALUE + 1, 100_000])
def test_a_long_value_is_cut(length):
    text = show("x" * length)
    assert (
        text
        == '"'
        + ("x" * length if length == LONGEST_VALUE else "x" * (LONGEST_VALUE - 3) + "...")
        + '"'
    )
    assert len(show(["x" * length])) == LONGEST_VALUE


def test_a_list_of_values_is_cut_and_the_rest_counted():
    assert listed([]) == ""
    assert listed(["a", 1, True]) == "a, 1, True"
    assert listed("abcdefgh") == "a, b, c, d, e, f, g, h"
    assert listed("abcdefghij") == "a, b, c, d, e, f, g, h and 2 more"
    assert listed("abcd", 2) == "a, b and 2 more"
