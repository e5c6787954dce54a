"""Which kinds of list L a write to a Node is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.corpus.differences import NODE_STATE, readable_map
from tests.planted.oracle_entries import entry_kinds
from tests.planted.view import CORDON_KEY, PREFIX, STATUS_KEY, View, version_numbers
from tests.planted.words import STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator

Entries = dict[str, dict[str, Any]]
STATUS_STEPS: Final = {
    "unknown": {"in_progress", "erroring", "blocked"},
    "blocked": {"unknown", "paused", "disabled"},
}
"""C.1: words that are not reached in one write from these."""
CONDITION_PAIRS: Final = {
    ("NotReady", "True", "Incomplete"),
    ("NotReady", "False", "Complete"),
    ("Erroring", "True", "Package(s) Erroring or Unknown"),
    ("Erroring", "False", "Not Erroring"),
}


def shown(node: dict[str, Any] | None, skyhook: str) -> Entries | None:
    """The packages in a given Node's annotation, None without a Node."""
    if node is None:
        return None
    return readable_map(node["metadata"].get("annotations", {}).get(NODE_STATE + skyhook)) or {}


def kinds(view: View, skyhooks: dict[str, Any]) -> Iterator[int]:
    """Kinds 9 to 22 and 24 to 29, in any order."""
    for key in view.annotations:
        if key.startswith(NODE_STATE):
            old, new = view.old_annotations.get(key), view.annotations[key]
            if new != old:
                owner = skyhooks.get(key.removeprefix(NODE_STATE))
                yield from _state(old, new, owner)
        elif key.startswith(STATUS_KEY):
            yield from _status(view, key)
        elif key.startswith(CORDON_KEY) and (
            "true" != view.annotations[key] != view.old_annotations.get(key)
        ):
            yield 28
    if view.subresource == "status":
        yield from _conditions(view)


def _state(old_text: str | None, new_text: str, owner: dict[str, Any] | None) -> Iterator[int]:
    new = readable_map(new_text)
    if new is None:
        yield 20
        return
    old = readable_map(old_text)
    before = old or {}
    for key, entry in new.items():
        if entry == before.get(key):
            continue
        if not key.partition("|")[2] and key not in before:
            yield 21
        yield from entry_kinds(key, before.get(key), entry)
        legacy = key.partition("|")[0] in before
        if old is not None and not legacy:
            yield from _edge(key, before.get(key), entry, new)
            if owner is not None:
                yield from _uninstall(key, before.get(key), entry, owner)


def _edge(
    key: str, old: dict[str, Any] | None, entry: dict[str, Any], new: Entries
) -> Iterator[int]:
    before, after = (_pair(e) for e in (old, entry))
    if before == after or (old is not None and "unknown" in before):
        return
    if after == "interrupt/skipped" and before != "config/complete":
        yield 9
    if before == "absent" and after == "post-interrupt/in_progress":
        yield 10
    if before == "absent" and after == "interrupt/in_progress":
        yield 11
    if after == "uninstall/in_progress" and (
        not before.endswith("/complete") and before != "uninstall/erroring"
    ):
        yield 12
    if after == "upgrade/in_progress" and not _lower(key, new):
        if before == "absent":
            yield 14
        elif not before.startswith("upgrade/"):
            yield 15


def _pair(entry: dict[str, Any] | None) -> str:
    return "absent" if entry is None else f"{entry.get('stage')}/{entry.get('state')}"


def _lower(key: str, packages: Entries) -> bool:
    """Whether a version that is lower, or that cannot be compared, is beside this one."""
    name, mine = key.partition("|")[0], version_numbers(key)
    for other in packages:
        if other != key and other.partition("|")[0] == name:
            theirs = version_numbers(other)
            if mine is None or theirs is None or theirs < mine:
                return True
    return False


def _uninstall(
    key: str, old: dict[str, Any] | None, entry: dict[str, Any], owner: dict[str, Any]
) -> Iterator[int]:
    package = owner["spec"]["packages"].get(key.partition("|")[0], {})
    asked = package.get("uninstall") or "deletionTimestamp" in owner["metadata"]
    started = _pair(entry) == "uninstall/in_progress" != _pair(old)
    if started and _pair(old).endswith("/complete") and not asked:
        yield 13


def _status(view: View, key: str) -> Iterator[int]:
    old, new = view.old_annotations.get(key), view.annotations[key]
    if new == old:
        return
    if new not in STATUSES:
        yield 24
    if old in STATUS_STEPS.get(new, set()):
        yield 25
    labels = view.old_labels.get(key), view.labels.get(key)
    if None not in {old, *labels} and labels[0] != labels[1] != new:
        yield 26
    cordon = CORDON_KEY + key.removeprefix(STATUS_KEY)
    held = view.old_annotations.get(cordon) == "true" and cordon in view.annotations
    if new == "complete" and old is not None and held:
        yield 27


def _conditions(view: View) -> Iterator[int]:
    old = {c["type"]: c for c in view.old_status.get("conditions") or []}
    for c in view.status.get("conditions") or []:
        last = c["type"].rpartition("/")[2]
        if not c["type"].startswith(PREFIX) or last not in {"NotReady", "Erroring"}:
            continue
        if c != old.get(c["type"]) and (last, c["status"], c["reason"]) not in CONDITION_PAIRS:
            yield 29
