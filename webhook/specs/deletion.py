"""What holds a deletion up, told to who asks for it; nothing is ever denied (docs/uninstall.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.checks.parameters import known, word
from webhook.lifecycle.rule import Mark, show
from webhook.specs.reading import is_true
from webhook.specs.standing import nodes_with, on_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_UNINSTALLS: Final = frozenset({"uninstall", "uninstall-interrupt"})


def deletion_erring(parameters: Mapping[str, Any]) -> CheckJudge:
    """An uninstall begins from a complete stage only: one that errs holds the deletion up for ever.

    Asked on the object that is deleted. Parameters: ``annotation``: of a Node's packages, up to the
    Skyhook's name; ``tool``: the operator's command line.
    """
    known(parameters, "annotation", "tool")
    annotation, tool = word(parameters, "annotation"), word(parameters, "tool")

    def judge(run: Run, old: View | None, _new: View | None, trail: Trail) -> Iterator[Mark]:
        for key in _uninstalled(old):
            there = nodes_with(run, annotation, key)
            erring = [s for s in there if s.state == "erroring" and s.stage not in _UNINSTALLS]
            if erring:
                stages = sorted({s.stage for s in erring})
                yield Mark(
                    trail.field.child("status", "nodeState"),
                    f"package {show(key)} is {stages[0]}/erroring on {on_nodes([s.node for s in erring])}: its"
                    " uninstall begins only when that is complete, and the deletion waits for it; repair"
                    f" the package first, or {tool} node reset, which leaves its files there",
                )

    return judge


def deletion_held(parameters: Mapping[str, Any]) -> CheckJudge:
    """A paused or disabled object uninstalls nothing, so its deletion waits. Asked on the object.

    Parameters: ``prefix``; ``annotation`` and ``tool`` as in ``deletion_erring``.
    """
    known(parameters, "prefix", "annotation", "tool")
    prefix, tool = word(parameters, "prefix"), word(parameters, "tool")
    annotation = word(parameters, "annotation")

    def judge(run: Run, old: View | None, _new: View | None, trail: Trail) -> Iterator[Mark]:
        if old is None:
            return
        left = [s.node for key in _uninstalled(old) for s in nodes_with(run, annotation, key)]
        for switch, verb in (("pause", "resume"), ("disable", "enable")):
            name = f"{prefix}/{switch}"
            if left and old.text("metadata", "annotations", name) == "true":
                yield Mark(
                    trail.field.child("metadata", "annotations").key(name),
                    f'"true" holds the deletion up: packages with uninstall.enabled are still on'
                    f" {on_nodes(left)}, and nothing is uninstalled meanwhile; {tool} {verb} first",
                )
                return

    return judge


def deletion_refused(parameters: Mapping[str, Any]) -> CheckJudge:
    """Without its policy the operator's own webhook refuses to let go of the finalizer (J.15).

    Asked on the object. Parameters: ``prefix``.
    """
    known(parameters, "prefix")
    prefix = word(parameters, "prefix")

    def judge(_run: Run, old: View | None, _new: View | None, trail: Trail) -> Iterator[Mark]:
        policy = None if old is None else old.text("spec", "deploymentPolicy")
        conditions = None if old is None else old.at("status", "conditions")
        found = {} if conditions is None else conditions.types
        kinds = ("DeploymentPolicyNotFound", f"{prefix}/DeploymentPolicyNotFound")
        missing = any(k in found and found[k].text("status") == "True" for k in kinds)
        if policy and missing:
            yield Mark(
                trail.field.child("spec", "deploymentPolicy"),
                f"{show(policy)} is not found: the operator's own webhook then refuses to take the"
                " finalizer away, and the deletion hangs; create the policy again first",
            )

    return judge


def _uninstalled(old: View | None) -> list[str]:
    """The packages that a deletion uninstalls."""
    packages = None if old is None else old.at("spec", "packages")
    if packages is None:
        return []
    kids = ((key, packages.child(key)) for key in packages.members)
    return sorted(
        key
        for key, package in kids
        if package is not None and is_true(package.child("uninstall"), "enabled")
    )
