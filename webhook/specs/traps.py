"""Traps that upstream's own pages describe (docs/uninstall.md, known issues), and the way out of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.checks.parameters import known, word
from webhook.core.finding import CauseType
from webhook.core.writer import Writer
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift, always
from webhook.specs.reading import is_true
from webhook.specs.standing import Standing, nodes_with, on_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def uninstalling(package: View | None) -> bool:
    """Enabled and applied (skyhook_types.go IsUninstalling)."""
    block = None if package is None else package.child("uninstall")
    return is_true(block, "enabled") and is_true(block, "apply")


def never_installed(parameters: Mapping[str, Any]) -> CheckJudge:
    """An uninstall of what no Node has is taken for a finished one. Asked on ``spec.packages.*``.

    Parameters: ``annotation``: of a Node's packages, up to the Skyhook's name.
    """
    known(parameters, "annotation")
    annotation = word(parameters, "annotation")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None or not uninstalling(new) or uninstalling(old):
            return
        if any(True for _ in nodes_with(run, annotation, trail.stars[-1])):
            return
        place = trail.field.child("uninstall", "apply")
        way_out = "; write false until it is installed"
        if run.old is None and run.evidence.every() is None:
            text = (
                "true in a new object: Nodes that do not have the package take it for uninstalled"
                f" and never install it, without a word{way_out}"
            )
            yield Mark(place, text, type=CauseType.INVALID)
            return
        text = (
            "true for a package that no Node has: the operator takes it for uninstalled and never"
            f" installs it, without a word{way_out}"
        )
        yield Mark(place, text, type=CauseType.INVALID)

    return Swift(judge, _not_uninstalling)


def _not_uninstalling(_run: Run, new: Any, _key: str) -> bool:
    block = new.get("uninstall") if type(new) is dict else None
    return type(block) is not dict or block.get("apply") is not True


def version_in_uninstall(parameters: Mapping[str, Any]) -> CheckJudge:
    """Another version while an uninstall runs is never installed. Asked on ``spec.packages.*``.

    Parameters: as ``never_installed``.
    """
    known(parameters, "annotation")
    annotation = word(parameters, "annotation")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if old is None or new is None or not uninstalling(new):
            return
        was, now = old.text("version"), new.text("version")
        if was is None or now is None or was == now:
            return
        there = [s.node for s in nodes_with(run, annotation, trail.stars[-1]) if s.version == was]
        if there:
            yield Mark(
                trail.field.child("version"),
                f"{show(was)} -> {show(now)} while it is uninstalled from {on_nodes(there)}: the new"
                " version is never installed; keep the version until the uninstall is done, or set"
                " uninstall.apply to false here",
                type=CauseType.INVALID,
            )

    return Swift(judge, always)


def interrupt_removed(parameters: Mapping[str, Any]) -> CheckJudge:
    """A Node at uninstall-interrupt needs the interrupt to go on. Asked on ``spec.packages.*``.

    Parameters: as ``never_installed``.
    """
    known(parameters, "annotation")
    annotation = word(parameters, "annotation")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if old is None or new is None:
            return
        if old.child("interrupt") is None or new.child("interrupt") is not None:
            return
        stuck = [s.node for s in nodes_with(run, annotation, trail.stars[-1]) if _interrupting(s)]
        if stuck:
            yield Mark(
                trail.field.child("interrupt"),
                f"removed while it runs after an uninstall on {on_nodes(stuck)}: without it the package"
                " stays at uninstall-interrupt there for ever; put it back until status.nodeState no"
                " longer names the package",
                type=CauseType.REQUIRED,
            )

    return Swift(judge, always)


def _interrupting(standing: Standing) -> bool:
    return standing.stage == "uninstall-interrupt" and standing.state != "complete"


def policy_cleared(parameters: Mapping[str, Any]) -> CheckJudge:
    """DeploymentPolicyNotFound goes when a policy is found, not when none is named any more.

    Asked on ``spec.deploymentPolicy`` (cluster_state_v2.go:203-224). Parameters: ``prefix``.
    """
    known(parameters, "prefix")
    prefix = word(parameters, "prefix")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        was = None if old is None else old.value
        if not was or run.old is None or (new is not None and new.value):
            return
        conditions = run.old.at("status", "conditions")
        found = {} if conditions is None else conditions.types
        kinds = ("DeploymentPolicyNotFound", f"{prefix}/DeploymentPolicyNotFound")
        if any(kind in found and found[kind].text("status") == "True" for kind in kinds):
            yield Mark(
                trail.field,
                f"{show(was)} -> empty leaves the condition DeploymentPolicyNotFound, and with it the"
                " status blocked, for ever; name a policy that exists, wait until the condition is"
                " gone, then empty it",
                type=CauseType.INVALID,
            )

    return Swift(judge, always)


def serial_packages(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``serial`` loses what it began until 0.20 (release notes 0.20). Asked on ``spec.serial``."""

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is not None and new.value is True:
            yield Mark(
                trail.field,
                f"true: operator {run.release} forgets what it began and works on one Node at a time;"
                " order packages by dependsOn, limit Nodes by interruptionBudget.count, or use 0.20",
                type=CauseType.INVALID,
            )

    return Swift(judge, lambda _run, new, _key: new is not True)


def finalizer_stripped(parameters: Mapping[str, Any]) -> CheckJudge:
    """Without the finalizer nobody cleans up Nodes. Asked on ``metadata.finalizers``.

    Parameters: ``finalizer``, ``annotation``; ``tool``: the operator's command line.
    """
    known(parameters, "finalizer", "annotation", "tool")
    finalizer, tool = word(parameters, "finalizer"), word(parameters, "tool")
    annotation = word(parameters, "annotation")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if run.writer is Writer.OPERATOR or run.new is None or not _holds(old, finalizer):
            return
        if run.new.at("metadata", "deletionTimestamp") is None or _holds(new, finalizer):
            return
        left = sorted({s.node for s in nodes_with(run, annotation)})
        if left:
            yield Mark(
                trail.field,
                f"{finalizer} removed by hand: uninstalls do not run, and cordons, labels and"
                f" annotations stay on {on_nodes(left)}; afterwards run {tool} node reset for each of"
                " them, and uncordon it",
            )

    return Swift(judge, always)


def _holds(finalizers: View | None, name: str) -> bool:
    items = () if finalizers is None else finalizers.items or ()
    return any(item.value == name for item in items)
