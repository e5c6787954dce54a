"""Every rule's verdict on one review: which were asked, about what, and what they said."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from webhook.catalog import Catalog, profile_code
from webhook.core.release import within
from webhook.lifecycle.compile import compile_profile
from webhook.lifecycle.plan import Plan
from webhook.lifecycle.rule import show
from webhook.reviews.policy import Mode
from webhook.reviews.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from webhook.core.finding import Finding
    from webhook.core.view import View
    from webhook.lifecycle.compile import CompiledGuard
    from webhook.lifecycle.model import Profile, _Rule
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.run import Judge, Run
    from webhook.lifecycle.swift import Clean
    from webhook.reviews.engine import Engine
    from webhook.reviews.policy import Policy
    from webhook.reviews.verdict import Verdict
    from webhook.reviews.wire import AdmissionRequest


class Standing(StrEnum):
    """What a rule comes to in one review."""

    DENIES = "denies"
    WARNS = "warns"
    AUDITS = "audits"
    HOLDS = "holds"
    SWITCHED_OFF = "off"
    NOT_ASKED = "not asked"
    NOT_IN_FORCE = "not in force"


@dataclass(frozen=True, slots=True)
class Look:
    """A place that a rule was asked about; the values as messages show them."""

    field: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """One rule and one review.

    Attributes:
        rule: id of the rule, ``<profile>.<rule>``.
        standing: what it comes to.
        looks: where it was asked.
        findings: what it said, after old defects and the policy.
        why, source: as the profile says them.
        profile: whose rule it is.
    """

    rule: str
    standing: Standing
    looks: tuple[Look, ...]
    findings: tuple[Finding, ...]
    why: str
    source: str
    profile: Profile


@dataclass(frozen=True, slots=True)
class Explained:
    """One review, rule by rule.

    Attributes:
        verdict: what the engine says, by the same function as ever.
        kinds: profiles that guard the kind in this version; empty when nobody does.
        rules: every rule of these, those with something to say first.
    """

    verdict: Verdict
    kinds: tuple[str, ...]
    rules: tuple[RuleVerdict, ...]


@dataclass(slots=True)
class _Seen:
    looks: dict[str, list[Look]] = field(default_factory=dict)

    def note(self, rule: str, old: View | None, new: View | None, trail: Trail) -> None:
        place = str(trail.field)
        whole = not place
        was, now = ("", "") if whole else (_text(old), _text(new))
        self.looks.setdefault(rule, []).append(Look(place or "the object", was, now))


class _WatchedPlan(Plan):
    """A plan whose rules say when they are asked."""

    def __init__(self, name: str, *, certain: bool = True) -> None:
        super().__init__(name, certain=certain)
        self.seen = _Seen()

    def add(self, path: str, judge: Judge, clean: Clean | None = None) -> None:
        """As ever, with a note of each question about this very write; none is answered in short."""
        del clean
        rule, seen = self.rule, self.seen

        def watched(
            run: Run, old: View | None, new: View | None, trail: Trail
        ) -> Iterable[Finding]:
            if run.old is not run.new:  # the same on both sides: a question about old defects
                seen.note(rule, old, new, trail)
            return judge(run, old, new, trail)

        super().add(path, watched)


def explain_request(
    request: AdmissionRequest, engine: Engine, releases: Mapping[str, str]
) -> Explained:
    """What every rule says of a request, under the engine's policy and clock."""
    profiles = engine.catalog.profiles
    guards: dict[tuple[str, str], tuple[CompiledGuard, ...]] = {}
    for profile in profiles:
        release = releases.get(profile.profile)
        for guard in compile_profile(
            profile, profile_code(profile), release, make_plan=_WatchedPlan
        ):
            key = (guard.match.group, guard.match.kind)
            guards[key] = (*guards.get(key, ()), guard)
    now = engine.clock() if engine.clock is not None else None
    catalog = Catalog(profiles, guards)
    verdict = judge(request, catalog, engine.policy, now=now, evidence=engine.evidence)
    aloud = judge(request, catalog, _audible(engine.policy), now=now, evidence=engine.evidence)
    kind = request.kind
    asked = [
        guard
        for guard in guards.get((kind.group, kind.kind), ())
        if not kind.version or kind.version in guard.match.versions
    ]
    told = [rule for guard in asked for rule in _rules(guard, verdict, aloud, releases)]
    order = list(Standing)
    told.sort(key=lambda one: order.index(one.standing))
    return Explained(verdict, tuple(g.profile.profile for g in asked), tuple(told))


def _audible(policy: Policy) -> Policy:
    """The policy under which what is switched off is heard, and does nothing."""

    def heard(mode: Mode) -> Mode:
        return Mode.AUDIT if mode is Mode.OFF else mode

    overrides = tuple(replace(one, mode=heard(one.mode)) for one in policy.overrides)
    return replace(policy, mode=heard(policy.mode), overrides=overrides)


def _rules(
    guard: CompiledGuard, verdict: Verdict, aloud: Verdict, releases: Mapping[str, str]
) -> Iterator[RuleVerdict]:
    profile, plan = guard.profile, guard.plan
    looks = plan.seen.looks if isinstance(plan, _WatchedPlan) else {}
    rules: Iterable[_Rule] = next(g for g in profile.guards if g.match is guard.match).rules()
    release = _release(profile, releases)
    for rule in rules:
        name = f"{profile.profile}.{rule.id}"
        found = [f for f in aloud.findings if f.rule == name or f.rule.startswith(f"{name}.")]
        places = tuple(dict.fromkeys(looks.get(rule.id, ())))
        if not within(release, rule.releases) or rule.usually:
            standing = Standing.NOT_IN_FORCE
        else:
            standing = _standing(verdict, found, asked=bool(places))
        yield RuleVerdict(
            name, standing, places, tuple(found), rule.why or "", rule.source or "", profile
        )


def _release(profile: Profile, releases: Mapping[str, str]) -> str:
    assumed = profile.releases.assumed if profile.releases else "0.0"
    return releases.get(profile.profile, assumed)


def _standing(verdict: Verdict, found: list[Finding], *, asked: bool) -> Standing:
    for standing, group in (
        (Standing.DENIES, verdict.denied),
        (Standing.WARNS, verdict.warned),
        (Standing.AUDITS, verdict.audited),
    ):
        if any(finding in group for finding in found):
            return standing
    if found:
        return Standing.SWITCHED_OFF
    return Standing.HOLDS if asked else Standing.NOT_ASKED


def _text(value: View | None) -> str:
    return "absent" if value is None else show(value.value)
