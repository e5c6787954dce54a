"""A profile, a value or a rule, told as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webhook.core.finding import Severity
from webhook.drawing.graph import START, WRITERS, Graph, Step, graphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.writer import Writer
    from webhook.lifecycle.model import Guard, Profile


def profile_text(profile: Profile) -> Iterator[str]:
    """A whole profile: its levels, values and steps."""
    yield f"profile {profile.profile}: {profile.about}".rstrip(": ")
    if profile.releases is not None:
        recorded = ", ".join(profile.releases.recorded) or "none"
        yield f"release {profile.releases.assumed} unless set; edges recorded from: {recorded}"
    for name, cls in profile.classes.items():
        yield f"  class {name}: {cls.about}"
    for graph in graphs(profile):
        yield ""
        yield from graph_text(graph)
    yield ""
    yield from _other_rules(profile)


def graph_text(graph: Graph) -> Iterator[str]:
    """One track as text: its values, and from each one where it may go."""
    yield f"{graph.kind} {graph.path}  ({graph.rule})"
    yield f"  {graph.noun}: {', '.join(graph.values)}"
    if graph.free:
        yield "  any of them may follow any other"
    for value in (START, *graph.values):
        rows = _by_class(graph.onward(value))
        if rows:
            yield f"  {value}"
        for cls, targets in rows.items():
            yield f"    {cls:<12} -> {', '.join(targets)}"
    for word, note in graph.notes.items():
        yield f"  {word}: {note}"
    if graph.source:
        yield f"  source: {graph.source}"


def _by_class(steps: list[Step]) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for step in steps:
        rows.setdefault(step.cls, []).append(step.new)
    return rows


def _other_rules(profile: Profile) -> Iterator[str]:
    for guard in profile.guards:
        yield f"{guard.match.kind}: rules beside the tracks"
        for line in _rule_lines(profile.profile, guard):
            yield f"  {line}"


def _rule_lines(profile: str, guard: Guard) -> Iterator[str]:
    tracks = {track.id for track in guard.tracks}
    for rule in guard.rules():
        if rule.id not in tracks:
            text = rule.why or getattr(rule, "message", "") or rule.source
            yield f"{profile}.{rule.id}" + (f": {text}" if text else "")


def value_text(profile: Profile, value: str) -> list[str]:
    """What is legal from a value, for whom, at each level that has it; [] if none has."""
    lines: list[str] = []
    for graph in graphs(profile):
        note = graph.notes.get(value)
        if note is not None:
            lines += [f"{value} is no {graph.noun}: {note}", f"  legal: {', '.join(graph.values)}"]
        elif value in graph.values or value == START:
            lines += list(_value_at(graph, value))
    return lines


def _value_at(graph: Graph, value: str) -> Iterator[str]:
    yield f"{value}, {graph.noun} at {graph.kind} {graph.path}  ({graph.rule})"
    if graph.free:
        others = ", ".join(v for v in graph.values if v != value)
        yield f"  may become any other: {others}"
        yield from (f"  {w.value}: {_for_owner(graph, w)}" for w in WRITERS if w in graph.owners)
        return
    steps = graph.onward(value)
    for cls, targets in _by_class(steps).items():
        about = next((s.about for s in steps if s.cls == cls), "")
        yield f"  {cls:<12} -> {', '.join(targets)}" + (f"   [{about}]" if about else "")
    for writer in WRITERS:
        yield f"  {writer.value}: {_for_writer(graph, steps, writer)}"
    reached = {step.new for step in steps} | {value}
    never = [v for v in graph.values if v not in reached]
    yield f"  never, by anybody: {', '.join(never) or 'nothing'}"


def _for_owner(graph: Graph, writer: Writer) -> str:
    if graph.owners[writer] is Severity.DENY:
        return "none of these; only the operator writes this (its CLI's own writes are recognised)"
    return "any of these, told once an hour that only the operator writes this"


def _for_writer(graph: Graph, steps: list[Step], writer: Writer) -> str:
    if writer in graph.owners:
        return _for_owner(graph, writer)
    odd: dict[Severity, list[str]] = {}
    for step in steps:
        verdict = graph.verdict(step, writer)
        if verdict is not Severity.ALLOW:
            odd.setdefault(verdict, []).append(step.new)
    if not odd:
        return "all of these, without a word"
    said = {Severity.WARN: "with a warning", Severity.DENY: "denied"}
    parts = [f"{said.get(s, s.value)}: {', '.join(names)}" for s, names in odd.items()]
    return "all of these; " + "; ".join(parts)


def rule_text(
    profile: Profile, rule_id: str, examples: Mapping[str, Mapping[str, Any]] | None = None
) -> list[str]:
    """One rule: where it stands, why, where it comes from upstream; [] if there is none.

    ``examples``: by rule, a write that is denied (or warned about) and one that passes.
    """
    name = rule_id.partition(".")[2]
    lines: list[str] = []
    for guard in profile.guards:
        for rule in guard.rules():
            if name != rule.id and not name.startswith(rule.id + "."):
                continue
            lines.append(f"{profile.profile}.{rule.id}  (for {guard.match.kind})")
            places = _places(rule)
            lines += [f"  reads: {', '.join(places)}"] if places else []
            severity = getattr(rule, "severity", None)
            lines += [f"  severity: {severity}"] if severity else []
            lines += [f"  says: {m}"] if (m := getattr(rule, "message", "")) else []
            lines += [f"  why: {rule.why}"] if rule.why else []
            lines += [f"  source: {rule.source}"] if rule.source else []
            lines += [f"  instead: {rule.hint}"] if rule.hint else []
            for what, write in (examples or {}).get(rule.id, {}).items():
                lines += [f"  {what}: {_one_line(write)}"]
    return lines


def _one_line(write: Any) -> str:
    shown = {k: v for k, v in write.items() if k in ("old", "new", "user", "create")}
    return json.dumps(shown, ensure_ascii=False)


def _places(rule: object) -> list[str]:
    path = getattr(rule, "path", None)
    if path:
        return [path]
    tests = [*getattr(rule, "when", ()), *getattr(rule, "need", ())]
    found = [t.path for t in tests if t.path] or list(getattr(rule, "at", None) or ())
    found += [p.path for p in getattr(rule, "paths", ())]
    return list(dict.fromkeys(found))
