"""Packages that must be uninstalled before they may go: removal, lower versions, second thoughts.

Judged on the step from old to new; what is still installed is read from the OLD status.nodeState,
entry by entry, without decoding the rest of the status.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.checks.versions import Version
from webhook.core.finding import CauseType, Severity
from webhook.lifecycle.atoms import value_of
from webhook.lifecycle.rule import Mark, listed, show
from webhook.lifecycle.swift import Swift, always
from webhook.specs.reading import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def _enabled(package: View) -> bool:
    return is_true(package.child("uninstall"), "enabled")


def _uninstalling(package: View) -> bool:
    """Enabled and applied (skyhook_types.go IsUninstalling)."""
    return _enabled(package) and is_true(package.child("uninstall"), "apply")


def _still_on(root: View | None, key: str, package: View) -> list[str]:
    """Nodes whose entry of ``name|version`` is in the status (isPackageFullyUninstalled).

    Without any node tracked there is nothing left to uninstall.
    """
    states = root.at("status", "nodeState") if root is not None else None
    if states is None:
        return []
    entry = f"{package.text('name') or key}|{package.text('version') or ''}"
    found = []
    for node in states.members:
        state = states.child(node)
        if state is not None and entry in state.members:
            found.append(node)
    return sorted(found)


def _on_nodes(nodes: list[str]) -> str:
    return f"{len(nodes)} node{'s' if len(nodes) > 1 else ''} ({listed(nodes, 3)})"


def package_removal(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A package with uninstall.enabled leaves the spec only when it has left every node.

    Asked on ``spec.packages.*`` (skyhook_webhook.go ValidateUpdate).
    """

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if old is None or new is not None or not _enabled(old):
            return
        nodes = _still_on(run.old, trail.stars[-1], old)
        if nodes:
            first = "" if _uninstalling(old) else f"set {trail.field}.uninstall.apply to true, "
            text = (
                f"removed while {show(old.text('version'))} is still on {_on_nodes(nodes)} and"
                f" uninstall.enabled is true; put it back, {first}wait until status.nodeState no"
                " longer names it, then remove it"
            )
            yield Mark(trail.field, text)

    return Swift(judge, always)


def package_downgrade(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A lower version of a package with uninstall.enabled needs a finished uninstall first.

    Upstream's webhook refuses every one (skyhook_webhook.go ValidateUpdate). A write that also ends
    the uninstall only warns: people make it where that webhook is off (recorded, chainsaw's own
    downgrade-after-uninstall). Asked on ``spec.packages.*``.
    """

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if old is None or new is None or not _enabled(old) or not _lower(old, new):
            return
        nodes = _still_on(run.old, trail.stars[-1], old)
        applied = _uninstalling(old)
        if applied and not nodes:
            return
        was, now = show(old.text("version")), show(new.text("version"))
        step = f"{was} -> {now} lowers the version of a package with uninstall.enabled"
        gone = "wait until status.nodeState no longer names it, then lower it"
        ends = applied and not _uninstalling(new)
        if ends:
            why = (
                f"its uninstall is not finished on {_on_nodes(nodes)} and ends here; better {gone}"
            )
        elif applied:
            why = f"it is still on {_on_nodes(nodes)}: {gone}"
        else:
            why = f"keep {was}, set {trail.field}.uninstall.apply to true, {gone}"
        severity = Severity.WARN if ends else None
        yield Mark(trail.field.child("version"), f"{step}; {why}", severity)

    return Swift(judge, always)


def _lower(old: View, new: View) -> bool:
    was, now = old.text("version"), new.text("version")
    if was is None or now is None or was == now:
        return False
    before, after = Version.parse(was), Version.parse(now)
    return before is not None and after is not None and after < before


def uninstall_cancelled(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A cancelled uninstall: nodes that finished it install the package again (ValidateUpdate)."""

    def judge(_run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if old is None or new is None or not _uninstalling(old) or _uninstalling(new):
            return
        now = show(value_of(new.at("uninstall", "apply")))
        text = (
            f"true -> {now} cancels the uninstall; nodes where it is done will install the"
            " package again"
        )
        yield Mark(trail.field.child("uninstall", "apply"), text, type=CauseType.INVALID)

    return Swift(judge, always)
