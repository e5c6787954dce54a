"""Kinds 11 to 25 of list M: steps of packages in a Node annotation that look wrong and are real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.corpus.differences import NODE_STATE
from tests.planted.node_edges import below_all, fresh, new_entry, siblings, step, steps
from tests.planted.variant import Expect, Kind, Planted, Site, Writer
from tests.planted.view import (
    ABSENT,
    Scope,
    View,
    annotation,
    pair,
    set_pair,
    some,
    version_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

RECORDED: Final = (Writer.RECORDED,)
PERSON: Final = (Writer.PERSON,)


def as_recorded(form: str = "recorded") -> Site:
    """The review as it is."""
    return Site(form, lambda view: Planted(f"as written by {view.user}", ()), RECORDED)


def edges(*pairs: tuple[str, str]) -> Callable[[View, Random], Iterator[Site]]:
    """The edges as recorded, and planted wherever the old pair stands."""

    def sites(view: View, rng: Random) -> Iterator[Site]:
        for skyhook, key, old in steps(view, rng):
            new = pair(view.packages(skyhook)[key])
            for start, end in pairs:
                if (old, new) == (start, end):
                    yield as_recorded(f"recorded-{start}-{end}")
                elif old == start and view.by_operator:
                    yield Site(f"{start}-{end}", step(skyhook, key, old, end))
        if view.by_operator:
            yield from _new_keys(view, rng, [end for start, end in pairs if start == ABSENT])

    return sites


def _new_keys(view: View, rng: Random, words: list[str]) -> Iterator[Site]:
    for skyhook in view.skyhooks[:1]:
        packages = view.packages(skyhook) | view.packages(skyhook, old=True)
        for word in words:
            yield Site(f"added-{word}", step(skyhook, fresh(packages, rng), ABSENT, word))


def vanishing(view: View, rng: Random) -> Iterator[Site]:
    """M19: apply/in_progress vanishes, or turns to what an uninstall pod reports."""
    yield from edges(
        ("apply/in_progress", "uninstall/erroring"),
        ("apply/in_progress", "uninstall-interrupt/in_progress"),
    )(view, rng)
    for skyhook in view.skyhooks[:2]:
        for key, entry in view.packages(skyhook, old=True).items():
            if pair(entry) != "apply/in_progress":
                continue
            if key not in view.packages(skyhook):
                yield as_recorded("recorded-absent")
            elif view.by_operator:
                yield Site("absent", _dropped(skyhook, key))


def _dropped(skyhook: str, *keys: str) -> Any:
    where = tuple(annotation(NODE_STATE + skyhook, key) for key in keys)

    def plant(view: View) -> Planted:
        packages = {k: e for k, e in view.packages(skyhook).items() if k not in keys}
        view.put(skyhook, packages)
        return Planted(f"{skyhook} {keys} gone", (), where)

    return plant


def lower_beside(view: View, skyhook: str, key: str) -> bool:
    """Whether a lower version of the package is in the map, before and after."""
    mine = version_numbers(key)
    lower = [
        s for s in siblings(view.packages(skyhook), key) if s in view.packages(skyhook, old=True)
    ]
    return mine is not None and any(
        other is not None and other < mine for other in map(version_numbers, lower)
    )


def upgrade_again(view: View, rng: Random) -> Iterator[Site]:
    """M21: upgrade/in_progress over an entry that was done, a lower version beside it."""
    word = "upgrade/in_progress"
    for skyhook, key, old in steps(view, rng):
        if lower_beside(view, skyhook, key) and old not in {ABSENT, word, "upgrade/complete"}:
            if pair(view.packages(skyhook)[key]) == word:
                yield as_recorded()
            elif view.by_operator and not old.startswith("uninstall"):
                yield Site(f"from-{old}", step(skyhook, key, old, word))


def side_by_side(view: View, rng: Random) -> Iterator[Site]:
    """M22: two versions of a package in one map."""
    for skyhook in view.skyhooks[:1]:
        new = view.packages(skyhook)
        if any(siblings(new, key) for key in new):
            yield as_recorded()
        packages = new | view.packages(skyhook, old=True)
        below = below_all(packages, rng) if packages else None
        if below and view.by_operator:
            yield Site("downgrade", step(skyhook, below, ABSENT, "apply/in_progress"))


def old_version_dropped(view: View, rng: Random) -> Iterator[Site]:
    """M23: a version vanishes in the write in which its sibling turns upgrade/complete."""
    for skyhook, key, old in steps(view, rng):
        before = siblings(view.packages(skyhook, old=True), key)
        now = pair(view.packages(skyhook)[key])
        if now == "upgrade/complete" != old and set(before) - set(view.packages(skyhook)):
            yield as_recorded()
        elif before and old in {"upgrade/in_progress", "upgrade/erroring"} and view.by_operator:
            word = "upgrade/complete"
            yield Site("dropped", step(skyhook, key, old, word, drop=before))


def other_version(view: View, rng: Random) -> Iterator[Site]:
    """M24: a new key whose entry holds the old version, at interrupt/complete (J.1)."""
    for skyhook, key, _ in steps(view, rng):
        if not view.by_operator:
            return
        name, _, version = key.partition("|")
        new = f"{name}|99.{rng.randrange(99)}.0"
        where = annotation(NODE_STATE + skyhook, new)
        yield Site("re-keyed", _re_keyed(skyhook, key, new, version, where))


def _re_keyed(skyhook: str, key: str, new: str, version: str, where: tuple[str, ...]) -> Any:
    def plant(view: View) -> Planted:
        packages = view.packages(skyhook)
        packages[new] = {**new_entry(new, "interrupt/complete"), "version": version}
        view.put(skyhook, packages)
        return Planted(f"{skyhook} {key} re-keyed to {new}", (), (where,))

    return plant


def restarts(view: View, rng: Random) -> Iterator[Site]:
    """M25: restarts kept by a rerun, lower after a success, lower while it still fails."""
    for skyhook, key, old in steps(view, rng):
        before = view.packages(skyhook, old=True).get(key) or {}
        count, now = before.get("restarts", 0), view.packages(skyhook)[key]
        if count > now.get("restarts", 0):
            yield as_recorded("recorded-lower")
        stage, _, state = old.partition("/")
        if count < 1 or not view.by_operator:
            continue
        again = rng.choice(("apply", "config", "interrupt", "post-interrupt"))
        yield Site("rerun", _restarted(skyhook, key, f"{again}/in_progress", count), PERSON)
        if state == "erroring":
            yield Site("still-failing", _restarted(skyhook, key, old, count - 1))
            if stage != "uninstall":
                yield Site("ok-at-last", _restarted(skyhook, key, f"{stage}/complete", 1))
            if stage != "post-interrupt":
                yield Site("new-pod", _restarted(skyhook, key, f"{stage}/in_progress", 0))


def _restarted(skyhook: str, key: str, word: str, count: int) -> Any:
    where = annotation(NODE_STATE + skyhook, key)

    def plant(view: View) -> Planted:
        packages = view.packages(skyhook)
        packages[key] = dict(view.packages(skyhook, old=True)[key])
        set_pair(packages[key], word)
        packages[key]["restarts"] = count
        view.put(skyhook, packages)
        return Planted(f"{skyhook} {key} -> {word}, restarts {count}", (), (where,))

    return plant


def empty_or_gone(view: View, rng: Random) -> Iterator[Site]:
    """M26: the annotation is `{}`, or gone while the status says complete."""
    for skyhook in some(rng, view.skyhooks, 1):
        if view.by_operator and view.packages(skyhook):
            yield Site("empty", _dropped(skyhook, *view.packages(skyhook)))
            if view.annotations.get(f"skyhook.nvidia.com/status_{skyhook}") == "complete":
                yield Site("gone", _gone(skyhook))


def _gone(skyhook: str) -> Any:
    def plant(view: View) -> Planted:
        del view.annotations[NODE_STATE + skyhook]
        return Planted(f"nodeState_{skyhook} gone", (), (annotation(NODE_STATE + skyhook),))

    return plant


def legal(number: int, sites: Any) -> Kind:
    """A kind on Nodes that is allowed whoever writes it."""
    return Kind(number, (Scope.NODE,), sites, Expect.ALLOW, every_writer=True)


CONFIG: Final = "config/in_progress"
KINDS: Final = (
    legal(11, edges(("post-interrupt/in_progress", "apply/in_progress"))),
    legal(12, edges(("post-interrupt/complete", "apply/in_progress"))),
    legal(13, edges(("config/complete", "interrupt/in_progress"))),
    legal(14, edges((ABSENT, CONFIG))),
    legal(
        15,
        edges(
            ("apply/in_progress", CONFIG),
            ("interrupt/skipped", CONFIG),
            ("upgrade/in_progress", CONFIG),
        ),
    ),
    legal(16, edges(("apply/complete", "config/complete"), ("apply/complete", "config/erroring"))),
    legal(17, edges((ABSENT, "apply/complete"))),
    legal(18, edges((ABSENT, "interrupt/complete"))),
    legal(19, vanishing),
    legal(20, edges(("uninstall-interrupt/complete", "apply/in_progress"))),
    legal(21, upgrade_again),
    legal(22, side_by_side),
    legal(23, old_version_dropped),
    legal(24, other_version),
    legal(25, restarts),
    legal(26, empty_or_gone),
)
