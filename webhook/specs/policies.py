"""DeploymentPolicy: a budget and a strategy for the default and for every compartment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.core.field import ROOT
from webhook.core.nearest import did_you_mean
from webhook.lifecycle.rule import listed, show
from webhook.specs.budgets import KINDS, counted
from webhook.specs.compartments import compartments
from webhook.specs.reading import AN_OBJECT, invalid, required, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run

STRATEGIES: Final = ("fixed", "linear", "exponential")
_SPEC: Final = ROOT.child("spec")


def _holders(run: Run) -> Iterator[tuple[View | None, FieldPath, bool]]:
    """(what holds a budget and a strategy, where, is it the default); none if the spec stays."""
    root = run.new
    if root is None:
        return
    spec = root.child("spec")
    if run.old is not None and run.old is not root and _same(run.old.child("spec"), spec):
        return
    yield (None if spec is None else spec.child("default")), _SPEC.child("default"), True
    for compartment, path in compartments(spec, _SPEC):
        yield compartment, path, False


def _same(old: View | None, new: View | None) -> bool:
    """By bytes: what differs in bytes alone is judged, and what it had before never denies."""
    return old is new if old is None or new is None else old.raw == new.raw


def policy_budget(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Exactly one of percent and count (deployment_policy_types.go DeploymentBudget.Validate).

    Asked on the whole object, since the spec may be missing; silent where it did not change.
    """

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        for holder, path, _default in _holders(run):
            budget, place = None if holder is None else holder.child("budget"), path.child("budget")
            if budget is not None and budget.fields is None:
                yield wrong_type(place, budget, AN_OBJECT)
                continue
            have, marks = counted(budget, place)
            yield from marks
            if not have:
                names = () if budget is None else tuple(budget.members)
                hint = "".join(did_you_mean(name, KINDS) for name in names[:1])
                yield required(place, f"sets neither percent nor count; set exactly one{hint}")
            elif len(have) > 1:
                text = f"{have[0]} and {have[1]} are both set; keep exactly one"
                yield invalid(place, text)

    return judge


def policy_strategy(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Exactly one strategy (deployment_policy_types.go DeploymentStrategy.Validate).

    A compartment may do without. Asked on the whole object, as ``policy_budget``.
    """

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        for holder, path, default in _holders(run):
            strategy = None if holder is None else holder.child("strategy")
            place = path.child("strategy")
            if strategy is not None and strategy.fields is None:
                yield wrong_type(place, strategy, AN_OBJECT)
            elif strategy is not None:
                yield from _one_of(strategy, place)
            elif default:
                yield required(place, f"is missing; set exactly one of {listed(STRATEGIES)}")

    return judge


def _one_of(strategy: View, place: FieldPath) -> Iterator[Mark]:
    have = [name for name in STRATEGIES if strategy.child(name) is not None]
    for name in have:
        one = strategy.child(name)
        if one is not None and one.fields is None:
            yield wrong_type(place.child(name), one, AN_OBJECT)
    if not have:
        hint = "".join(did_you_mean(name, STRATEGIES) for name in list(strategy.members)[:1])
        yield required(place, f"sets no strategy; set exactly one of {listed(STRATEGIES)}{hint}")
    elif len(have) > 1:
        text = f"sets {listed(map(show, have))}; keep exactly one"
        yield invalid(place, text)
