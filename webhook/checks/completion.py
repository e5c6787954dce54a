"""Is a node done? Computed from spec and configUpdates in the same object (skyhook_types.go:633)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.core.field import FieldPath
from webhook.lifecycle.rule import Mark
from webhook.lifecycle.swift import Swift, on_creation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_STATE = FieldPath().child("status", "nodeState")


def _saw_this_spec(root: View) -> bool:
    """Whether the writer of this status saw the spec beside it (transitions 0.5)."""
    conditions = root.at("status", "conditions")
    ready = conditions.element("Ready") if conditions is not None else None
    stamp = ready.number("observedGeneration") if ready is not None else None
    return stamp is not None and stamp == root.number("metadata", "generation")


def _ends(package: View, updates: View | None, name: str) -> tuple[str, ...]:
    """The pairs at which the package is finished.

    While a ConfigMap edit is under way, its patterns decide whether there is an interrupt
    (HasInterrupt, :544); then both ends are accepted.
    """
    pending = updates is not None and updates.child(name) is not None
    if pending and package.child("configInterrupts") is not None:
        return ("config/complete", "post-interrupt/complete")
    if package.child("interrupt") is not None and not pending:
        return ("post-interrupt/complete",)
    return ("config/complete",)


def _unfinished(root: View, node: str) -> Iterator[tuple[str, str, str]]:
    """(key, pair, wanted) of each package of the spec that is not finished on the node."""
    packages = root.at("spec", "packages")
    entries = root.at("status", "nodeState", node)
    updates = root.at("status", "configUpdates")
    for name in packages.members if packages is not None else ():
        package = root.at("spec", "packages", name)
        version = package.text("version") if package is not None else None
        if package is None or version is None:
            continue
        key = f"{name}|{version}"
        entry = entries.child(key) if entries is not None else None
        if entry is None:
            apply = package.at("uninstall", "apply")
            if apply is None or apply.value is not True:
                yield key, "absent", " or ".join(_ends(package, updates, name))
            continue
        pair = f"{entry.text('stage')}/{entry.text('state')}"
        ends = _ends(package, updates, name)
        if pair not in ends:
            yield key, pair, " or ".join(ends)


def _unchanged(old: View, new: View) -> list[str]:
    """Nodes that were complete before: those that turn complete now are asked for themselves."""
    before, after = old.at("status", "nodeStatus"), new.at("status", "nodeStatus")
    if before is None or after is None:
        return []
    return [n for n, raw in after.members.items() if before.members.get(n) == raw]


def node_complete(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A node, or the Skyhook, turns complete only when every package of the spec is finished.

    Judged only where the writer saw this very spec; asked on ``status.nodeStatus.*`` and on
    ``status.status``.
    """

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if run.old is None or run.new is None or new is None or new.value != "complete":
            return
        if (old is not None and old.value == "complete") or not _saw_this_spec(run.new):
            return
        if run.new.at("metadata", "deletionTimestamp") is not None:
            return
        for node in trail.stars or _unchanged(run.old, run.new):
            for key, pair, wanted in _unfinished(run.new, node):
                text = f"is {pair} while {trail.field} turns complete; a finished package is at {wanted}"
                yield Mark(_STATE.key(node).key(key), text)

    return Swift(judge, on_creation)
