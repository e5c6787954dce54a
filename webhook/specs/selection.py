"""Which Nodes a selector selects: all of them, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.core.field import ROOT
from webhook.core.finding import CauseType
from webhook.core.labels import selects
from webhook.lifecycle.rule import Mark
from webhook.lifecycle.swift import Swift
from webhook.specs.beyond import fresh
from webhook.specs.compartments import compartments
from webhook.specs.selectors import labels_alone, selector_marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def selects_all(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Not every Node of the cluster at once is interrupted, by an empty selector without a limit.

    Either default is meant by many; both together are upstream's own example of an accident
    (custom-resource.md, nodeSelectors), and an interrupt makes it one. Asked on ``spec``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None or _limited(new) or not _interrupts(new):
            return
        selector = new.child("nodeSelectors")
        if selector is None or (selector.fields is not None and not _says(selector)):
            yield Mark(
                trail.field.child("nodeSelectors"),
                "is empty, so every Node of the cluster is drained and interrupted at once; name the"
                " labels of the Nodes that are meant, or limit it by interruptionBudget",
                type=CauseType.REQUIRED,
            )

    return Swift(fresh(judge), _some)


def _some(_run: Run, new: Any, _key: str) -> bool:
    """Whether the selector names anything, or a budget limits it."""
    if type(new) is not dict:
        return False
    budget, selector = new.get("interruptionBudget"), new.get("nodeSelectors")
    if type(budget) is dict and budget:
        return True
    labels = selector.get("matchLabels") if type(selector) is dict else None
    return type(labels) is dict and bool(labels)


def _interrupts(spec: View) -> bool:
    packages = spec.child("packages")
    return packages is not None and any(
        package is not None and package.child("interrupt") is not None
        for package in map(packages.child, packages.members)
    )


def _says(selector: View) -> bool:
    parts = (selector.child("matchLabels"), selector.child("matchExpressions"))
    return any(part is not None and (part.members or part.items) for part in parts)


def _limited(spec: View) -> bool:
    budget = spec.child("interruptionBudget")
    return bool(spec.text("deploymentPolicy")) or (budget is not None and bool(budget.members))


def selects_nothing(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A selector selects a Node there is. Asked on ``spec.nodeSelectors``, where all Nodes are known."""

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is not None and _matches_none(run, new):
            yield Mark(
                trail.field,
                f"selects none of the {_count(run)}; compare it with the labels that they have",
                type=CauseType.INVALID,
            )

    return Swift(judge, _selects_some)


def _selects_some(run: Run, new: Any, key: str) -> bool:
    nodes = run.evidence.every()
    if not nodes:
        return True
    return labels_alone(run, new, key) and any(selects(new, _labels(node)) for node in nodes)


def compartments_select(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Each compartment's selector selects a Node there is. Asked on ``spec``, where all Nodes are known."""

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        for compartment, path in compartments(new, trail.field):
            selector = compartment.child("selector")
            if selector is not None and _matches_none(run, selector):
                yield Mark(
                    path.child("selector"),
                    f"selects none of the {_count(run)}, so its budget and strategy never apply; compare"
                    " it with the labels that they have",
                    type=CauseType.INVALID,
                )

    return fresh(judge)


def _count(run: Run) -> str:
    count = len(run.evidence.every() or ())
    return f"{count} Node{'' if count == 1 else 's'} there {'is' if count == 1 else 'are'}"


def _matches_none(run: Run, selector: View) -> bool:
    nodes = run.evidence.every()
    if not nodes or selector.fields is None or not _says(selector):
        return False
    if any(True for _ in selector_marks(selector, ROOT)):
        return False  # told by another rule
    wanted = selector.value
    if not isinstance(wanted, dict):
        return False  # it holds a number that nobody can read, under a key that nobody knows
    return not any(selects(wanted, _labels(node)) for node in nodes)


def _labels(node: View) -> dict[str, Any]:
    labels = node.at("metadata", "labels")
    value = None if labels is None else labels.value
    return value if isinstance(value, dict) else {}
