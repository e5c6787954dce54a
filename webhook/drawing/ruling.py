"""One rule, told as text: where it stands, why, where it comes from, and what it does to real writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.drawing.wording import changes, place, source_of
from webhook.reviews.answer import text_of, warning_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.core.finding import Finding
    from webhook.lifecycle.model import Guard, Profile, _Rule
    from webhook.reviews.rulebook import Told

MOST_CHANGES: Final = 8
_SHAPE: Final = (
    "severity: deny",
    "why: what is no map or no list where one must be cannot be judged; the API server refuses it before us",
    "* status.nodeStatus: status.nodeStatus must be an object",
)
_BY: Final = {
    "": "",
    "operator": " by the operator",
    "person": " by a person",
    "service-account": " by another service account",
}


def rule_text(profile: Profile, rule_id: str, told: Iterable[Told] = ()) -> list[str]:
    """A rule, or a part of one (``skyhook.node-package-step.edge``); [] if there is none."""
    name = rule_id.partition(".")[2]
    if name == "shape":
        return [f"{rule_id}  (for every kind)", *(f"  {line}" for line in _SHAPE)]
    known = list(told)
    lines: list[str] = []
    for guard in profile.guards:
        for rule in guard.rules():
            if name != rule.id and not name.startswith(f"{rule.id}."):
                continue
            part = name.removeprefix(rule.id).lstrip(".")
            lines += [*([""] if lines else []), *_head(profile, guard, rule)]
            for one in known:
                its = one.sample.rule == rule.id and one.sample.guard is guard
                if its and (not part or one.sample.part in ("", part)):
                    lines += [f"  {line}" for line in told_text(one)]
    return lines


def _head(profile: Profile, guard: Guard, rule: _Rule) -> Iterator[str]:
    yield f"{profile.profile}.{rule.id}  (for {guard.match.kind})"
    places = _places(rule)
    if places:
        yield f"  reads: {', '.join(places)}"
    severity = getattr(rule, "severity", None)
    if severity:
        usual = " (it holds as a rule only; `usual_rules` switches it on)" if rule.usually else ""
        yield f"  severity: {severity}{usual}"
    if rule.releases:
        yield f"  releases: {rule.releases}"
    if rule.why:
        yield f"  why: {rule.why}"
    if rule.source:
        origin = f"{profile.source}: " if profile.source else ""
        yield f"  source: {origin}{source_of(profile, rule.source)}"
    if rule.hint:
        yield f"  instead: {rule.hint}"


def _places(rule: _Rule) -> list[str]:
    path = getattr(rule, "path", None)
    if path:
        return [place(path)]
    tests = [*getattr(rule, "when", ()), *getattr(rule, "need", ())]
    found = [test.path for test in tests if test.path] or list(getattr(rule, "at", None) or ())
    found += [owned.path for owned in getattr(rule, "paths", ())]
    found += [p for p in (getattr(rule, "source_path", ""), getattr(rule, "to", "")) if p]
    return list(dict.fromkeys(map(place, found)))


def told_text(told: Told) -> Iterator[str]:
    """A write, and what its writer reads."""
    sample = told.sample
    about = f" ({sample.why})" if sample.why else ""
    yield f"{verdict_of(told)}, for example{_BY[sample.by]}{about}:"
    lines = changes(sample.old, sample.new)
    for line in lines[:MOST_CHANGES]:
        yield f"    {line}"
    if len(lines) > MOST_CHANGES:
        yield f"    and {len(lines) - MOST_CHANGES} more"
    for finding in told.findings:
        yield f"  {answer_of(told, finding)}"


def verdict_of(told: Told) -> str:
    """What became of the write, by its own rule."""
    severities = {finding.severity.value for finding in told.findings}
    words = {"deny": "denied", "warn": "warned", "audit": "noted"}
    return next((word for severity, word in words.items() if severity in severities), "passes")


def answer_of(told: Told, finding: Finding) -> str:
    """A finding as kubectl prints it, or as the log has it."""
    if finding in told.verdict.denied:
        return f"* {finding.field}: {text_of(finding)}"
    if finding in told.verdict.warned:
        return f"Warning: {warning_of(finding)}"
    return f"log: {finding.field}: {text_of(finding)}"
