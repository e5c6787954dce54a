"""Kinds 30 to 34 of list L: conditions that no writer sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.planted.variant import Kind, Planted, Site
from tests.planted.view import (
    COMPARED,
    MIRRORED,
    PREFIX,
    Scope,
    View,
    at,
    both,
    condition,
    some,
)
from tests.planted.words import OTHER_READY_REASONS, READY_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

ONLY_TRUE: Final = {
    "ApplyPackage": "ApplyPackage",
    "Blocked": "DependencyUninstalled",
    "DeletionBlocked": "MalformedNodeState",
    "DeploymentPolicyNotFound": "DeploymentPolicyNotFound",
    "NodeStateMalformed": "ParseError",
    "UninstallFailed": "UninstallPodFailing",
    "UninstallInProgress": "UninstallInProgress",
}
"""Types that are True or absent, with the reason that upstream gives."""
TRANSITION: Final = f"{PREFIX}Transition"
KNOWN: Final = ("Ready", "TaintNotTolerable", "NodesIgnored", *ONLY_TRUE)


def paths(type_: str) -> tuple[tuple[str, ...], ...]:
    """The bare condition and its twin."""
    return (at("conditions", type_), at("conditions", PREFIX + type_))


def said(c: dict[str, Any] | None) -> tuple[Any, ...] | None:
    """What a bare condition and its twin agree on."""
    return None if c is None else tuple(c.get(name) for name in COMPARED)


def converged_too_early(view: View, rng: Random) -> Iterator[Site]:
    """L30: Ready False -> True with NodesConverged while a nodeStatus is not complete."""
    del rng
    old, new = condition(view.old_status, "Ready"), condition(view.status, "Ready")
    words = {n: w for n, w in view.field("nodeStatus").items() if w != "complete"}
    if old is None or new is None or old["status"] != "False" or not words:
        return
    if len({said(c) for c in both(view.old_status, "Ready")}) > 1:
        return

    def plant(view: View) -> Planted:
        for c in both(view.status, "Ready"):
            c.update(status="True", reason="NodesConverged")
        transition = condition(view.status, TRANSITION)
        if transition is not None:
            transition["status"] = "True"
        fields = (*paths("Ready"), *(at("nodeStatus", node) for node in words))
        touched = (*paths("Ready"), at("conditions", TRANSITION))
        return Planted(f"Ready -> True/NodesConverged, unfinished {words}", fields, touched)

    yield Site(f"while-{view.status.get('status')}", plant)


def twin_left_behind(view: View, rng: Random) -> Iterator[Site]:
    """L31: a bare type changes, its twin, equal before, does not follow."""
    for type_ in some(rng, MIRRORED, 3):
        old = both(view.old_status, type_)
        new = both(view.status, type_)
        if len(old) < 2 or len(new) < 2 or said(old[0]) != said(old[1]):
            continue
        if said(new[0]) != said(old[0]):
            yield Site(f"frozen-{type_}", _frozen(type_, {}))
        for form, edit in _edits(type_, view, old[0], rng):
            yield Site(f"{form}-{type_}", _frozen(type_, edit))


def _edits(
    type_: str, view: View, old: dict[str, Any], rng: Random
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Legal other values for a bare condition, one part at a time."""
    yield "message", {"message": f"{old['message']}{rng.choice(('.', ' ', ', 1 waiting'))}"}
    if type_ not in ONLY_TRUE:
        yield "status", {"status": "False" if old["status"] == "True" else "True"}
    if type_ == "Ready":
        reasons = [r for r in READY_REASONS[1:] if r != old["reason"]]
        yield "reason", {"reason": rng.choice(reasons)}
    seen = old.get("observedGeneration", 0)
    if view.generation > 1:
        others = [g for g in range(1, min(view.generation, 40) + 1) if g != seen]
        yield "generation", {"observedGeneration": rng.choice(others)}


def _frozen(type_: str, edit: dict[str, Any]) -> Any:
    def plant(view: View) -> Planted:
        bare, twin = both(view.status, type_)
        old_bare, old_twin = both(view.old_status, type_)
        if edit:
            bare.update({k: old_bare[k] for k in COMPARED if k in old_bare})
            bare.update(edit)
        twin.clear()
        twin.update(old_twin)
        return Planted(f"{type_} moved ({sorted(edit) or 'recorded'}), twin kept", paths(type_))

    return plant


def false_for_removed(view: View, rng: Random) -> Iterator[Site]:
    """L32: a condition that is True or absent is written False."""
    for type_ in some(rng, ONLY_TRUE, 2):
        old = both(view.old_status, type_)
        if any(c["status"] != "True" for c in old):
            continue
        if both(view.status, type_):
            yield Site(f"turned-{type_}", _turned(type_, "False"))
        elif "conditions" in view.status and not old:
            yield Site(f"added-{type_}", _added(type_))


def _turned(type_: str, word: str) -> Any:
    def plant(view: View) -> Planted:
        for c in both(view.status, type_):
            c["status"] = word
        return Planted(f"{type_} -> {word}", paths(type_))

    return plant


def _added(type_: str) -> Any:
    def plant(view: View) -> Planted:
        names = [type_, PREFIX + type_] if type_ in MIRRORED else [type_]
        for name in names:
            new = {"type": name, "status": "False", "reason": ONLY_TRUE[type_], "message": "none"}
            new["lastTransitionTime"] = "2026-11-29T16:00:00Z"
            view.status["conditions"].append({**new, "observedGeneration": view.generation})
        return Planted(f"{type_} added as False", paths(type_))

    return plant


def outside_words(view: View, rng: Random) -> Iterator[Site]:
    """L33: Ready.status Unknown, Ready.reason outside the eight; other known types Unknown (I39)."""
    old, new = both(view.old_status, "Ready"), both(view.status, "Ready")
    if new and all(c["reason"] in READY_REASONS and c["status"] != "Unknown" for c in old):
        yield Site("status", _turned("Ready", "Unknown"))
        yield Site("reason", _reason(rng.choice(OTHER_READY_REASONS)))
    for type_ in some(rng, KNOWN[1:], 1):
        if both(view.status, type_) and all(
            c["status"] != "Unknown" for c in both(view.old_status, type_)
        ):
            yield Site("other-type", _turned(type_, "Unknown"))


def _reason(word: str) -> Any:
    def plant(view: View) -> Planted:
        for c in both(view.status, "Ready"):
            c["reason"] = word
        return Planted(f"Ready.reason -> {word!r}", paths("Ready"))

    return plant


def ahead_of_generation(view: View, rng: Random) -> Iterator[Site]:
    """L34: a condition that has seen a generation which does not exist yet."""
    limit = view.generation
    new = limit + rng.choice((1, 2, 37))
    for type_ in ("Ready", TRANSITION, rng.choice(KNOWN[1:])):
        now = [c for c in both(view.status, type_) if c["type"] in {type_, PREFIX + type_}]
        before = both(view.old_status, type_)
        if now and all(c.get("observedGeneration", 0) <= limit for c in before):
            yield Site(type_.removeprefix(PREFIX), _seen(type_, new))


def _seen(type_: str, value: int) -> Any:
    def plant(view: View) -> Planted:
        for c in both(view.status, type_):
            c["observedGeneration"] = value
        what = f"{type_}.observedGeneration -> {value}, generation {view.generation}"
        return Planted(what, paths(type_))

    return plant


KINDS: Final = (
    Kind(30, (Scope.STATUS,), converged_too_early),
    Kind(31, (Scope.STATUS,), twin_left_behind),
    Kind(32, (Scope.STATUS,), false_for_removed),
    Kind(33, (Scope.STATUS,), outside_words),
    Kind(34, (Scope.STATUS,), ahead_of_generation),
)
