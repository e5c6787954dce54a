"""Kinds 22, 23, 36 to 38 and 40 of list L: values that no status ever holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from tests.planted.variant import Kind, Planted, Site
from tests.planted.view import Scope, View, at, is_status, some
from tests.planted.words import BAD_STATUSES, COMPLETE_NODES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

SECOND: Final = "%Y-%m-%dT%H:%M:%SZ"
EARLIER: Final = (
    timedelta(seconds=1),
    timedelta(minutes=1),
    timedelta(hours=5),
    timedelta(days=400),
)


def node_word(view: View, rng: Random) -> Iterator[Site]:
    """L23: a nodeStatus outside the eight words."""
    old = view.field("nodeStatus", old=True)
    for node in some(rng, view.field("nodeStatus"), 2):
        if node in old and not is_status(old[node]):
            continue
        word = rng.choice(BAD_STATUSES)
        yield Site(f"from-{old.get(node, 'absent')}", _node_word(node, word))


def _node_word(node: str, word: str) -> Any:
    def plant(view: View) -> Planted:
        view.status["nodeStatus"][node] = word
        return Planted(f"nodeStatus[{node}] -> {word!r}", (at("nodeStatus", node),))

    return plant


def counts(view: View, rng: Random) -> Iterator[Site]:
    """L36: completeNodes that is no `x/y` with x <= y; nodesInProgress below zero."""
    total = str(view.status.get("completeNodes", "")).partition("/")[2]
    if not total.isdecimal():
        return
    more = f"{int(total) + rng.choice((1, 2, 40))}/{total}"
    for form, name, value in (
        ("more-than-all", "completeNodes", more),
        ("malformed", "completeNodes", rng.choice(COMPLETE_NODES)),
        ("negative", "nodesInProgress", rng.choice((-1, -3, -(2**31)))),
    ):
        yield Site(form, _value(name, value))


def _value(name: str, value: Any) -> Any:
    def plant(view: View) -> Planted:
        before = view.old_status.get(name)
        view.status[name] = value
        return Planted(f"{name} {before!r} -> {value!r}", (at(name),))

    return plant


def order(view: View, rng: Random) -> Iterator[Site]:
    """L37: nodeOrderOffset below zero; a nodePriority that moves to an earlier time."""
    if view.old_status.get("nodeOrderOffset", 0) >= 0:
        yield Site("offset", _value("nodeOrderOffset", rng.choice((-1, -2, -300))))
    old = view.field("nodePriority", old=True)
    for node in some(rng, [n for n in view.field("nodePriority") if n in old], 1):
        yield Site("earlier", _earlier(node, old[node], rng.choice(EARLIER)))


def _earlier(node: str, old: str, by: timedelta) -> Any:
    when = datetime.strptime(old, SECOND).replace(tzinfo=UTC) - by
    new = when.strftime(SECOND)

    def plant(view: View) -> Planted:
        view.status["nodePriority"][node] = new
        return Planted(f"nodePriority[{node}] {old} -> {new}", (at("nodePriority", node),))

    return plant


def compartments(view: View, rng: Random) -> Iterator[Site]:
    """L38: currentBatch jumps (up by more than one, or down but not to 1); percent outside 0-100."""
    old = view.field("compartmentStatuses", old=True)
    for name in some(rng, view.field("compartmentStatuses"), 1):
        before = (old.get(name, {}).get("batchState") or {}).get("currentBatch")
        if isinstance(before, int) and view.field("compartmentStatuses")[name].get("batchState"):
            up = before + rng.choice((2, 6, 1000))
            yield Site("batch-up", _batch(name, before, up))
            if before > 2:
                yield Site("batch-down", _batch(name, before, rng.randint(2, before - 1)))
            yield Site("batch-negative", _batch(name, before, rng.choice((-1, -7))))
        if 0 <= old.get(name, {}).get("progressPercent", 0) <= 100:
            yield Site("percent", _percent(name, rng.choice((101, 140, 10**6, -1, -40))))


def _batch(name: str, old: int, new: int) -> Any:
    def plant(view: View) -> Planted:
        view.status["compartmentStatuses"][name]["batchState"]["currentBatch"] = new
        what = f"{name} currentBatch {old} -> {new}"
        return Planted(what, (at("compartmentStatuses", name, "batchState"),))

    return plant


def _percent(name: str, value: int) -> Any:
    def plant(view: View) -> Planted:
        view.status["compartmentStatuses"][name]["progressPercent"] = value
        where = at("compartmentStatuses", name, "progressPercent")
        return Planted(f"{name} progressPercent -> {value}", (where,))

    return plant


def lists(view: View, rng: Random) -> Iterator[Site]:
    """L40: configUpdates empty or with a double; packageList unsorted, double or without version."""
    names = set(view.field("configUpdates")) | set(view.object.get("spec", {}).get("packages", {}))
    for name in some(rng, sorted(names), 1):
        doubled = [rng.choice(("a", "game.properties"))] * rng.choice((2, 3))
        yield Site("updates-empty", _updates(name, []))
        yield Site("updates-double", _updates(name, doubled))
        yield Site("updates-double", _updates(name, ["b", *doubled]))
    items = str(view.status.get("packageList") or "").split(",")
    if items[0]:
        yield Site("list-double", _value("packageList", ",".join(sorted([*items, items[0]]))))
        bare = items[0].partition(":")[0]
        yield Site("list-no-version", _value("packageList", ",".join([bare, *items[1:]])))
    first, *_, last = [items[0], *items] if len(items) < 2 else items
    if first.partition(":")[0] < last.partition(":")[0] and first < last:
        turned = ",".join(reversed(items))
        yield Site("list-unsorted", _value("packageList", turned))


def _updates(name: str, keys: list[str]) -> Any:
    def plant(view: View) -> Planted:
        new = "configUpdates" not in view.status
        view.status.setdefault("configUpdates", {})[name] = keys
        where = at("configUpdates", name)
        touched = (at("configUpdates"),) if new else (where,)
        return Planted(f"configUpdates[{name}] -> {keys}", (where,), touched)

    return plant


KINDS: Final = (
    Kind(23, (Scope.STATUS,), node_word),
    Kind(36, (Scope.STATUS,), counts),
    Kind(37, (Scope.STATUS,), order),
    Kind(38, (Scope.STATUS,), compartments),
    Kind(40, (Scope.STATUS,), lists),
)
