"""Monotone fields: generations, counters, timestamps, and what is set once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from webhook.core.finding import CauseType, Finding, Severity
from webhook.core.view import equal_values, same
from webhook.lifecycle.atoms import value_of
from webhook.lifecycle.path import START, Lookup, parse
from webhook.lifecycle.rule import listed, show
from webhook.lifecycle.swift import on_creation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.core.view import View
    from webhook.lifecycle.model import Monotone
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import Scope
    from webhook.lifecycle.run import Run

_FORMS = {"int": "an integer", "time": "an RFC 3339 time", "latch": "a value"}


class _Judge:
    """One compiled monotone rule."""

    def __init__(self, rule: Monotone, scope: Scope) -> None:
        self.spec = rule
        self.rule = scope.rule_id(rule.id)
        self.bound = Lookup(rule.bound) if rule.bound else None
        self.least = rule.least
        self.odd = rule.ahead is not None or rule.climb is not None

    def __call__(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterable[Finding]:
        was, now = value_of(old), value_of(new)
        if self.spec.order == "latch":
            return self._latch(run, was, now, trail)
        if now is None:
            if was is None or run.old is None:
                return ()
            text = f"{show(was)} -> absent: once set it stays set"
            return self._say("removal", self.spec.removal, text, trail)
        z = _read(now, self.spec.order)
        if z is None:
            text = f"{show(now)} is not {_FORMS[self.spec.order]}"
            return self._say("format", self.spec.format, text, trail, closed=True)
        a = _read(was, self.spec.order)
        if self._in_order(run, a, z, trail):
            return ()
        change = _Change(a, was, now)
        return [*self._alone(run, z, change, trail), *self._moved(a, z, change, trail)]

    def _in_order(self, run: Run, a: Any, z: Any, trail: Trail) -> bool:
        """Whether it is certain that nothing is wrong: most often, and quickly said."""
        if self.odd:
            return False
        if self.bound is not None:
            limit = _read(value_of(self.bound(run.new, trail)), self.spec.order)
            if limit is not None and z > limit:
                return False
        return (self.least is None or z >= self.least) and (a is None or z >= a)

    def clean(self, run: Run, new: Any, _key: str) -> bool:
        """The short answer: a number that is in order; a latch that was not set before."""
        if self.spec.order == "latch":
            return True
        return type(new) is int and self._in_order(run, None, new, START)

    def _say(
        self, name: str, severity: Severity, text: str, trail: Trail, *, closed: bool = False
    ) -> Iterator[Finding]:
        if severity is not Severity.ALLOW:
            yield Finding(
                f"{self.rule}.{name}", trail.field, severity, text, CauseType.INVALID, closed=closed
            )

    def _latch(self, run: Run, was: Any, now: Any, trail: Trail) -> Iterator[Finding]:
        on = was is not None and (
            self.spec.latch_on is None or equal_values(was, self.spec.latch_on)
        )
        if on and run.old is not None and not equal_values(was, now):
            text = f"{show(was)} -> {show(now)}: set once, it stays as it is"
            yield from self._say("down", self.spec.down, text, trail)

    def _alone(self, run: Run, z: Any, change: _Change, trail: Trail) -> Iterator[Finding]:
        """What holds for the new value by itself."""
        if self.spec.least is not None and z < self.spec.least:
            text = f"{change}: it is never less than {self.spec.least}"
            yield from self._say("least", Severity.DENY, text, trail, closed=True)
        if self.bound is not None:
            limit = _read(value_of(self.bound(run.new, trail)), self.spec.order)
            if limit is not None and self._exceeds(z, limit):
                more = f" (at most {limit + self.spec.grace} here)" if self.spec.grace else ""
                text = f"{change} is over {self.bound.text}, which is {limit}{more}"
                yield from self._say("over", self.spec.over, text, trail)
        if self.spec.ahead is not None and run.now is not None and isinstance(z, datetime):
            soon = run.now + timedelta(seconds=self.spec.ahead)
            if z > soon:
                text = f"{change} lies in the future; the clock here says {run.now:%FT%TZ}"
                yield from self._say("ahead", Severity.DENY, text, trail)

    def _exceeds(self, z: Any, limit: Any) -> bool:
        return bool(z > (limit + self.spec.grace if self.spec.order == "int" else limit))

    def _moved(self, a: Any, z: Any, change: _Change, trail: Trail) -> Iterator[Finding]:
        climb = self.spec.climb
        if a is None or (climb is not None and z in climb.to):
            return
        if z < a:
            legal = "it stays or rises" if climb is None else self._reach(a)
            yield from self._say("down", self.spec.down, f"{change} goes back; {legal}", trail)
        elif climb is not None and z - a > climb.up:
            text = f"{change} is too far for one write; {self._reach(a)}"
            yield from self._say("climb", Severity.DENY, text, trail)

    def _reach(self, a: Any) -> str:
        climb = self.spec.climb
        if climb is None:
            return ""
        steps = [str(a + n + 1) for n in range(min(climb.up, 3))]
        return f"legal from {a}: {listed([*steps, *climb.to])}"


class _Change(NamedTuple):
    """Old -> new, where there is a readable old one; a text only where somebody is told."""

    a: Any
    was: Any
    now: Any

    def __str__(self) -> str:
        alone = self.a is None or equal_values(self.was, self.now)
        return show(self.now) if alone else f"{show(self.was)} -> {show(self.now)}"


def _read(value: Any, order: str) -> Any:
    """The value as a number or a point in time; None when it is neither."""
    if order == "int":
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    return read_time(value)


def read_time(value: Any) -> datetime | None:
    """An RFC 3339 time with its zone; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def compile_monotone(rule: Monotone, scope: Scope) -> None:
    """Adds a monotone rule's judges to the plan."""
    own = _Judge(rule, scope)
    bound = parse(rule.bound) if rule.bound else ()
    odd = rule.order == "time" or own.odd
    swift = not odd and not any(step.wild for step in bound)
    clean = own.clean if swift else None
    scope.plan.add(rule.path, scope.guarded(own, rule.unless, late=True), clean)
    if rule.flip is not None and rule.bound is not None:
        judge = _flip(rule, scope)
        scope.plan.add(rule.flip.path, scope.guarded(judge, rule.unless, late=True), on_creation)


def _flip(rule: Monotone, scope: Scope) -> Any:
    """A change of a sibling must carry the newest stamp; no stamp is no answer, and no lie."""
    flip, stamp, bound = rule.flip, Lookup(rule.path), Lookup(rule.bound or "")
    name = f"{scope.rule_id(rule.id)}.flip"

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Finding]:
        have, want = stamp(run.new, trail), bound(run.new, trail)
        if flip is None or new is None or run.old is None or same(old, new) or have is None:
            return
        if not same(have, want):
            text = (
                f"changed to {show(new.value)} with {stamp.field(trail)} {show(have.value)},"
                f" while {bound.text} is {show(value_of(want))}"
            )
            yield Finding(name, trail.field, flip.severity, text, CauseType.INVALID)

    return judge
