"""The one decision behind conversion and mutation: which twins a list of conditions should hold.

Upstream renames condition types: bare ``<Type>`` instead of ``<prefix>/<Type>``. Readers of either
name must see the same, whichever release of the operator writes (wrapper/skyhook_conditions.go).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.conditions import Condition, MirrorNames, same_raw, says_the_same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ENCODE: Final = msgspec.json.Encoder()
_SINCE: Final = "lastTransitionTime"
_REPEATED: Final = ("status", "reason", "message", "observedGeneration")

Right = dict[str, "Condition | None"]
"""What a type should hold; None for one that should not be there."""


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


class _Sides(msgspec.Struct, frozen=True):
    """One condition before and after a write."""

    old: Condition | None
    new: Condition | None


def right_list(
    new: list[Condition],
    old: Mapping[str, Condition] | None,
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
        The entries in their order, untouched ones as they came; ``new`` itself when it is right.
        A mirror that was made stands right behind its twin.
    """
    after = {c.type: c for c in new}
    if upkeep.strip and _insists(new, old, names):
        upkeep = replace(upkeep, strip=False)
    right: Right = {}
    for bare in dict.fromkeys([names.bare_of(c.type) for c in new]):
        if bare is not None:
            right.update(_settle(bare, after, old, names, upkeep))
    if all(after.get(kind) is condition for kind, condition in right.items()):
        return new
    return [entry for c in new for entry in _placed(c, after, right, names)]


def _settle(
    bare: str,
    after: Mapping[str, Condition],
    old: Mapping[str, Condition] | None,
    names: MirrorNames,
    upkeep: Upkeep,
) -> Right:
    """What each name of one type should hold."""
    right: Right = {}
    twin = after.get(bare)
    before = None if old is None else old.get(bare)
    for prefix in names.prefixes:
        name = names.mirror_of(bare, prefix)
        if name is None:
            continue
        upstream = prefix == names.prefixes[0] and bare in names.upstream
        sides = _Sides(before, twin)
        mirror = _Sides(None if old is None else old.get(name), after.get(name))
        if old is not None:
            twin, kept = _moved(bare, name, sides, mirror, upkeep, upstream=upstream)
        else:
            kept = _of_bare(name, sides, mirror, upkeep) if twin is not None else mirror.new
        # 0.15 and older know no other name than the prefixed one.
        if upkeep.strip and twin is not None and not (upstream and upkeep.removal_follows):
            kept = None
        right[name] = kept
    right[bare] = twin
    return right


def _moved(
    bare: str, name: str, twin: _Sides, mirror: _Sides, upkeep: Upkeep, *, upstream: bool
) -> tuple[Condition | None, Condition | None]:
    """Bare type and mirror after a write, by what the write moved."""
    if twin.new is None:
        if mirror.new is None:
            return None, None
        if upstream:  # written by 0.15, or dropped with its stale array: 0.16 removes both
            return _following(bare, mirror.new, twin), mirror.new
        return None, mirror.new if twin.old is None else None
    if not says_the_same(twin.old, twin.new):
        return twin.new, _of_bare(name, twin, mirror, upkeep)
    if mirror.new is None:
        if upstream and upkeep.removal_follows and mirror.old is not None:
            return None, None
        return twin.new, _of_bare(name, twin, mirror, upkeep)
    if says_the_same(mirror.old, mirror.new):
        return twin.new, mirror.new
    if upstream:
        return _following(bare, mirror.new, twin), mirror.new
    return twin.new, _of_bare(name, twin, mirror, upkeep)


def _insists(new: list[Condition], old: Mapping[str, Condition] | None, names: MirrorNames) -> bool:
    """Whether a write puts one of upstream's mirrors back beside a bare type that stood alone.

    Such an operator asserts them in every reconcile, and SC ReportState saves and returns as long
    as one of them is missing: to strip them would stop the rollout.
    """
    return old is not None and any(
        c.type not in old
        and c.type == f"{names.prefixes[0]}/{bare}"
        and bare in old
        and bare in names.upstream
        for c in new
        if (bare := names.bare_of(c.type)) is not None
    )


def _of_bare(name: str, twin: _Sides, mirror: _Sides, upkeep: Upkeep) -> Condition | None:
    """The mirror that a bare condition should have; a new one only where mirrors are made."""
    if twin.new is None or (mirror.new is None and not upkeep.make):
        return None
    return _following(name, twin.new, mirror)


def _following(name: str, source: Condition, own: _Sides) -> Condition:
    """The condition ``name`` that says what ``source`` says.

    What it is now stays as far as it agrees; lastTransitionTime is its own while its status is
    unchanged, else the source's.
    """
    if own.new is not None and says_the_same(own.new, source):
        return own.new
    origin = None if own.new is None else own.new.origin
    since = source
    for was in (own.new, own.old):
        if was is not None and same_raw(was.said.status, source.said.status):
            since = was
    given = source.members
    members = given if own.new is None else own.new.members
    made = {**members, "type": msgspec.Raw(_ENCODE.encode(name))}
    for key, giver in (*((key, given) for key in _REPEATED), (_SINCE, since.members)):
        if key in giver:
            made[key] = giver[key]
        else:
            made.pop(key, None)
    return Condition.of(msgspec.Raw(_ENCODE.encode(made)), origin)


def _placed(
    condition: Condition, after: Mapping[str, Condition], right: Right, names: MirrorNames
) -> Iterator[Condition]:
    """The entry as it should be; at the first name of a pair, with the twins that were made."""
    kind = condition.type
    kept = right.get(kind, condition)
    bare = names.bare_of(kind)
    made: list[Condition] = []
    if bare is not None and kind == next(n for n in _pair(bare, names) if n in after):
        missing = (right.get(n) for n in _pair(bare, names) if n not in after)
        made = [c for c in missing if c is not None]
    yield from (c for c in made if c.type == bare)
    if kept is not None:
        yield kept
    yield from (c for c in made if c.type != bare)


def _pair(bare: str, names: MirrorNames) -> Iterator[str]:
    yield bare
    yield from (f"{prefix}/{bare}" for prefix in names.prefixes)
