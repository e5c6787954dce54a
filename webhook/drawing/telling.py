"""A profile and its values, told as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.drawing.graph import START, WRITERS, Graph, Step, graphs
from webhook.drawing.wording import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.lifecycle.model import Guard, Profile, Releases

_COLUMNS: Final = {
    Writer.OPERATOR: "operator",
    Writer.SERVICE_ACCOUNT: "other accounts",
    Writer.PERSON: "people, nodes",
}
_SAID: Final = {Severity.ALLOW: "yes", Severity.WARN: "warned", Severity.DENY: "denied"}
REMOVED: Final = "(removed)"


def _releases(releases: Releases) -> Iterator[str]:
    """Which releases are known, and what becomes of these objects."""
    if releases.known:
        yield f"known releases: {', '.join(releases.known)}"
    if releases.read_only is not None:
        yield f"from {releases.read_only} on the operator refuses changes of these objects"
    if releases.removed is not None:
        yield f"from {releases.removed} on there are none"


def profile_text(profile: Profile) -> Iterator[str]:
    """A whole profile: its levels, values and steps, then its other rules."""
    yield f"profile {profile.profile}: {profile.about}".rstrip(": ")
    if profile.source:
        yield f"read from {profile.source}"
    if profile.releases is not None:
        recorded = ", ".join(profile.releases.recorded)
        known = (
            f"recorded: {recorded}" if recorded else "none was recorded, so only values are sure"
        )
        yield f"release {profile.releases.assumed} unless set; {known}"
        yield from _releases(profile.releases)
    for name, cls in profile.classes.items():
        yield f"  {name}: {cls.about}"
    for graph in graphs(profile):
        yield ""
        yield from graph_text(profile, graph)
    for guard in profile.guards:
        yield ""
        yield from _other_rules(profile, guard)


def graph_text(profile: Profile, graph: Graph) -> Iterator[str]:
    """One track as text: its values, and from each one where it may go."""
    yield f"{graph.title}  ({graph.rule})"
    if graph.why:
        yield f"  {graph.why}"
    yield from _vocabulary(graph)
    if graph.free and len(graph.values) > 1:
        yield "  any of them may follow any other"
    for value in (START, *graph.values):
        rows = _by_class(graph.onward(value))
        if rows:
            yield f"  {value}"
        for cls, targets in rows.items():
            yield f"    {cls:<12} -> {', '.join(targets)}"
    yield from _no_values(graph)
    if graph.source:
        yield f"  source: {source_of(profile, graph.source)}"


def _vocabulary(graph: Graph) -> Iterator[str]:
    for name, words in graph.parts.items():
        yield f"  {name}: {', '.join(words)}"
    yield f"  {graph.noun}: {', '.join(graph.values)}"


def _no_values(graph: Graph) -> Iterator[str]:
    """The words that people take for values."""
    if graph.notes:
        yield "  no values of the API:"
    for word, note in graph.notes.items():
        yield f"    {word}: {note}"


def _by_class(steps: list[Step]) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for step in steps:
        rows.setdefault(step.cls, []).append(REMOVED if step.new == START else step.new)
    return rows


def _other_rules(profile: Profile, guard: Guard) -> Iterator[str]:
    tracks = {track.id for track in guard.tracks}
    rules = [rule for rule in guard.rules() if rule.id not in tracks]
    if rules:
        yield f"{guard.match.kind}: further rules (`explain {profile.profile}.RULE` shows each)"
    for rule in rules:
        text = rule.why or source_of(profile, rule.source)
        yield f"  {profile.profile}.{rule.id}" + (f": {text}" if text else "")


def value_text(profile: Profile, value: str) -> list[str]:
    """What is legal from a value, for whom, at each level that has it; [] if none has.

    A Node's own record, which is the truth, comes before what copies it.
    """
    known = list(graphs(profile))
    if profile.identity is not None:
        known.sort(key=lambda g: g.kind == profile.identity.kind)  # type: ignore[union-attr]
    noted = [graph for graph in known if value in graph.notes]
    if noted:
        return list(_no_value(noted, value))
    lines: list[str] = []
    for graph in known:
        if value in graph.values or (value == START and graph.steps):
            lines += [*([""] if lines else []), *_value_at(graph, value)]
    return [*lines, *_derived(profile, value)] if lines else []


def _no_value(noted: list[Graph], value: str) -> Iterator[str]:
    """Said once, however many levels share the words."""
    yield f"{value}: {noted[0].notes[value]}"
    for name, words in noted[0].parts.items():
        yield f"  each {name}: {', '.join(words)}"
    if not noted[0].parts:
        yield f"  legal: {', '.join(noted[0].values)}"
    for graph in noted:
        yield f"  at {graph.title}  ({graph.rule})"


def _value_at(graph: Graph, value: str) -> Iterator[str]:
    yield f"{value}: {graph.noun} at {graph.title}  ({graph.rule})"
    if graph.why:
        yield f"  {graph.why}"
    if graph.free:
        others = [v for v in graph.values if v != value]
        if others:
            yield f"  may become any other: {', '.join(others)}"
        yield f"  may be removed: {_SAID.get(graph.removal, graph.removal.value)}"
    elif graph.onward(value):
        yield from _table(graph, graph.onward(value))
    else:
        yield "  it stays: nothing may follow it"
    for writer in (w for w in WRITERS if w in graph.owners):
        yield f"  {_COLUMNS[writer]}: {_for_owner(graph, writer)}"
    never = graph.never(value)
    if never:
        how = "never, by anybody" if graph.certain else "by nobody as far as is known (warned)"
        yield f"  {how}: {', '.join(never)}"


def _table(graph: Graph, steps: list[Step]) -> Iterator[str]:
    """A row for each step, a column for each kind of writer who may take any."""
    writers = [writer for writer in WRITERS if writer not in graph.owners]
    wide = max(len(REMOVED), *(len(step.new) for step in steps))
    heads = "  ".join(f"{_COLUMNS[w]:<14}" for w in writers)
    yield f"  {'to':<{wide}}  {heads}  what it is"
    for step in steps:
        target = REMOVED if step.new == START else step.new
        said = "  ".join(f"{_said(graph, step, w):<14}" for w in writers)
        yield f"  {target:<{wide}}  {said}  {step.about or step.cls}"


def _said(graph: Graph, step: Step, writer: Writer) -> str:
    severity = graph.verdict(step, writer)
    if severity is Severity.DENY and not graph.certain:
        severity = Severity.WARN
    return _SAID.get(severity, severity.value)


def _for_owner(graph: Graph, writer: Writer) -> str:
    if graph.owners[writer] is not Severity.DENY:
        return "any of these, told at most once an hour that only the operator writes this"
    if not graph.certain:
        return "any of these, with a warning that only the operator writes this"
    return "none of these; only the operator writes this (its CLI's own writes are recognised)"


def _derived(profile: Profile, value: str) -> Iterator[str]:
    """Rules that speak of the value at the levels that follow from others."""
    for guard in profile.guards:
        for rule in guard.rules():
            if value in rule.why:
                yield ""
                yield f"{profile.profile}.{rule.id}: {rule.why}"
