"""List L once more, as predicates on any review: which kinds a write is of.

Written apart from the plantings, so that the two check each other: every planted variant is of
its kind, no recorded write but the known exceptions is of any, and nothing of list M either.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from tests.planted import oracle_node
from tests.planted.oracle_entries import entry_kinds
from tests.planted.status_conditions import ONLY_TRUE, TRANSITION
from tests.planted.view import (
    COMPARED,
    MIRRORED,
    PREFIX,
    Scope,
    View,
    condition,
)
from tests.planted.words import READY_REASONS, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT: Final = re.compile(r"([0-9]+)/([0-9]+)\Z")


def kinds_of(view: View, evidence: dict[str, Any] | None = None) -> set[int]:
    """The kinds of list L that a review is of; those that need evidence only with it."""
    evidence = evidence or {}
    if view.scope is Scope.NODE:
        return set(oracle_node.kinds(view, evidence.get("skyhooks", {})))
    if view.scope is Scope.STATUS and view.object.get("status") != view.old.get("status"):
        found = {*_progress(view), *_values(view), *_conditions(view), *_copies(view)}
        return found | set(_untrue(view, evidence))
    return set()


def _progress(view: View) -> Iterator[int]:
    old, new = view.old_status, view.status
    before, after = old.get("observedGeneration") or 0, new.get("observedGeneration") or 0
    if view.turns_complete():
        if set(view.field("nodeStatus").values()) - {"complete"}:
            yield 3
        if _sees_spec(view) and any(not _node_done(view, n) for n in view.field("nodeStatus")):
            yield 4
    if old.get("status") and not new.get("status"):
        yield 5
    if not view.deleting and after > view.generation >= before:
        yield 6
    if not view.deleting and after > before and not view.turns_complete():
        yield 7
    if before and not after:
        yield 8


def _sees_spec(view: View) -> bool:
    ready = condition(view.status, "Ready")
    return ready is not None and ready.get("observedGeneration") == view.generation


def _node_done(view: View, node: str) -> bool:
    packages = view.field("nodeState").get(node) or {}
    for name, package in (view.object["spec"].get("packages") or {}).items():
        entry = packages.get(f"{name}|{package['version']}")
        if entry is None:
            if not (package.get("uninstall") or {}).get("apply"):
                return False
            continue
        last = "post-interrupt" if _interrupts(view, name, package) else "config"
        if (entry["stage"], entry["state"]) != (last, "complete"):
            return False
    return True


def _interrupts(view: View, name: str, package: dict[str, Any]) -> bool:
    changed = view.field("configUpdates").get(name)
    if changed:
        patterns = package.get("configInterrupts") or {}
        return any(fnmatchcase(key, pattern) for pattern in patterns for key in changed)
    return bool(package.get("interrupt"))


def _values(view: View) -> Iterator[int]:
    old, new = view.old_status, view.status
    words, before = view.field("nodeStatus"), view.field("nodeStatus", old=True)
    if any(words[n] not in STATUSES and words[n] != before.get(n) for n in words):
        yield 23
    count = COUNT.match(new.get("completeNodes", "0/0"))
    if new.get("completeNodes") != old.get("completeNodes") and (
        count is None or int(count[1]) > int(count[2])
    ):
        yield 36
    if new.get("nodesInProgress", 0) < min(0, old.get("nodesInProgress", 0)):
        yield 36
    if new.get("nodeOrderOffset", 0) < min(0, old.get("nodeOrderOffset", 0)):
        yield 37
    times, earlier = view.field("nodePriority"), view.field("nodePriority", old=True)
    if any(times[n] < earlier[n] for n in times.keys() & earlier.keys()):
        yield 37
    if any(_compartment(view, name) for name in view.field("compartmentStatuses")):
        yield 38
    updates = view.field("configUpdates")
    if any(not keys or len(set(keys)) < len(keys) for keys in updates.values()):
        yield 40
    if new.get("packageList") != old.get("packageList") and not _package_list(new):
        yield 40


def _compartment(view: View, name: str) -> bool:
    new = view.field("compartmentStatuses")[name]
    old = view.field("compartmentStatuses", old=True).get(name) or {}
    batch = (new.get("batchState") or {}).get("currentBatch")
    before = (old.get("batchState") or {}).get("currentBatch")
    jumped = False
    if isinstance(batch, int) and isinstance(before, int):
        jumped = batch not in {before, before + 1, 1}
    percent = new["progressPercent"]
    return jumped or (percent != old.get("progressPercent") and not 0 <= percent <= 100)


def _package_list(status: dict[str, Any]) -> bool:
    text = status.get("packageList", "")
    items = text.split(",") if text else []
    well = all(re.fullmatch(r"[^:,\s]+:[^:,\s]+", item) for item in items)
    by_text, by_name = sorted(items), sorted(items, key=lambda item: item.split(":"))
    return well and items in (by_text, by_name) and len(set(items)) == len(items)


def _conditions(view: View) -> Iterator[int]:
    old = {c["type"]: c for c in view.old_status.get("conditions") or []}
    new = {c["type"]: c for c in view.status.get("conditions") or []}
    ready, was = new.get("Ready"), old.get("Ready")
    words = set(view.field("nodeStatus").values())
    turned = ready and was and (was["status"], ready["status"]) == ("False", "True")
    if turned and ready and ready["reason"] == "NodesConverged" and words - {"complete"}:
        yield 30
    known = {"Ready", "TaintNotTolerable", "NodesIgnored", *ONLY_TRUE}
    for type_, c in new.items():
        bare = type_.removeprefix(PREFIX)
        if c == old.get(type_) or (bare not in known and type_ != TRANSITION):
            continue
        if type_ in MIRRORED and _left_behind(type_, old, new):
            yield 31
        if bare in ONLY_TRUE and c["status"] == "False":
            yield 32
        if c["status"] == "Unknown" or (bare == "Ready" and c["reason"] not in READY_REASONS):
            yield 33
        if c.get("observedGeneration", 0) > view.generation:
            yield 34


def _left_behind(type_: str, old: dict[str, Any], new: dict[str, Any]) -> bool:
    twin = PREFIX + type_
    if not {type_, twin} <= old.keys() or twin not in new:
        return False
    said = [tuple(side[t].get(f) for f in COMPARED) for side in (old, new) for t in (type_, twin)]
    return said[0] == said[1] and said[2] != said[0] and said[3] != said[2]


def _copies(view: View) -> Iterator[int]:
    before = view.field("nodeState", old=True)
    for node, packages in view.field("nodeState").items():
        old = before.get(node) or {}
        for key, entry in (packages or {}).items():
            if entry != old.get(key):
                yield from entry_kinds(key, old.get(key), entry)


def _untrue(view: View, evidence: dict[str, Any]) -> Iterator[int]:
    nodes = evidence.get("nodes", {})
    for node, packages in view.field("nodeState").items():
        old = view.field("nodeState", old=True).get(node) or {}
        shown = oracle_node.shown(nodes.get(node), view.name)
        for key, entry in (packages or {}).items() if shown is not None else ():
            true, words = (shown or {}).get(key, {}), ("stage", "state")
            if entry == old.get(key) or all(entry[w] == old.get(key, {}).get(w) for w in words):
                continue
            if any(entry[w] != true.get(w) for w in words):
                yield 1
    words, before = view.field("nodeStatus"), view.field("nodeStatus", old=True)
    for node in words:
        notes = nodes.get(node, {}).get("metadata", {}).get("annotations", {})
        true = notes.get(f"{PREFIX}status_{view.name}")
        if node in nodes and words[node] not in {before.get(node), true}:
            yield 2
    added = {*words, *view.field("nodeState")} - {*before, *view.field("nodeState", old=True)}
    if evidence.get("complete") and added - nodes.keys():
        yield 39
