"""Owned fields: what only one writer has a reason to write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from webhook.core.finding import Finding, Severity
from webhook.core.view import same
from webhook.core.writer import Writer
from webhook.lifecycle.atoms import compile_tests
from webhook.lifecycle.rule import show
from webhook.lifecycle.swift import on_creation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.model import Owned, OwnedPath
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import Scope
    from webhook.lifecycle.run import Run


class Steps(Protocol):
    """A track, as far as messages need it."""

    def steps(self, old: View | None, new: View | None) -> str:
        """Old -> new."""

    def onward_for(self, old: View | None, new: View | None) -> str:
        """What would be legal from there for the one who writes it, as the end of a sentence."""


class _Judge:
    """One compiled ownership rule at one of its paths."""

    def __init__(
        self, rule: Owned, place: OwnedPath, scope: Scope, tracks: Mapping[str, Steps]
    ) -> None:
        self.spec = rule
        self.place = place
        self.rule = scope.rule_id(rule.id)
        self.plan = scope.plan
        self.track = tracks[place.track] if place.track else None
        self.shapes = [scope.predicates[name] for name in rule.shapes]
        self.never = [compile_tests([test], scope.predicates) for test in rule.never]

    def __call__(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterator[Finding]:
        severity = self.spec.others.get(run.writer, Severity.ALLOW)
        if severity is Severity.ALLOW or run.old is None or same(old, new):
            return
        rarely = run.writer is Writer.SERVICE_ACCOUNT
        if rarely and self.rule in run.memo:
            return  # one such warning says it all
        if self._repair(run, new, trail):
            return
        run.memo[self.rule] = True
        if severity is Severity.DENY and self._tool_shape(run, trail):
            severity = Severity.WARN
        text = f"{self._steps(old, new)}: {self._who(run)}"
        if run.writer is Writer.PERSON:
            text += f"; {self.place.hint}" if self.place.hint else ""
            text += self.track.onward_for(old, new) if self.track is not None else ""
        yield Finding(self.rule, trail.field, severity, text, rarely=rarely)

    def _repair(self, run: Run, new: View | None, trail: Trail) -> bool:
        """An illegal value gives way to a legal one, or goes."""
        if not _denied(self.plan.defects(run, self.place.path, trail)):
            return False
        if new is None:
            return True
        after = type(run)(run.new, run.new, run.writer, run.user, run.version, run.now)
        return not _denied(self.plan.defects(after, self.place.path, trail))

    def _tool_shape(self, run: Run, trail: Trail) -> bool:
        if any(never(run, trail) for never in self.never):
            return False
        return any(shape(run, trail) for shape in self.shapes)

    def _steps(self, old: View | None, new: View | None) -> str:
        if self.track is not None:
            return self.track.steps(old, new)
        return f"{self._show(old)} -> {self._show(new)}"

    def _show(self, view: View | None) -> str:
        if view is None:
            return "absent"
        if self.place.value:
            return "/".join(str(view.text(part) or "") for part in self.place.value)
        return show(view.value)

    def _who(self, run: Run) -> str:
        if run.writer is Writer.SERVICE_ACCOUNT:
            return (
                f"only the operator writes this, and {run.user} is not it as configured;"
                " if it is, add it to the setting `operators`"
            )
        return "only the operator writes this"


def _denied(findings: list[Finding]) -> bool:
    return any(f.severity is Severity.DENY for f in findings)


def compile_owned(rule: Owned, scope: Scope, tracks: Mapping[str, Steps]) -> None:
    """Adds an ownership rule to the plan. Raises KeyError for an unknown track or predicate."""
    for place in rule.paths:
        judge = _Judge(rule, place, scope, tracks)
        unless = [*rule.unless, *place.unless]
        scope.plan.add(place.path, scope.guarded(judge, unless), on_creation)
