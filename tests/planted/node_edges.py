"""Kinds 9 to 12, 14 and 15 of list L, and what B.7 forbids the operator alone (41, 42):
steps of a package in a Node annotation that nobody takes.

Every edge is planted over a map that was there and readable, before and after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.corpus.differences import NODE_STATE
from tests.planted.variant import Kind, Planted, Site, Writer
from tests.planted.view import ABSENT, Entry, Scope, View, annotation, pair, set_pair, some

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

IMAGE: Final = "ghcr.io/nvidia/skyhook/agentless"
NEW_NAMES: Final = ("zeta", "foo", "nvidia-tuned", "q9z")
SKYHOOKS_A_REVIEW: Final = 2
PACKAGES_A_SKYHOOK: Final = 2


def fresh(packages: dict[str, Entry], rng: Random, *, known: bool = False) -> str:
    """A key that a map does not hold: a new package, or a higher version of one it holds."""
    names = {key.partition("|")[0] for key in packages}
    if known and names:
        return f"{rng.choice(sorted(names))}|99.{rng.randrange(99)}.0"
    name = rng.choice([name for name in NEW_NAMES if name not in names])
    return f"{name}|{rng.randrange(1, 9)}.0.{rng.randrange(9)}"


def new_entry(key: str, word: str) -> Entry:
    """A package entry as the operator writes it."""
    name, _, version = key.partition("|")
    stage, _, state = word.partition("/")
    return {"name": name, "version": version, "image": IMAGE, "stage": stage, "state": state}


def step(skyhook: str, key: str, old: str, word: str, *, drop: tuple[str, ...] = ()) -> Any:
    """Plant one edge, and drop sibling keys with it."""
    where = annotation(NODE_STATE + skyhook, key)

    def plant(view: View) -> Planted:
        packages = view.packages(skyhook)
        if key in packages:
            set_pair(packages[key], word)
            packages[key].pop("restarts", None)
        else:
            packages[key] = new_entry(key, word)
        for sibling in drop:
            packages.pop(sibling, None)
        view.put(skyhook, packages)
        touched = (where, *(annotation(NODE_STATE + skyhook, sibling) for sibling in drop))
        return Planted(f"{skyhook} {key} {old} -> {word}", (where,), touched)

    return plant


def steps(view: View, rng: Random) -> Iterator[tuple[str, str, str]]:
    """(skyhook, key, old pair) for a few packages that the new annotation holds.

    A map that was `{}` is left out: only `added` plants over one, under a form of its own.
    """
    for skyhook in view.skyhooks[:SKYHOOKS_A_REVIEW]:
        old, new = view.packages(skyhook, old=True), view.packages(skyhook)
        if not old:
            continue
        moved = [key for key in new if pair(old.get(key)) != pair(new[key])][:1]
        for key in dict.fromkeys([*moved, *some(rng, new, PACKAGES_A_SKYHOOK)]):
            yield skyhook, key, pair(old.get(key))


def added(view: View, rng: Random, word: str) -> Iterator[Site]:
    """One key more than the map had: a new package, or another version of one."""
    for skyhook in view.skyhooks[:1]:
        packages = view.packages(skyhook) | view.packages(skyhook, old=True)
        form = rng.choice(("added", "added-version"))
        if not view.packages(skyhook, old=True):
            form = "added-to-empty"
        key = fresh(packages, rng, known=form == "added-version")
        yield Site(form, step(skyhook, key, ABSENT, word))


def only_from(word: str, *olds: str) -> Callable[[View, Random], Iterator[Site]]:
    """Edges to `word` from any pair but `olds` and itself; from an absent key too."""

    def sites(view: View, rng: Random) -> Iterator[Site]:
        for skyhook, key, old in steps(view, rng):
            if old not in {*olds, word}:
                yield Site(f"from-{old}", step(skyhook, key, old, word))
        yield from added(view, rng, word)

    return sites


def never_added(word: str) -> Callable[[View, Random], Iterator[Site]]:
    """A key that appears with `word`."""

    def sites(view: View, rng: Random) -> Iterator[Site]:
        for skyhook, key, old in steps(view, rng):
            if old == ABSENT:
                yield Site("recorded-entry", step(skyhook, key, old, word))
        yield from added(view, rng, word)

    return sites


def uninstall_too_early(view: View, rng: Random) -> Iterator[Site]:
    """L12: uninstall/in_progress from a pair that is not complete, or as a new key."""
    word = "uninstall/in_progress"
    for skyhook, key, old in steps(view, rng):
        if old == ABSENT:
            yield Site("recorded-entry", step(skyhook, key, old, word))
        elif not old.startswith("uninstall") and not old.endswith("/complete"):
            yield Site(f"from-{old}", step(skyhook, key, old, word))
    yield from added(view, rng, word)


def upgrade_from_nothing(view: View, rng: Random) -> Iterator[Site]:
    """L14: a new key at upgrade/in_progress without a lower version beside it."""
    for skyhook, key, old in steps(view, rng):
        if old == ABSENT:
            others = siblings(view.packages(skyhook), key)
            form = "lower-dropped" if others else "recorded-entry"
            yield Site(form, step(skyhook, key, old, "upgrade/in_progress", drop=others))
    for skyhook in view.skyhooks[:1]:
        packages = view.packages(skyhook) | view.packages(skyhook, old=True)
        if packages:
            key = fresh(packages, rng)
            yield Site("added", step(skyhook, key, ABSENT, "upgrade/in_progress"))
            below = below_all(packages, rng)
            if below:
                yield Site("added-below", step(skyhook, below, ABSENT, "upgrade/in_progress"))


def below_all(packages: dict[str, Entry], rng: Random) -> str | None:
    """A key of a known package with a version below all that the map holds of it."""
    name = rng.choice(sorted({key.partition("|")[0] for key in packages}))
    majors = [version_of(key) for key in packages if key.partition("|")[0] == name]
    if any(major is None or major < 1 for major in majors):
        return None
    return f"{name}|0.0.{rng.randrange(1, 9)}"


def version_of(key: str) -> int | None:
    """The major version in a key, None where it is no number."""
    major = key.partition("|")[2].removeprefix("v").partition(".")[0]
    return int(major) if major.isdecimal() else None


def siblings(packages: dict[str, Entry], key: str) -> tuple[str, ...]:
    """Other versions of the same package."""
    name = key.partition("|")[0]
    return tuple(k for k in packages if k != key and k.partition("|")[0] == name)


def upgrade_again(view: View, rng: Random) -> Iterator[Site]:
    """L15: an entry that was not upgrading goes to upgrade/in_progress, no lower version left."""
    for skyhook, key, old in steps(view, rng):
        if old == ABSENT or old.startswith("upgrade/"):
            continue
        others = siblings(view.packages(skyhook), key)
        form = f"lower-dropped-{old}" if others else f"from-{old}"
        yield Site(form, step(skyhook, key, old, "upgrade/in_progress", drop=others))


def operator_jump(word: str, *olds: str) -> Callable[[View, Random], Iterator[Site]]:
    """An edge that only the CLI takes, over an existing entry."""

    def sites(view: View, rng: Random) -> Iterator[Site]:
        for skyhook, key, old in steps(view, rng):
            if old not in {*olds, word, ABSENT}:
                yield Site(f"from-{old}", step(skyhook, key, old, word))

    return sites


KINDS: Final = (
    Kind(9, (Scope.NODE,), only_from("interrupt/skipped", "config/complete")),
    Kind(10, (Scope.NODE,), never_added("post-interrupt/in_progress")),
    Kind(11, (Scope.NODE,), never_added("interrupt/in_progress")),
    Kind(12, (Scope.NODE,), uninstall_too_early),
    Kind(14, (Scope.NODE,), upgrade_from_nothing),
    Kind(15, (Scope.NODE,), upgrade_again),
)
OPERATOR_ONLY: Final = (
    Kind(
        41,
        (Scope.NODE,),
        operator_jump("interrupt/in_progress", "config/complete", "interrupt/erroring"),
        writers=(Writer.OPERATOR,),
    ),
    Kind(
        42,
        (Scope.NODE,),
        operator_jump("post-interrupt/in_progress", "interrupt/complete"),
        writers=(Writer.OPERATOR,),
    ),
)
