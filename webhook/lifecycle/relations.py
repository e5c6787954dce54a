"""Projections, uniqueness, ownership and checks in code: the smaller rule families."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from webhook.core.finding import CauseType, Finding
from webhook.core.view import equal_values
from webhook.lifecycle.atoms import value_of
from webhook.lifecycle.path import Lookup
from webhook.lifecycle.rule import show
from webhook.lifecycle.swift import Swift

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.core.view import View
    from webhook.lifecycle.model import Check, Projection, Unique
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import Scope
    from webhook.lifecycle.run import Run


def compile_projection(rule: Projection, scope: Scope) -> None:
    """A table from one value to the fields of another place."""
    source, target, name = Lookup(rule.source_path), Lookup(rule.to), scope.rule_id(rule.id)

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Finding]:
        del old, new
        key = (name, trail.stars, trail.names)
        row = rule.table.get(str(value_of(source(run.new, trail))))
        there = target(run.new, trail)
        if row is None or there is None or key in run.memo:
            return
        run.memo[key] = True
        for field, want in row.items():
            have = value_of(there.child(field))
            if not equal_values(have, want):
                place = target.field(trail).child(field)
                by = f"{source.field(trail)} is {show(value_of(source(run.new, trail)))}"
                text = f"{show(have)} while {by}; it must be {show(want)}"
                yield Finding(
                    name, place, rule.severity, text, CauseType.INVALID, closed=rule.closed
                )

    places = [rule.source_path] if rule.judge == "from" else [rule.source_path, rule.to]
    for path in places:
        scope.plan.add(path, scope.guarded(judge, rule.unless))


def compile_unique(rule: Unique, scope: Scope) -> None:
    """No two elements of a list are alike, or share a key."""
    name = scope.rule_id(rule.id)

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Finding]:
        del run, old
        if new is None:
            return
        if rule.filled and not new.items:
            yield Finding(
                name,
                trail.field,
                rule.severity,
                f"{show(new.value)} must not be empty; remove the field, or fill it",
                CauseType.REQUIRED,
                closed=True,
            )
        for twice in _doubled(new, rule.key):
            text = f"{show(twice)} occurs more than once; keep one"
            place = trail.field.key(twice if isinstance(twice, str) else show(twice))
            yield Finding(name, place, rule.severity, text, CauseType.DUPLICATE, closed=True)

    scope.plan.add(rule.path, scope.guarded(judge, rule.unless))
    if rule.key == "type":
        scope.plan.branch(rule.path).counted = True


def _doubled(view: View, key: str | None) -> list[Any]:
    items = view.items or []
    values = [item.value if key is None else value_of(item.child(key)) for item in items]
    counts = Counter(v for v in values if isinstance(v, str | int | float))
    return sorted((v for v, n in counts.items() if n > 1), key=str)


def compile_check(rule: Check, scope: Scope) -> None:
    """A named rule in code. Raises KeyError for an unknown one, ValueError for bad parameters."""
    ask = scope.checks[rule.use](rule.parameters)
    name = scope.rule_id(rule.id)

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterable[Finding]:
        marks = ask(run, old, new, trail)
        if not marks:  # most have nothing to say
            return ()
        return [
            Finding(
                name,
                mark.field,
                mark.severity or rule.severity,
                mark.message,
                mark.type or CauseType.FORBIDDEN,
                closed=mark.closed,
                rarely=mark.rarely,
            )
            for mark in marks
        ]

    clean = ask.clean if isinstance(ask, Swift) else None
    for path in rule.at or [""]:
        scope.plan.add(path, scope.guarded(judge, rule.unless), clean)
