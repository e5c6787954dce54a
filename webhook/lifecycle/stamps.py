"""Stamps: which generation of the spec each part of a status speaks of, and whether to rely on it.

A report for a person, not a verdict: every edit of a spec makes every stamp stale for a moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from webhook.lifecycle.path import START, Lookup, StepKind, parse
from webhook.lifecycle.requires import places
from webhook.lifecycle.rule import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.model import Guard
    from webhook.lifecycle.path import Trail

GENERATION: Final = "metadata.generation"
CONVENTION: Final = ("status.observedGeneration", "status.conditions[*].observedGeneration")
"""Where Kubernetes' API conventions put stamps; looked at whether a profile says so or not."""


class Trust(StrEnum):
    """Whether one may rely on what is stamped, now."""

    FRESH = "fresh"
    STALE = "stale"
    AHEAD = "ahead"
    UNSTAMPED = "unstamped"


@dataclass(frozen=True, slots=True)
class Stamp:
    """One stamp.

    Attributes:
        field: what it stands on: a condition, or the status as a whole.
        says: what is said there, for a condition its status and reason.
        stamp: the generation it speaks of; None when there is none.
        newest: the generation of the spec as it is.
        bound: the path of that number, as the profile has it.
    """

    field: FieldPath
    says: str
    stamp: int | None
    newest: int
    bound: str = GENERATION

    @property
    def trust(self) -> Trust:
        """Whether one may rely on it."""
        if self.stamp is None:
            return Trust.UNSTAMPED
        if self.stamp == self.newest:
            return Trust.FRESH
        return Trust.STALE if self.stamp < self.newest else Trust.AHEAD

    def sentence(self) -> str:
        """The answer, as one line that stands alone."""
        what = f"{self.field}{f' says {self.says}' if self.says else ''}"
        match self.trust:
            case Trust.FRESH:
                return f"{what}: fresh, it speaks of the spec as it is ({self.bound} {self.newest})"
            case Trust.STALE:
                behind = self.newest - (self.stamp or 0)
                return (
                    f"{what}: stale, do not rely on it: it speaks of generation {self.stamp}, and"
                    f" {self.bound} is {self.newest} ({behind} behind)"
                )
            case Trust.AHEAD:
                return (
                    f"{what}: do not rely on it: stamped with generation {self.stamp}, which does"
                    f" not exist yet ({self.bound} is {self.newest}); a later edit would make it"
                    " look fresh"
                )
            case Trust.UNSTAMPED:
                return f"{what}: unstamped, nobody can tell which generation it speaks of"


def stamps(root: View, guards: Iterable[Guard] = ()) -> list[Stamp]:
    """The stamps of one object, by place: the profile's and those of the conventions."""
    wanted = dict.fromkeys((path, GENERATION) for path in CONVENTION)
    for guard in guards:
        for rule in guard.monotone:
            if rule.order == "int" and rule.bound is not None:
                wanted[rule.path, rule.bound] = None
    found: dict[FieldPath, Stamp] = {}
    for path, bound in wanted:
        for stamp in _stamps(root, path, bound):
            found.setdefault(stamp.field, stamp)
    return sorted(found.values(), key=lambda s: (len(s.field.steps), str(s.field)))


def _stamps(root: View, path: str, bound: str) -> Iterator[Stamp]:
    """What a path of stamps leads to; a condition without one counts, a status without one not."""
    *above, last = parse(path)
    limit = Lookup(bound)
    for trail in places(root, tuple(above), START):
        holder = _at(root, trail)
        newest = _number(limit(root, trail))
        if holder is None or newest is None or last.kind is not StepKind.KEY:
            continue
        stamp = holder.number(last.name)
        condition = holder.text("status") is not None and holder.text("type") is not None
        if stamp is not None or condition:
            yield Stamp(trail.field, _said(holder), stamp, newest, bound)


def _at(root: View, trail: Trail) -> View | None:
    here: View | None = root
    for step in trail.field:
        if here is None:
            return None
        here = here.types.get(step.name) if here.items is not None else here.child(step.name)
    return here


def _number(view: View | None) -> int | None:
    value = None if view is None else view.value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _said(holder: View) -> str:
    status, reason = holder.text("status"), holder.text("reason")
    if status is None or holder.text("type") is None:
        return ""
    return show(status) + (f" ({reason})" if reason else "")
