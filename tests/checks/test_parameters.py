"""What a profile gives a rule in code is read strictly, and a refusal says what it must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from webhook.catalog import CHECKS, shipped, shipped_names
from webhook.checks.parameters import ParameterError, known, number, part, path, word, words

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("read", "value", "got"),
    [
        (word, "a", "a"),
        (words, ["a", "b"], ("a", "b")),
        (words, [], ()),
        (words, ("a",), ("a",)),
        (part, {"a": 1}, {"a": 1}),
        (part, {}, {}),
    ],
)
def test_what_fits_is_read(read: Callable[..., Any], value: Any, got: Any) -> None:
    assert read({"p": value}, "p") == got


@pytest.mark.parametrize(
    ("read", "value", "must"),
    [
        (word, "", "a text"),
        (word, 1, "a text"),
        (word, None, "a text"),
        (words, "a", "a list of texts"),
        (words, [1], "a list of texts"),
        (words, ["a", 1], "a list of texts"),
        (words, None, "a list of texts"),
        (part, [], "a map"),
        (part, None, "a map"),
    ],
)
def test_what_does_not_fit_is_refused(read: Callable[..., Any], value: Any, must: str) -> None:
    with pytest.raises(ParameterError) as raised:
        read({"p": value}, "p")
    assert str(raised.value) == f"with: p must be {must}"


def test_what_is_missing_has_its_default_or_is_refused() -> None:
    assert (word({}, "p", "d"), words({}, "p", ("d",)), number({}, "p", 7)) == ("d", ("d",), 7)
    for read in (word, words, part, path):
        with pytest.raises(ParameterError):
            read({}, "p")


@pytest.mark.parametrize("value", [True, "1", 1.5, None])
def test_a_number_is_a_whole_one(value: Any) -> None:
    assert number({"p": 2}, "p", 7) == 2
    with pytest.raises(ParameterError, match="with: p must be a whole number"):
        number({"p": value}, "p", 7)


def test_a_parameter_that_the_rule_does_not_have_is_refused() -> None:
    known({"a": 1}, "a", "b")
    with pytest.raises(ParameterError, match="no parameter is called 'c'; there is a, b"):
        known({"c": 1}, "a", "b")


USED = {
    check.use: check.parameters
    for name in shipped_names()
    if name != "conditions"  # a base alone
    for guard in shipped(name).guards
    for check in guard.checks
    if check.parameters
} | {"transition_time": {"grace": 1}, "condition_fields": {"fields": ["type"]}}


@pytest.mark.parametrize("name", USED)
def test_no_check_takes_a_parameter_that_it_does_not_have(name: str) -> None:
    CHECKS[name](USED[name])
    with pytest.raises(ParameterError, match="no parameter is called 'nope'"):
        CHECKS[name]({**USED[name], "nope": "x"})
