"""The one decision behind conversion and mutation: which twins a list of conditions should hold.

Upstream renames condition types: bare ``<Type>`` instead of ``<prefix>/<Type>``. Readers of either
name must see the same, whichever release of the operator writes (wrapper/skyhook_conditions.go).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.conditions import SAID, Condition, MirrorNames, says_the_same
from webhook.core.view import View, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ENCODE: Final = msgspec.json.Encoder()
_SINCE: Final = "lastTransitionTime"


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What is done to twins.

    Attributes:
        make: a bare type without mirror gets one (the window is open).
        strip: a mirror whose bare twin is there goes.
        removal_follows: the operator writes prefixed types only (0.15 and older), so a prefixed
            one that it removes takes the bare one along.
    """

    make: bool
    strip: bool = False
    removal_follows: bool = False


@dataclass(frozen=True, slots=True)
class _Sides:
    """One condition before and after a write."""

    old: View | None
    new: View | None

    @property
    def moved(self) -> bool:
        return not says_the_same(self.old, self.new)


def right_list(
    new: Sequence[Condition],
    old: Mapping[str, View] | None,
    names: MirrorNames,
    upkeep: Upkeep,
) -> list[Condition]:
    """The list as it should be.

    Args:
        new: the conditions of the object, as read; types are distinct.
        old: the conditions before this write by type; None where nothing was written
            (conversion): then the bare one is right, and a prefixed one without it stays.
        names: which types have twins.
        upkeep: what is done to them.

    Returns:
        The entries in their order; one that was not touched is the same object. A mirror that
        was made stands right behind its twin.
    """
    after = {c.type: c.view for c in new}
    bares = dict.fromkeys(b for c in new if (b := names.bare_of(c.type)) is not None)
    right: dict[str, View | None] = {}
    for bare in bares:
        right.update(_settle(bare, after, old, names, upkeep))
    return [entry for condition in new for entry in _placed(condition, after, right, names)]


def _settle(
    bare: str,
    after: Mapping[str, View],
    old: Mapping[str, View] | None,
    names: MirrorNames,
    upkeep: Upkeep,
) -> dict[str, View | None]:
    """What each name of one type should hold; None for a name that should not be there."""
    before = old or {}
    right: dict[str, View | None] = {}
    twin = after.get(bare)
    for prefix in names.prefixes:
        name = names.mirror_of(bare, prefix)
        if name is None:
            continue
        upstream = prefix == names.prefixes[0] and bare in names.upstream
        sides = _Sides(before.get(bare), twin), _Sides(before.get(name), after.get(name))
        if old is None:
            mirror = _of_bare(name, *sides, upkeep) if twin is not None else sides[1].new
        else:
            twin, mirror = _moved(bare, name, *sides, upkeep, upstream=upstream)
        gone = upkeep.strip and twin is not None and not _stays(*sides, upkeep, upstream=upstream)
        right[name] = None if gone else mirror
    right[bare] = twin
    return right


def _moved(
    bare: str, name: str, twin: _Sides, mirror: _Sides, upkeep: Upkeep, *, upstream: bool
) -> tuple[View | None, View | None]:
    """Bare type and mirror after a write, by what the write moved."""
    if twin.new is None:
        if mirror.new is None:
            return None, None
        if upstream:  # written by 0.15, or dropped with its stale array: 0.16 removes both
            return _following(bare, mirror.new, twin), mirror.new
        return None, mirror.new if twin.old is None else None
    if twin.moved:
        return twin.new, _of_bare(name, twin, mirror, upkeep)
    if mirror.new is None:
        if upstream and upkeep.removal_follows and mirror.old is not None:
            return None, None
        return twin.new, _of_bare(name, twin, mirror, upkeep)
    if not mirror.moved:
        return twin.new, mirror.new
    if upstream:
        return _following(bare, mirror.new, twin), mirror.new
    return twin.new, _of_bare(name, twin, mirror, upkeep)


def _stays(twin: _Sides, mirror: _Sides, upkeep: Upkeep, *, upstream: bool) -> bool:
    """Whether stripping a mirror would start a fight with the operator that writes it.

    0.15 and older know no other name. And who puts a mirror back beside a bare type that stood
    here alone asserts it in every reconcile: SC ReportState would save and return for ever.
    """
    if upstream and upkeep.removal_follows:
        return True
    return twin.old is not None and mirror.old is None and mirror.new is not None


def _of_bare(name: str, twin: _Sides, mirror: _Sides, upkeep: Upkeep) -> View | None:
    """The mirror that a bare condition should have; a new one only where mirrors are made."""
    if twin.new is None or (mirror.new is None and not upkeep.make):
        return None
    return _following(name, twin.new, mirror)


def _following(name: str, source: View, own: _Sides) -> View:
    """The condition ``name`` that says what ``source`` says.

    What it is now stays as far as it agrees; lastTransitionTime is its own while its status is
    unchanged, else the source's.
    """
    for was in (own.new, own.old):
        if was is not None and says_the_same(was, source):
            return was
    members = dict(source.members if own.new is None else own.new.members)
    members["type"] = msgspec.Raw(_ENCODE.encode(name))
    since = source
    for was in (own.new, own.old):
        if was is not None and same(was.child("status"), source.child("status")):
            since = was
    for key, giver in (*((key, source) for key in SAID), (_SINCE, since)):
        value = giver.members.get(key)
        if value is None:
            members.pop(key, None)
        else:
            members[key] = value
    return View(msgspec.Raw(_ENCODE.encode(members)))


def _placed(
    condition: Condition,
    after: Mapping[str, View],
    right: Mapping[str, View | None],
    names: MirrorNames,
) -> Iterator[Condition]:
    """The entry itself as it should be, with the twins that were made at its side."""
    kind = condition.type
    view = right.get(kind, condition.view)
    kept = condition if view is condition.view else None
    if view is not None and kept is None:
        kept = Condition(kind, view, condition.origin)
    bare = names.bare_of(kind)
    made = [] if bare is None else _made(bare, after, right, names)
    first = next((name for name in _names(bare, names) if name in after), None)
    if kind != first:
        made = []
    yield from (c for c in made if c.type == bare)
    if kept is not None:
        yield kept
    yield from (c for c in made if c.type != bare)


def _names(bare: str | None, names: MirrorNames) -> Iterator[str]:
    if bare is not None:
        yield bare
        yield from (f"{prefix}/{bare}" for prefix in names.prefixes)


def _made(
    bare: str, after: Mapping[str, View], right: Mapping[str, View | None], names: MirrorNames
) -> list[Condition]:
    return [
        Condition(name, view)
        for name in _names(bare, names)
        if name not in after and (view := right.get(name)) is not None
    ]
