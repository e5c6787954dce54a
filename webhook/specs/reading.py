"""Reading a spec whose types nobody checked: a value of the wrong type is a finding, never a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import CauseType
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

A_STRING: Final = "a string"
A_BOOLEAN: Final = "true or false"
A_NUMBER: Final = "a whole number"
AN_OBJECT: Final = "an object"
A_LIST: Final = "a list"


def wrong_type(path: FieldPath, have: View, expected: str) -> Mark:
    """A value that is not of the expected type."""
    text = f"{show(have.value)} must be {expected}"
    return Mark(path, text, type=CauseType.TYPE_INVALID, closed=True)


def invalid(path: FieldPath, text: str) -> Mark:
    """A value that no release accepts."""
    return Mark(path, text, type=CauseType.INVALID, closed=True)


def required(path: FieldPath, text: str) -> Mark:
    """A value that is missing."""
    return Mark(path, text, type=CauseType.REQUIRED, closed=True)


def is_true(parent: View | None, name: str) -> bool:
    """Whether the field is there and true."""
    there = None if parent is None else parent.child(name)
    return there is not None and there.value is True


def is_object(_parameters: Mapping[str, Any]) -> CheckJudge:
    """The value is a JSON object, so that the other rules can read it."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is not None and new.fields is None:
            yield wrong_type(trail.field, new, AN_OBJECT)

    return Swift(judge, lambda _run, new, _key: type(new) is dict)
