"""Requires: when this holds, that must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webhook.core.finding import CauseType, Finding
from webhook.lifecycle.atoms import compile_tests, value_of
from webhook.lifecycle.path import START, Lookup, StepKind, parse
from webhook.lifecycle.rule import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.core.view import View
    from webhook.lifecycle.model import Requires
    from webhook.lifecycle.path import Step, Trail
    from webhook.lifecycle.rule import Scope
    from webhook.lifecycle.run import Run


class _Judge:
    """One compiled rule, asked wherever one of its paths changed."""

    def __init__(self, rule: Requires, scope: Scope) -> None:
        self.spec = rule
        self.rule = scope.rule_id(rule.id)
        self.when = compile_tests(rule.when, scope.predicates)
        self.need = compile_tests(rule.need, scope.predicates) if rule.need else None
        self.first = next((t.path for t in rule.when if t.path), "")
        self.place = Lookup(rule.at or self.first)

    def __call__(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterator[Finding]:
        del old, new  # the rule reads whole objects, at the places its paths name
        key = (self.rule, trail.stars, trail.names)
        if key in run.memo:
            return
        run.memo[key] = True
        if self.when(run, trail) and not (self.need is not None and self.need(run, trail)):
            yield Finding(
                self.rule,
                self.place.field(trail),
                self.spec.severity,
                self._message(run, trail),
                CauseType.INVALID,
                closed=self.spec.closed,
            )

    def _message(self, run: Run, trail: Trail) -> str:
        was = show(value_of(self.place(run.old, trail)))
        now = show(value_of(self.place(run.new, trail)))
        if not self.spec.message:
            needs = "; ".join(f"{t.path}" for t in self.spec.need) or "nothing makes it legal"
            return f"{was} -> {now} needs: {needs}"
        text = trail.fill(self.spec.message)
        return text.replace("{old}", was).replace("{new}", now)

    def everywhere(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterator[Finding]:
        """For a trigger that binds fewer wildcards: asks at every place of the first path."""
        del old, new, trail
        for place in bindings(self.first, run):
            yield from self(run, None, None, place)


def compile_requires(rule: Requires, scope: Scope) -> None:
    """Adds a rule to the plan, at each of its paths that may trigger it."""
    judge = _Judge(rule, scope)
    paths = [t.path for t in rule.when if t.path]
    if rule.reads == "whole":
        paths += [p for t in rule.need for p in (t.path, t.equals) if p]
        paths += [t.equals for t in rule.when if t.equals]
    wanted = _wild(judge.first)
    for path in dict.fromkeys(paths):
        ask = judge if _wild(path) == wanted else judge.everywhere
        scope.plan.add(path, scope.guarded(ask, rule.unless))


def _wild(path: str) -> list[str]:
    return [f"{s.kind}{s.name}" for s in parse(path) if s.wild]


def bindings(path: str, run: Run) -> list[Trail]:
    """Every place that a path leads to in the old or the new object."""
    found: dict[tuple[object, ...], Trail] = {}
    for root in (run.new, run.old):
        for trail in places(root, parse(path), START):
            found.setdefault((trail.stars, trail.names), trail)
    return list(found.values())


def places(here: View | None, steps: tuple[Step, ...], trail: Trail) -> Iterator[Trail]:
    """Every place that the steps lead to from a value, with what their wildcards are bound to."""
    if here is None:
        return
    if not steps:
        yield trail
        return
    step, rest = steps[0], steps[1:]
    if step.kind is StepKind.INSIDE:
        yield from places(here.inside, rest, trail)
        return
    if step.kind in (StepKind.TYPE, StepKind.ANY_TYPE):
        kids = dict(here.types)
    else:
        names = here.members if step.wild else (step.name,)
        kids = {key: kid for key in names if (kid := here.child(key)) is not None}
    for key, kid in kids.items():
        if step.wild or key == step.name:
            onward = trail.step(step, key)
            if onward is not None:
                yield from places(kid, rest, onward)
