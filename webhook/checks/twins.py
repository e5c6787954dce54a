"""A condition and its prefixed twin in one list (wrapper/skyhook_conditions.go ...WithLegacy)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.checks.parameters import known, word, words
from webhook.core.finding import Severity
from webhook.core.view import same
from webhook.lifecycle.atoms import value_of
from webhook.lifecycle.rule import Mark, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.atoms import Predicate
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

SAID: Final = ("status", "reason", "message", "observedGeneration")
"""What a mirror repeats of its twin; lastTransitionTime is its own."""


def says_the_same(one: View | None, other: View | None) -> bool:
    """Whether two conditions agree in all that a mirror repeats."""
    if one is None or other is None:
        return one is other
    return all(same(one.child(field), other.child(field)) for field in SAID)


def twin_follows(parameters: Mapping[str, Any]) -> CheckJudge:
    """A bare type that this write changed carries its twin along, where there is one (I35).

    The reverse, the twin moves and the bare one is frozen, is what 0.15 and older write after a
    rollback. Types that upstream does not prefix only warn: their mirrors are ours.

    Parameters: ``prefix``; ``upstream``: the types that upstream mirrors itself.
    """
    known(parameters, "prefix", "upstream")
    prefix, upstream = word(parameters, "prefix"), frozenset(words(parameters, "upstream"))

    def judge(_run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        kind = trail.stars[-1]
        if new is None or "/" in kind or says_the_same(old, new):
            return
        twin = _conditions(_run, new_side=True).get(f"{prefix}/{kind}")
        if twin is None or says_the_same(new, twin):
            return
        text = f'{_apart(new, twin)} in "{prefix}/{kind}"; both must say the same'
        yield Mark(trail.field, text, None if kind in upstream else Severity.WARN)

    return judge


def _conditions(run: Run, *, new_side: bool) -> Mapping[str, View]:
    root = run.new if new_side else run.old
    there = root.at("status", "conditions") if root is not None else None
    return {} if there is None else there.types


def _apart(one: View, other: View) -> str:
    """The first field in which two conditions differ."""
    field = next(name for name in SAID if not same(one.child(name), other.child(name)))
    here, there = (show(value_of(side.child(field))) for side in (one, other))
    return f"{field} is {here}, but {there}"


def only_mirrored(prefix: str) -> Predicate:
    """Whether a condition changed only because a mirror was made, mended or dropped.

    The mutating webhook does that within anybody's write, before validation: what follows a twin
    that this write left alone is nobody's claim.
    """

    def predicate(run: Run, trail: Trail) -> bool:
        kind = trail.stars[-1]
        twin = kind.removeprefix(f"{prefix}/") if "/" in kind else f"{prefix}/{kind}"
        before, after = _conditions(run, new_side=False), _conditions(run, new_side=True)
        if twin not in after or not same(before.get(twin), after[twin]):
            return False
        mine = after.get(kind)
        return ("/" in kind) if mine is None else says_the_same(mine, after[twin])

    return predicate
