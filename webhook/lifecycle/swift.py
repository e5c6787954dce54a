"""Checks with a short answer: from the decoded value alone, that there is nothing to say.

Most of what is new is in order. Where every check at and below a place that was not there before has a
short answer, and all of them are yes, the place is done; otherwise it is walked as always, and the walk
alone makes findings. A short answer may be no where the check has nothing to say, but never yes where it
has something.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.core.view import NULL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.plan import Branch
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run

Clean = Callable[["Run", Any, str], bool]
"""(run, value, its key) -> whether it is certain that nothing is to be said.

The value is decoded JSON of any type but null; the place was empty before.
"""

_BARE: Final = (msgspec.Raw(b"{}"), msgspec.Raw(b"[]"))


@dataclass(frozen=True, slots=True)
class Swift:
    """A check as any other, with a short answer.

    Attributes:
        judge: the check.
        clean: its short answer.
    """

    judge: CheckJudge
    clean: Clean

    def __call__(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterable[Mark]:
        """As any check."""
        return self.judge(run, old, new, trail)


def always(_run: Run, _new: Any, _key: str) -> bool:
    """The short answer of a check about what changes or goes: nothing was, so nothing did."""
    return True


def on_creation(run: Run, _new: Any, _key: str) -> bool:
    """The short answer of a rule about a step: where the whole object is new, there is none."""
    return run.old is None


def once(clean: Callable[[Run], bool]) -> Clean:
    """The short answer of a check that reads the whole object: asked at several places, answered once."""

    def answer(run: Run, _new: Any, _key: str) -> bool:
        if answer not in run.memo:
            run.memo[answer] = clean(run)
        return run.memo[answer] is True

    return answer


@dataclass(frozen=True, slots=True)
class Glance:
    """The short answer of all rules at and below a place.

    Attributes:
        clean: that of the rules which have one.
        parts: the members that are asked, where nothing is asked of the whole: the others, which may
            be large (managedFields), are not decoded then.
        hollow: members below which some rule has none, and whether they may be there without content;
            they are looked at before anything is decoded, too.
    """

    clean: Clean
    parts: tuple[tuple[str, Clean], ...] = ()
    hollow: tuple[tuple[str, bool], ...] = ()

    def __call__(self, run: Run, new: View, key: str) -> bool:
        """Whether it is certain that nothing is to be said of this value."""
        if not self.parts and not self.hollow:
            return self.clean(run, new.value, key)
        members = new.fields
        if members is None:
            return False
        for name, bare in self.hollow:
            there = members.get(name)
            if there is not None and there != NULL and not (bare and _is_bare(there)):
                return False
        if not self.parts:
            return self.clean(run, new.value, key)
        for name, ask in self.parts:
            part = new.child(name) if name in members else None
            if part is not None and not ask(run, part.value, name):
                return False
        return True


def _is_bare(part: Any) -> bool:
    return part in _BARE or (type(part) is dict and not part)


def glance(branch: Branch) -> Glance | None:
    """The short answer at and below a place; None where there is none. Those below have theirs already."""
    own = [clean for clean in branch.cleans if clean is not None]
    lists = branch.types or branch.wild_types or branch.inside is not None
    if lists or len(own) < len(branch.judges):
        return None
    whole = {key: _whole(twig) for key, (_, twig) in branch.keys.items()}
    stars = [_whole(twig) for step, twig in branch.wild.values() if step.star]
    each = [ask for ask in stars if ask is not None]
    if len(each) < len(branch.wild):
        return None
    asked = [clean for clean in own if clean is not always]
    keys = [(key, ask) for key, ask in whole.items() if ask is not None]
    bare = {key: not twig.judges for key, (_, twig) in branch.keys.items()}
    hollow = tuple((key, bare[key]) for key, ask in whole.items() if ask is None)
    if not branch.keys and not branch.wild:
        return Glance(_all(asked))
    parts = () if asked or each else tuple(keys)
    return Glance(_composed(asked, keys, each), parts, hollow)


def _whole(branch: Branch) -> Clean | None:
    """The answer of a branch, where it is one for every value."""
    there = branch.glance
    return there.clean if there is not None and not there.hollow else None


def _all(own: list[Clean]) -> Clean:
    def clean(run: Run, new: Any, key: str) -> bool:
        for ask in own:  # noqa: SIM110 (a generator costs more than most answers)
            if not ask(run, new, key):
                return False
        return True

    return own[0] if len(own) == 1 else clean


def _composed(own: list[Clean], keys: list[tuple[str, Clean]], stars: list[Clean]) -> Clean:
    """Of an object; what is none is left to the walk."""

    def clean(run: Run, new: Any, key: str) -> bool:
        if type(new) is not dict:
            return False
        for ask in own:
            if not ask(run, new, key):
                return False
        for name, ask in keys:
            value = new.get(name)
            if value is not None and not ask(run, value, name):
                return False
        for ask in stars:
            for name, value in new.items():
                if value is not None and not ask(run, value, name):
                    return False
        return True

    return clean
