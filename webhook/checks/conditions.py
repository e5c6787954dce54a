"""Conditions as the API conventions want them (k8s.io/apimachinery meta/v1 Condition)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from webhook.checks.parameters import known, number, words
from webhook.core.finding import CauseType
from webhook.core.view import same
from webhook.lifecycle.monotone import read_time
from webhook.lifecycle.rule import Mark, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_TIME: Final = "lastTransitionTime"
SECONDS_OF_GRACE: Final = 5


def condition_fields(parameters: Mapping[str, Any]) -> CheckJudge:
    """Each element of a list of conditions has these fields, as texts that are not empty.

    Paths cannot say this of ``type``: an element without one is reached by no path.

    Parameters: ``fields``: their names.
    """
    known(parameters, "fields")
    fields = words(parameters, "fields")

    def judge(_run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None:
            return
        kept = {bytes(item.raw) for item in _items(old)} if old is not new else set()
        for position, item in enumerate(_items(new)):
            if bytes(item.raw) not in kept:
                yield from _missing(item, fields, _place(item, position, trail))

    return judge


def _items(view: View | None) -> list[View]:
    return [] if view is None else (view.items or [])


def _place(item: View, position: int, trail: Trail) -> FieldPath:
    kind = item.text("type")
    return trail.field.key(kind) if kind else trail.field.index(position)


def _missing(item: View, fields: tuple[str, ...], place: FieldPath) -> Iterator[Mark]:
    for field in fields:
        if not item.text(field):
            value = item.child(field)
            text = "is missing" if value is None else f"{show(value.value)} is no text"
            yield Mark(place.child(field), text, type=CauseType.REQUIRED, closed=True)


def transition_time(parameters: Mapping[str, Any]) -> CheckJudge:
    """``lastTransitionTime`` moves when ``status`` moves, and only then (meta.SetStatusCondition).

    Times have whole seconds, so two flips may share one: a time that stays is no fault while it
    is hardly older than the clock here. Asked for one condition.

    Parameters: ``grace``: how many seconds that may be.
    """
    known(parameters, "grace")
    grace = timedelta(seconds=number(parameters, "grace", SECONDS_OF_GRACE))

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if old is None or new is None:
            return
        was, now = old.child(_TIME), new.child(_TIME)
        if was is None or now is None:
            return
        before, after = old.text("status"), new.text("status")
        flipped, moved = before != after, not same(was, now)
        place = trail.field.child(_TIME)
        if moved and not flipped:
            text = f"{show(was.value)} -> {show(now.value)}, but status stays {show(after)}"
            yield Mark(place, text, type=CauseType.INVALID)
        elif flipped and not moved and not _recent(run, now, grace):
            text = f"stays {show(now.value)}, but status goes {show(before)} -> {show(after)}"
            yield Mark(place, text, type=CauseType.INVALID)

    return judge


def _recent(run: Run, time: View, grace: timedelta) -> bool:
    """Whether the time is that of a flip a moment ago; without a clock nobody can tell."""
    moment = read_time(time.value)
    return run.now is None or moment is None or abs(run.now - moment) <= grace
