"""Profiles, compiled once to plain functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from webhook.core.release import parse_release, within
from webhook.lifecycle.monotone import compile_monotone
from webhook.lifecycle.owned import compile_owned
from webhook.lifecycle.plan import Plan
from webhook.lifecycle.relations import compile_check, compile_projection, compile_unique
from webhook.lifecycle.requires import compile_requires
from webhook.lifecycle.rule import Scope
from webhook.lifecycle.track import compile_track

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from webhook.lifecycle.atoms import Predicate
    from webhook.lifecycle.model import Guard, Match, Profile, _Rule
    from webhook.lifecycle.owned import Steps
    from webhook.lifecycle.rule import CheckFactory, SiblingTest

_R = TypeVar("_R", bound="_Rule")
_T = TypeVar("_T")


class ProfileError(ValueError):
    """A profile that cannot be used. Its text says file, place and reason, a line each."""


@dataclass(frozen=True, slots=True)
class Code:
    """The named rules in code that profiles may use.

    Attributes:
        checks: name -> factory.
        predicates: name -> condition on a whole review.
        siblings: name -> what an edge may need of the entries beside it.
    """

    checks: Mapping[str, CheckFactory]
    predicates: Mapping[str, Predicate]
    siblings: Mapping[str, SiblingTest]


@dataclass(frozen=True, slots=True)
class CompiledGuard:
    """The rules for one kind, ready to judge.

    Attributes:
        profile: where they come from.
        match: what they judge.
        plan: the rules.
        tracks: the tracks by id, for ``explain`` and for messages.
        release: of the guarded system, for which they were compiled.
        deletions: the rules about deletions.
    """

    profile: Profile
    match: Match
    plan: Plan
    tracks: Mapping[str, Steps]
    release: str
    deletions: Plan


def is_recorded(profile: Profile, release: str) -> bool:
    """Whether edges were recorded from this release; a profile without releases is certain."""
    if profile.releases is None:
        return True
    wanted = parse_release(release)
    return any(parse_release(r) == wanted for r in profile.releases.recorded)


def compile_profile(
    profile: Profile,
    code: Code,
    release: str | None = None,
    *,
    usually: bool = False,
    make_plan: type[Plan] = Plan,
) -> list[CompiledGuard]:
    """All guards of a profile for one release; ``usually``: with the rules that only usually hold.

    ``make_plan`` is for who wants to watch the rules at work. Raises ProfileError.
    """
    assumed = profile.releases.assumed if profile.releases else "0.0"
    chosen = release or assumed
    return [
        _compile_guard(profile, number, guard, code, chosen, make_plan, usually=usually)
        for number, guard in enumerate(profile.guards)
    ]


def _compile_guard(
    profile: Profile,
    number: int,
    guard: Guard,
    code: Code,
    release: str,
    make_plan: type[Plan],
    *,
    usually: bool,
) -> CompiledGuard:
    plan = make_plan(profile.profile, certain=is_recorded(profile, release))
    deletions = make_plan(profile.profile, certain=is_recorded(profile, release))
    scope = Scope(plan, profile.classes, code.checks, code.predicates, code.siblings, release)
    at = f"profile {profile.profile}: guards[{number}]"

    def each(family: str, rules: list[_R], build: Callable[[_R, Scope], _T]) -> dict[str, _T]:
        built: dict[str, _T] = {}
        for rule in rules:
            if within(release, rule.releases) and (usually or not rule.usually):
                its_plan = deletions if getattr(rule, "on", "write") == "delete" else plan
                its_plan.rule = rule.id
                its_scope = replace(scope, plan=its_plan, usually=rule.usually, hint=rule.hint)
                built[rule.id] = _built(f"{at}.{family}[{rule.id}]", rule, its_scope, build)
        return built

    tracks: dict[str, Steps] = {}
    tracks.update(each("tracks", guard.tracks, compile_track))
    each("monotone", guard.monotone, compile_monotone)
    each("requires", guard.requires, compile_requires)
    each("projections", guard.projections, compile_projection)
    each("unique", guard.unique, compile_unique)
    each("owned", guard.owned, lambda rule, its: compile_owned(rule, its, tracks))
    each("checks", guard.checks, compile_check)
    return CompiledGuard(profile, guard.match, plan.sealed(), tracks, release, deletions)


def _built(at: str, rule: _R, scope: Scope, build: Callable[[_R, Scope], _T]) -> _T:
    try:
        return build(rule, scope)
    except KeyError as error:
        raise ProfileError(f"{at}: nothing here is called {error.args[0]!r}") from None
    except ValueError as error:
        raise ProfileError(f"{at}: {error}") from None
