"""Requires: when this holds, that must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webhook.core.finding import CauseType, Finding
from webhook.lifecycle.atoms import compile_tests, member, value_of
from webhook.lifecycle.path import START, Lookup, StepKind, parse
from webhook.lifecycle.rule import listed, show
from webhook.lifecycle.swift import on_creation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.model import Requires, Test
    from webhook.lifecycle.path import Step, Trail
    from webhook.lifecycle.rule import Scope
    from webhook.lifecycle.run import Run


class _Judge:
    """One compiled rule, asked wherever one of its paths changed."""

    def __init__(self, rule: Requires, scope: Scope) -> None:
        self.spec = rule
        self.rule = scope.rule_id(rule.id)
        self.when = compile_tests(rule.when, scope.predicates)
        self.need = [(test, compile_tests([test], scope.predicates)) for test in rule.need]
        self.first = next((t.path for t in rule.when if t.path), "")
        self.place = Lookup(rule.at or self.first)
        self.of_steps = any(map(_of_steps, rule.when))

    def __call__(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterable[Finding]:
        del old, new  # the rule reads whole objects, at the places its paths name
        if self.of_steps and run.old is None:
            return ()
        key = (self.rule, trail.stars, trail.names)
        if key in run.memo:
            return ()
        run.memo[key] = True
        if not self.when(run, trail):
            return ()
        missing = next((test for test, holds in self.need if not holds(run, trail)), None)
        if missing is None and self.need:
            return ()
        finding = Finding(
            self.rule,
            self.place.field(trail),
            self.spec.severity,
            self._message(run, trail, missing),
            CauseType.INVALID,
            closed=self.spec.closed,
        )
        return (finding,)

    def _message(self, run: Run, trail: Trail, missing: Test | None) -> str:
        was = show(value_of(self.place(run.old, trail)))
        now = show(value_of(self.place(run.new, trail)))
        if not self.spec.message:
            needs = "; ".join(f"{t.path}" for t in self.spec.need) or "nothing makes it legal"
            return f"{was} -> {now} needs: {needs}"
        text = trail.fill(self.spec.message)
        if "{found}" in text:
            text = text.replace(
                "{found}", "" if missing is None else self._found(missing, run, trail)
            )
        return text.replace("{old}", was).replace("{new}", now)

    def _found(self, missing: Test, run: Run, trail: Trail) -> str:
        return found(missing, run, trail, besides=self.place.field(trail))

    def everywhere(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterator[Finding]:
        """For a trigger that binds fewer wildcards: asks at every place of the first path."""
        del old, new, trail
        if self.of_steps and run.old is None:
            return
        for place in bindings(self.first, run):
            yield from self(run, None, None, place)


def found(test: Test, run: Run, trail: Trail, besides: FieldPath) -> str:
    """What stands where a test wants something else: ``status.nodeStatus[n] is "waiting"``.

    ``besides``: the place whose value is told already.
    """
    if test.path is None:
        return "that is not given"
    look = Lookup(test.path)
    place, value = look.field(trail), value_of(look(run.new, trail))
    if test.equals is not None:
        other = Lookup(test.equals)
        own = "" if place == besides else f"{place} is {show(value)} and "
        return f"{own}{other.field(trail)} is {show(value_of(other(run.new, trail)))}"
    if isinstance(value, dict) and test.every is not None:
        wrong = [key for key, one in value.items() if not member(one, test.every)]
        more = f" ({len(wrong) - 1} more are not either)" if len(wrong) > 1 else ""
        return f"{place.key(wrong[0])} is {show(value[wrong[0]])}{more}"
    if isinstance(value, dict) and test.empty:
        return f"{place} still holds {listed(value, 3)}"
    return f"{place} is {show(value)}"


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
        clean = on_creation if judge.of_steps else None
        scope.plan.add(path, scope.guarded(ask, rule.unless, late=True), clean)


def _of_steps(test: Test) -> bool:
    """Whether a test fails wherever there is no old object."""
    asked = (test.became, test.was, test.was_not)
    return test.changed is True or any(one is not None for one in asked)


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
