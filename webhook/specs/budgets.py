"""How many nodes a Skyhook may interrupt: percent or count, or a DeploymentPolicy instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.lifecycle.rule import show
from webhook.lifecycle.swift import Swift
from webhook.specs.reading import A_NUMBER, A_STRING, invalid, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run

KINDS: Final = ("percent", "count")


def counted(budget: View | None, path: FieldPath) -> tuple[list[str], list[Mark]]:
    """``percent 10``, ``count 1``: what the budget sets, and what is wrong with its types."""
    have: list[str] = []
    marks: list[Mark] = []
    for name in KINDS:
        value = budget.child(name) if budget is not None else None
        if value is not None:
            have.append(f"{name} {show(value.value)}")
            if isinstance(value.value, bool) or not isinstance(value.value, int | float):
                marks.append(wrong_type(path.child(name), value, A_NUMBER))
    return have, marks


def interruption_budget(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``percent`` and ``count`` are never both set (skyhook_types.go InterruptionBudget.Validate)."""

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is not None and _one_number(run, new.value, trail.last):
            return
        have, marks = counted(new, trail.field)
        yield from marks
        if len(have) > 1:
            yield invalid(trail.field, f"{have[0]} and {have[1]} are both set; keep one of them")

    return Swift(judge, _one_number)


def _one_number(_run: Run, new: Any, _key: str) -> bool:
    """Whether it sets one whole number at most, as nearly always."""
    if type(new) is not dict or len(new) > 1:
        return False
    return not new or type(next(iter(new.values()))) is int


def policy_or_budget(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A deploymentPolicy leaves no room for a budget of the Skyhook's own (Skyhook.Validate).

    Asked on ``spec``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        policy = new.child("deploymentPolicy") if new is not None else None
        if new is None or policy is None:
            return
        place = trail.field.child("deploymentPolicy")
        if not isinstance(policy.value, str):
            yield wrong_type(place, policy, A_STRING)
            return
        have, _ = counted(new.child("interruptionBudget"), trail.field)
        if policy.value and have:
            yield invalid(
                place,
                f"{show(policy.value)} and an interruptionBudget ({', '.join(have)}) are both set;"
                " remove spec.interruptionBudget, or spec.deploymentPolicy",
            )

    return Swift(judge, _one_of_both)


def _one_of_both(_run: Run, new: Any, _key: str) -> bool:
    policy = new.get("deploymentPolicy") if type(new) is dict else None
    if type(policy) is not str:
        return policy is None
    return not policy or not new.get("interruptionBudget")
