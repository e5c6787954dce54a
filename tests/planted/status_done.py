"""Kinds 3 to 8 of list L: a Skyhook that is said to be further than it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.planted.variant import Kind, Planted, Site
from tests.planted.view import (
    ABSENT,
    PREFIX,
    Scope,
    View,
    at,
    both,
    condition,
    is_status,
    pair,
    set_pair,
    some,
)
from tests.planted.words import STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

UNFINISHED: Final = (
    "apply/in_progress",
    "apply/complete",
    "apply/erroring",
    "config/in_progress",
    "config/erroring",
    "interrupt/in_progress",
    "interrupt/complete",
    "interrupt/skipped",
    "interrupt/erroring",
    "post-interrupt/in_progress",
    "post-interrupt/erroring",
    "upgrade/in_progress",
    "upgrade/complete",
    "upgrade/erroring",
)
"""Pairs at which no package is finished, with or without an interrupt."""
DRESSED: Final = (
    at("status"),
    at("observedGeneration"),
    at("conditions"),
    at("nodePriority"),
    at("nodeOrderOffset"),
)


def dress_complete(view: View) -> None:
    """Make everything but nodes and packages say complete, as one honest write would."""
    status, generation = view.status, view.generation
    status.update(status="complete", observedGeneration=generation)
    for ready in both(status, "Ready"):
        ready.update(status="True", reason="NodesConverged", observedGeneration=generation)
    transition = condition(status, f"{PREFIX}Transition")
    if transition is not None:
        transition.update(status="True", reason="complete", observedGeneration=generation)
    removed = status.pop("nodePriority", None) or {}
    if removed:
        status["nodeOrderOffset"] = status.get("nodeOrderOffset", 0) + len(removed)


def over_unfinished_node(view: View, rng: Random) -> Iterator[Site]:
    """L3: status.status turns complete while a nodeStatus is not."""
    old, nodes = view.old_status.get("status"), view.field("nodeStatus")
    unfinished = [n for n, word in nodes.items() if word != "complete" and is_status(word)]
    if not is_status(old) or old == "complete":
        return
    fields = (at("status"), *(at("nodeStatus", node) for node in unfinished))
    if unfinished and view.status.get("status") != "complete":

        def naive(view: View) -> Planted:
            view.status["status"] = "complete"
            return Planted(f"status {old} -> complete, unfinished {unfinished[:3]}", fields)

        def dressed(view: View) -> Planted:
            dress_complete(view)
            what = f"status {old} -> complete and all that follows, unfinished {unfinished[:3]}"
            return Planted(what, fields, DRESSED)

        yield Site(f"naive-{old}", naive)
        if both(view.status, "Ready") and not view.deleting:
            yield Site(f"dressed-{old}", dressed)
    if view.turns_complete():
        for node in some(rng, nodes, 2):
            yield Site("one-left", _one_left(node, rng.choice(STATUSES[1:])))


def _one_left(node: str, word: str) -> Any:
    def plant(view: View) -> Planted:
        view.status["nodeStatus"][node] = word
        what = f"status turns complete while nodeStatus[{node}] is {word}"
        return Planted(what, (at("status"), at("nodeStatus", node)), (at("nodeStatus", node),))

    return plant


def spec_packages(view: View) -> dict[str, str]:
    """Keys (`name|version`) by name of the spec packages that cannot be in an uninstall."""
    packages = view.object.get("spec", {}).get("packages") or {}
    return {
        name: f"{name}|{package['version']}"
        for name, package in packages.items()
        if not package.get("uninstall")
    }


def sees_current_spec(view: View) -> bool:
    """Whether the writer of the conditions had the present spec before it (0.5)."""
    ready = both(view.status, "Ready")
    return bool(ready) and all(c.get("observedGeneration") == view.generation for c in ready)


def over_unfinished_package(view: View, rng: Random) -> Iterator[Site]:
    """L4: status.status turns complete while a package of the spec is not finished."""
    if view.deleting or not sees_current_spec(view):
        return
    keys = set(spec_packages(view).values())
    known = [(node, key) for node, key in view.entries if key in keys]
    if view.turns_complete():
        for node, key in some(rng, known, 2):
            old = pair(view.old_entry(node, key))
            if old in UNFINISHED:
                yield Site("kept-old", _unfinished(node, key, old))
            yield Site("other-pair", _unfinished(node, key, rng.choice(UNFINISHED)))
            yield Site("missing", _unfinished(node, key, ABSENT))
    elif is_status(view.old_status.get("status")) and view.status.get("status") != "complete":
        late = [(n, k) for n, k in known if pair(view.entry(n, k)) in UNFINISHED]
        every = all(is_status(word) for word in view.field("nodeStatus").values())
        late = [(n, k) for n, k in late if n in view.field("nodeStatus")]
        if late and every and view.old_status["status"] != "complete":
            yield Site("all-claimed", _all_claimed(late))


def _unfinished(node: str, key: str, word: str) -> Any:
    def plant(view: View) -> Planted:
        if word == ABSENT:
            del view.status["nodeState"][node][key]
        else:
            set_pair(view.entry(node, key), word)
        where = at("nodeState", node, key)
        what = f"status turns complete while {key} on {node} is {word}"
        return Planted(what, (at("status"), at("nodeStatus", node), where), (where,))

    return plant


def _all_claimed(late: list[tuple[str, str]]) -> Any:
    def plant(view: View) -> Planted:
        dress_complete(view)
        view.status["nodeStatus"] = dict.fromkeys(view.status["nodeStatus"], "complete")
        node, key = late[0]
        what = f"all nodes and the Skyhook complete, {key} on {node} is not"
        fields = (at("status"), *(at("nodeStatus", n) for n, _ in late))
        fields += tuple(at("nodeState", n, k) for n, k in late)
        return Planted(what, fields, (*DRESSED, at("nodeStatus")))

    return plant


def removed_status(view: View, rng: Random) -> Iterator[Site]:
    """L5: status.status is taken away."""
    old = view.old_status.get("status")
    if not is_status(old):
        return

    def removed(view: View) -> Planted:
        view.status.pop("status", None)
        return Planted(f"status.status {old} -> removed", (at("status"),))

    def null(view: View) -> Planted:
        view.status["status"] = None
        return Planted(f"status.status {old} -> null", (at("status"),))

    def everything(view: View) -> Planted:
        view.object.pop("status", None)
        return Planted("the whole status is gone", (("status",),))

    yield Site(f"removed-{old}", removed)
    yield Site("null", null)
    if rng.random() < 0.2:
        yield Site("everything", everything)


def ahead_of_generation(view: View, rng: Random) -> Iterator[Site]:
    """L6: observedGeneration greater than generation, no deletion under way."""
    old, generation = view.old_status.get("observedGeneration", 0), view.generation
    if view.deleting or old > generation or "status" not in view.status:
        return
    steps = {"one-more": 1, "some-more": rng.randint(2, 50), "huge": 2**62}
    form = rng.choice(sorted(steps))
    turning = "turning" if view.turns_complete() else "steady"
    yield Site(f"{form}-{turning}", _observed(generation + steps[form], old))


def moved_early(view: View, rng: Random) -> Iterator[Site]:
    """L7: observedGeneration rises in a write that does not make the Skyhook complete."""
    old, generation = view.old_status.get("observedGeneration", 0), view.generation
    new = view.status.get("status")
    if view.deleting or old >= generation or not is_status(new) or view.turns_complete():
        return
    form = "stays-complete" if new == "complete" else f"while-{new}"
    yield Site(form, _observed(rng.randint(old + 1, generation), old))


def _observed(value: int, old: int) -> Any:
    def plant(view: View) -> Planted:
        view.status["observedGeneration"] = value
        what = f"observedGeneration {old} -> {value}, generation {view.generation}"
        return Planted(what, (at("observedGeneration"),))

    return plant


def taken_back(view: View, rng: Random) -> Iterator[Site]:
    """L8: observedGeneration removed, null or 0."""
    old = view.old_status.get("observedGeneration", 0)
    if old < 1:
        return
    form = rng.choice(("removed", "zero", "null"))

    def plant(view: View) -> Planted:
        if form == "removed":
            view.status.pop("observedGeneration", None)
        else:
            view.status["observedGeneration"] = 0 if form == "zero" else None
        return Planted(f"observedGeneration {old} -> {form}", (at("observedGeneration"),))

    yield Site(form, plant)


KINDS: Final = (
    Kind(3, (Scope.STATUS,), over_unfinished_node),
    Kind(4, (Scope.STATUS,), over_unfinished_package),
    Kind(5, (Scope.STATUS,), removed_status),
    Kind(6, (Scope.STATUS,), ahead_of_generation),
    Kind(7, (Scope.STATUS,), moved_early),
    Kind(8, (Scope.STATUS,), taken_back),
)
