"""Kinds 16 to 22 of list L: nodeState entries, in the annotation and in its copy, that no
writer makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.corpus.differences import NODE_STATE
from tests.planted.node_edges import fresh, new_entry, steps
from tests.planted.variant import Kind, Planted, Site
from tests.planted.view import ABSENT, Entry, Scope, View, annotation, at, pair, some
from tests.planted.words import BAD_STAGES, BAD_STATES, STAGES, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

BOTH: Final = (Scope.NODE, Scope.STATUS)
"""The annotation and its copy in the Skyhook's status."""


def states(key: str, entry: Entry, rng: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """L16: state unknown, or a word outside the five."""
    del key
    yield f"unknown-at-{entry['stage']}", {"state": "unknown"}
    yield "word", {"state": rng.choice(BAD_STATES)}


def stages(key: str, entry: Entry, rng: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """L17: skipped at any stage but interrupt, or a stage outside the seven."""
    del key, entry
    stage = rng.choice([s for s in STAGES if s != "interrupt"])
    yield f"skipped-at-{stage}", {"stage": stage, "state": "skipped"}
    yield "word", {"stage": rng.choice(BAD_STAGES)}


def names(key: str, entry: Entry, rng: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """L18: a name that is not the key's."""
    del entry
    name = key.partition("|")[0]
    others = ("bar", "", name.upper(), f"{name} ", f"{name}-x", name[:-1], key)
    yield "other-name", {"name": rng.choice([other for other in others if other != name])}


def versions(key: str, entry: Entry, rng: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """L19: a version that is not the key's, at any pair but interrupt/complete."""
    version = key.partition("|")[2]
    others = ("0.0.1", "", f"v{version}", f"{version} ", f"{version}.0", version[:-1])
    chosen = {"version": rng.choice([other for other in others if other != version])}
    if pair(entry) != "interrupt/complete":
        yield f"at-{pair(entry)}", chosen


def restarts(key: str, entry: Entry, rng: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """L22: restarts below zero."""
    del key, entry
    yield "negative", {"restarts": rng.choice((-1, -2, -(2**31)))}


def in_entries(edits: Any) -> Callable[[View, Random], Iterator[Site]]:
    """Plant into entries of the annotation, or of the copy in a Skyhook's status."""

    def in_node(view: View, rng: Random) -> Iterator[Site]:
        for skyhook, key, old in steps(view, rng):
            for form, fields in edits(key, view.packages(skyhook)[key], rng):
                new = "new-" if old == ABSENT else ""
                yield Site(f"{new}{form}", edit_annotation(skyhook, key, fields))

    def in_copy(view: View, rng: Random) -> Iterator[Site]:
        for node, key in some(rng, view.entries, 2):
            for form, fields in edits(key, view.entry(node, key), rng):
                yield Site(f"copy-{form}", edit_copy(node, key, fields))

    def sites(view: View, rng: Random) -> Iterator[Site]:
        yield from in_node(view, rng) if view.scope is Scope.NODE else in_copy(view, rng)

    return sites


def edit_annotation(skyhook: str, key: str, fields: dict[str, Any]) -> Any:
    """Set fields of one entry of a nodeState annotation."""
    where = annotation(NODE_STATE + skyhook, key)

    def plant(view: View) -> Planted:
        packages = view.packages(skyhook)
        packages[key].update(fields)
        view.put(skyhook, packages)
        return Planted(f"{skyhook} {key} {fields}", (where,))

    return plant


def edit_copy(node: str, key: str, fields: dict[str, Any]) -> Any:
    """Set fields of one entry of status.nodeState."""

    def plant(view: View) -> Planted:
        view.entry(node, key).update(fields)
        return Planted(f"nodeState[{node}][{key}] {fields}", (at("nodeState", node, key),))

    return plant


def unreadable(view: View, rng: Random) -> Iterator[Site]:
    """L20: the annotation is no JSON map of package entries any more."""
    for skyhook in view.skyhooks[:2]:
        text = view.annotations[NODE_STATE + skyhook]
        yield Site("text", _text(skyhook, rng.choice(UNREADABLE)))
        if len(text) > 2:
            cut = text[: rng.randrange(1, len(text))]
            yield Site("cut-short", _text(skyhook, cut))
            yield Site("one-quote-less", _text(skyhook, text.replace('"', "", 1)))


def _text(skyhook: str, text: str) -> Any:
    where = annotation(NODE_STATE + skyhook)

    def plant(view: View) -> Planted:
        view.annotations[NODE_STATE + skyhook] = text
        return Planted(f"nodeState_{skyhook} -> {text[:40]!r}", (where,))

    return plant


def without_version(view: View, rng: Random) -> Iterator[Site]:
    """L21: a new key that has no version (the migration only ever takes such keys away)."""
    for skyhook in view.skyhooks[:2]:
        packages = view.packages(skyhook) | view.packages(skyhook, old=True)
        key = rng.choice(sorted(packages)) if packages else fresh(packages, rng)
        entry = packages.get(key) or new_entry(key, "apply/in_progress")
        name, _, version = key.partition("|")
        yield Site("bare-key", _bare(skyhook, name, {**entry, "version": version}))
        yield Site("no-version", _bare(skyhook, f"{name}|", {**entry, "version": ""}))
        if key in view.packages(skyhook):
            yield Site("renamed", _bare(skyhook, name, entry, drop=key))


def _bare(skyhook: str, key: str, entry: Entry, *, drop: str | None = None) -> Any:
    where = annotation(NODE_STATE + skyhook, key)

    def plant(view: View) -> Planted:
        packages = view.packages(skyhook)
        packages[key] = entry
        touched = [where]
        if drop is not None:
            packages.pop(drop, None)
            touched.append(annotation(NODE_STATE + skyhook, drop))
        view.put(skyhook, packages)
        return Planted(f"{skyhook} new key {key!r}", (where,), tuple(touched))

    return plant


KINDS: Final = (
    Kind(16, BOTH, in_entries(states)),
    Kind(17, BOTH, in_entries(stages)),
    Kind(18, BOTH, in_entries(names)),
    Kind(19, BOTH, in_entries(versions)),
    Kind(20, (Scope.NODE,), unreadable),
    Kind(21, (Scope.NODE,), without_version),
    Kind(22, BOTH, in_entries(restarts)),
)
