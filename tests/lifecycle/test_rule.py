"""Texts that the compilers of all families share."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard, judge, texts
from webhook.core.view import UNREADABLE
from webhook.core.writer import Writer
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


NEVER = {"id": "never", "when": [{"path": "a", "became": "any"}], "message": "no"}


@pytest.mark.parametrize(
    ("writer", "severity", "closed", "text"),
    [
        (Writer.PERSON, "deny", False, "no; ask first"),
        (Writer.UNKNOWN, "deny", False, "no; ask first"),
        (Writer.OPERATOR, "deny", False, "no"),
        (Writer.SERVICE_ACCOUNT, "deny", False, "no"),
        (Writer.PERSON, "warn", False, "no"),
        (Writer.PERSON, "deny", True, "no"),
    ],
)
def test_a_hint_ends_what_a_person_is_denied_but_not_a_closed_value(writer, severity, closed, text):
    rule = {**NEVER, "severity": severity, "closed": closed, "hint": "ask first"}
    assert texts(judge(guard(requires=[rule]), {"a": 1}, {"a": 2}, writer=writer)) == [text]
