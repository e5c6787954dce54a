"""Kinds 27 to 32 and the Node half of 40 of list M: labels, cordons and statuses of Nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.corpus.differences import NODE_STATE
from tests.planted.node_edges import step
from tests.planted.node_keys import holders, set_status
from tests.planted.odd_edges import as_recorded, legal
from tests.planted.variant import Planted, Site
from tests.planted.view import (
    CORDON_KEY,
    PREFIX,
    STATUS_KEY,
    View,
    annotation,
    label,
    pair,
    some,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random


def half_removed(view: View, rng: Random) -> Iterator[Site]:
    """M27: label without annotation, or the reverse."""
    keys = {k for k in (*view.annotations, *view.labels) if k.startswith(STATUS_KEY)}
    if any((k in view.annotations) != (k in view.labels) for k in keys):
        yield as_recorded()
    for skyhook in some(rng, holders(view, STATUS_KEY), 1):
        key = STATUS_KEY + skyhook
        if view.by_operator and key in view.labels and key in view.old_labels:
            yield Site("annotation-gone", _without("annotations", key, annotation(key)))
            yield Site("label-gone", _without("labels", key, label(key)))


def _without(where: str, key: str, path: tuple[str, ...]) -> Any:
    def plant(view: View) -> Planted:
        del view.object["metadata"][where][key]
        return Planted(f"{where}[{key}] gone", (), (path,))

    return plant


def cordons(view: View, rng: Random) -> Iterator[Site]:
    """M28: a cordon without unschedulable, unschedulable without a cordon."""
    held = bool((view.object.get("spec") or {}).get("unschedulable"))
    cordoned = [k for k in view.annotations if k.startswith(CORDON_KEY)]
    if held != bool(cordoned):
        yield as_recorded(f"recorded-{'held' if held else 'cordon'}")
    if not view.by_operator:
        return
    for skyhook in some(rng, view.skyhooks, 1):
        key = CORDON_KEY + skyhook
        if not held and key not in view.old_annotations and key not in view.annotations:
            word = view.annotations.get(STATUS_KEY + skyhook)
            if word == view.old_annotations.get(STATUS_KEY + skyhook) and word != "complete":
                yield Site("cordon-alone", _cordon_alone(key))
    for key in some(rng, cordoned, 1):
        if held:
            yield Site("held-alone", _without("annotations", key, annotation(key)))


def _cordon_alone(key: str) -> Any:
    def plant(view: View) -> Planted:
        view.annotations[key] = "true"
        return Planted(f"{key} without unschedulable", (), (annotation(key),))

    return plant


def own_changes(view: View) -> set[str]:
    """Keys of ours, annotations and labels, that the recorded write changed."""
    old = view.old_annotations, view.old_labels
    new = view.annotations, view.labels
    return {
        key
        for before, after in zip(old, new, strict=True)
        for key in before.keys() | after.keys()
        if key.startswith(PREFIX) and before.get(key) != after.get(key)
    }


def through_status(view: View, rng: Random) -> Iterator[Site]:
    """M29: annotations and labels changed through nodes/status."""
    if view.subresource != "status":
        return
    if own_changes(view):
        yield as_recorded()
    for skyhook in view.skyhooks[:1]:
        for key, old, new in finishing(view, skyhook, rng):
            if view.by_operator:
                yield Site(f"{old}-{new}", step(skyhook, key, old, new))


def finishing(view: View, skyhook: str, rng: Random) -> Iterator[tuple[str, str, str]]:
    """(key, old, new) for a package whose running pod may have ended well."""
    running = [
        (key, pair(entry))
        for key, entry in view.packages(skyhook, old=True).items()
        if entry["state"] == "in_progress"
        and entry["stage"] != "uninstall"
        and key in view.packages(skyhook)
    ]
    for key, old in some(rng, running, 1):
        yield key, old, f"{old.partition('/')[0]}/complete"


def two_skyhooks(view: View, rng: Random) -> Iterator[Site]:
    """M30: one write changes the packages of two Skyhooks."""
    changed = [key for key in own_changes(view) if key.startswith(NODE_STATE)]
    if len(changed) > 1:
        yield as_recorded()
    moves = [
        (skyhook, *move) for skyhook in view.skyhooks for move in finishing(view, skyhook, rng)
    ]
    if len(moves) > 1 and view.by_operator:
        yield Site("planted", _together([step(*move) for move in moves[:2]]))


def _together(plants: list[Any]) -> Any:
    def plant(view: View) -> Planted:
        done = [one(view) for one in plants]
        touched = tuple(path for planted in done for path in planted.touched)
        return Planted("; ".join(planted.what for planted in done), (), touched)

    return plant


def words(*changes: tuple[str, str]) -> Callable[[View, Random], Iterator[Site]]:
    """Changes of the status annotation and its label."""

    def sites(view: View, rng: Random) -> Iterator[Site]:
        del rng
        for skyhook in holders(view, STATUS_KEY):
            key = STATUS_KEY + skyhook
            old, new = view.old_annotations[key], view.annotations[key]
            for start, end in changes:
                if (old, new) == (start, end):
                    yield as_recorded(f"recorded-{start}-{end}")
                elif old == start and view.by_operator and key in view.labels:
                    yield Site(f"{start}-{end}", set_status(skyhook, end))

    return sites


def old_version(view: View, rng: Random) -> Iterator[Site]:
    """M40: an operator version that is never rewritten; keys of Skyhooks that are gone."""
    keys = [k for k in view.old_annotations if k.startswith(f"{PREFIX}version_")]
    kept = [k for k in keys if view.annotations.get(k) == view.old_annotations[k]]
    for key in some(rng, kept, 1):
        if view.by_operator:
            yield Site("version-v0.8.1", _old_version(key))
    gone = [sk for sk in view.skyhooks if sk not in view.known]
    if gone and own_changes(view):
        yield as_recorded("recorded-leftovers")


def _old_version(key: str) -> Any:
    def plant(view: View) -> Planted:
        view.annotations[key] = view.old_annotations[key] = "v0.8.1"
        return Planted(f"{key} is v0.8.1 before and after", (), (annotation(key),))

    return plant


KINDS: Final = (
    legal(27, half_removed),
    legal(28, cordons),
    legal(29, through_status),
    legal(30, two_skyhooks),
    legal(31, words(("complete", "blocked"))),
    legal(32, words(("disabled", "in_progress"), ("in_progress", "disabled"))),
    legal(40, old_version),
)
