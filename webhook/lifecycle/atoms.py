"""Tests on a review, compiled: ``when``, ``need``, ``unless``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from webhook.core.view import equal_values, same
from webhook.lifecycle.path import Lookup

if TYPE_CHECKING:
    from webhook.core.view import View
    from webhook.lifecycle.model import Scalar, Test
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.run import Run

Holds = Callable[["Run", "Trail"], bool]
Predicate = Callable[["Run", "Trail"], bool]
"""A named condition in code, on a review and a place in it."""


def member(value: Any, values: Sequence[Scalar]) -> bool:
    """Whether a JSON value is one of ``values``; true is not 1."""
    if type(value) is str:
        return value in values
    return any(equal_values(value, one) for one in values)


def value_of(view: View | None) -> Any:
    """The decoded value, None when absent."""
    return None if view is None else view.value


def compile_tests(tests: Sequence[Test], predicates: Mapping[str, Predicate]) -> Holds:
    """All of the tests as one function. Raises KeyError for an unknown predicate."""
    parts = [part for test in tests for part in _parts(test, predicates)]
    if len(parts) == 1:
        return parts[0]

    def holds(run: Run, trail: Trail) -> bool:
        for part in parts:  # noqa: SIM110 (a generator costs more than most parts)
            if not part(run, trail):
                return False
        return True

    return holds


def compile_any(lists: Sequence[Sequence[Test]], predicates: Mapping[str, Predicate]) -> Holds:
    """Whether all tests of one of the lists hold."""
    parts = [compile_tests(tests, predicates) for tests in lists]
    if len(parts) == 1:
        return parts[0]

    def holds(run: Run, trail: Trail) -> bool:
        for part in parts:  # noqa: SIM110 (as above)
            if part(run, trail):
                return True
        return False

    return holds


def _parts(test: Test, predicates: Mapping[str, Predicate]) -> list[Holds]:
    if test.predicate is not None:
        predicate = predicates[test.predicate]
        return [predicate]
    look = Lookup(test.path or "")
    return [*_now(test, look), *_then(test, look)]


def _now(test: Test, look: Lookup) -> list[Holds]:
    """Tests of the new object."""
    parts: list[Holds] = []
    if (one_of := test.one_of) is not None:
        parts.append(lambda run, t: member(value_of(look(run.new, t)), one_of))
    if (not_in := test.not_in) is not None:
        parts.append(lambda run, t: not member(value_of(look(run.new, t)), not_in))
    if (present := test.present) is not None:
        parts.append(lambda run, t: (look(run.new, t) is not None) == present)
    if (text := test.reads) is not None:
        parts.append(lambda run, t: bool(value_of(look(run.new, t)) == t.fill(text)))
    if test.matches is not None:
        pattern = re.compile(test.matches)
        parts.append(lambda run, t: _matches(pattern, value_of(look(run.new, t))))
    if (every := test.every) is not None:
        parts.append(lambda run, t: _every(value_of(look(run.new, t)), every))
    if (empty := test.empty) is not None:
        parts.append(lambda run, t: (not value_of(look(run.new, t))) == empty)
    if test.equals is not None:
        other = Lookup(test.equals)
        parts.append(lambda run, t: _equal(look(run.new, t), other(run.new, t)))
    return parts


def _then(test: Test, look: Lookup) -> list[Holds]:
    """Tests of the old object and of the step; without an old object there is no step."""
    parts: list[Holds] = []
    if (was_present := test.was_present) is not None:
        parts.append(lambda run, t: (look(run.old, t) is not None) == was_present)
    if (was := test.was) is not None:
        parts.append(lambda run, t: run.old is not None and member(value_of(look(run.old, t)), was))
    if (was_not := test.was_not) is not None:
        parts.append(
            lambda run, t: run.old is not None and not member(value_of(look(run.old, t)), was_not)
        )
    if (changed := test.changed) is not None:
        parts.append(lambda run, t: _changed(look, run, t) == changed)
    if (became := test.became) is not None:
        parts.append(
            lambda run, t: (
                _changed(look, run, t)
                and (now := look(run.new, t)) is not None
                and (became == "any" or member(now.value, became))
            )
        )
    return parts


def _changed(look: Lookup, run: Run, trail: Trail) -> bool:
    return run.old is not None and not same(look(run.old, trail), look(run.new, trail))


def _equal(one: View | None, other: View | None) -> bool:
    return one is not None and same(one, other)


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _every(value: Any, legal: Sequence[Scalar]) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and all(member(v, legal) for v in value.values())
