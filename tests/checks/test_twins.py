"""A mirror says what its twin says; when it began to is its own."""

from __future__ import annotations

import pytest

from webhook.checks.twins import says_the_same
from webhook.core.view import View

ONE = {"type": "Ready", "status": "True", "reason": "R", "message": "m", "observedGeneration": 1}


@pytest.mark.parametrize("field", ["status", "reason", "message", "observedGeneration"])
def test_each_of_these_is_repeated(field: str) -> None:
    assert says_the_same(View.of(ONE), View.of(dict(reversed(ONE.items()))))
    assert not says_the_same(View.of(ONE), View.of({**ONE, field: "else"}))
    assert not says_the_same(View.of(ONE), View.of({k: v for k, v in ONE.items() if k != field}))


def test_type_and_time_are_its_own_and_nothing_is_like_nothing() -> None:
    other = {**ONE, "type": "p.example/Ready", "lastTransitionTime": "2026-11-29T20:00:00Z"}
    assert says_the_same(View.of(ONE), View.of(other))
    assert says_the_same(None, None)
    assert not says_the_same(View.of(ONE), None)
    assert not says_the_same(None, View.of(ONE))
