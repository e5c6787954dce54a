"""One check alone, asked about a piece of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.core.view import View
from webhook.lifecycle.path import START, Trail, parse
from webhook.lifecycle.run import Run

if TYPE_CHECKING:
    from webhook.lifecycle.rule import CheckJudge, Mark


def view(value: Any) -> View | None:
    return None if value is None else View.of(value)


def place(path: str, *keys: str) -> Trail:
    """The trail along a path; its stars are the keys, in order."""
    trail, left = START, iter(keys)
    for step in parse(path):
        onward = trail.step(step, next(left) if step.star else step.name)
        assert onward is not None
        trail = onward
    return trail


def marks(
    check: CheckJudge,
    new: Any,
    old: Any = None,
    *,
    at: Trail | None = None,
    whole: tuple[Any, Any] = (None, None),
    **run: Any,
) -> list[Mark]:
    """What it says of a value that goes from old to new, in an object that does so (``whole``)."""
    trail = place("spec.packages.*", "tuning") if at is None else at
    return list(check(Run(view(whole[0]), view(whole[1]), **run), view(old), view(new), trail))


def told(check: CheckJudge, new: Any, old: Any = None, **more: Any) -> list[tuple[str, str]]:
    """(place, message) of each."""
    return [(str(mark.field), mark.message) for mark in marks(check, new, old, **more)]
