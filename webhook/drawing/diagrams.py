"""A track as a diagram in other tools' languages: Mermaid and DOT."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webhook.drawing.graph import START

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.drawing.graph import Graph, Step


def shown(graph: Graph, classes: frozenset[str] = frozenset()) -> list[Step]:
    """The steps of the classes asked for; by default those of the first class.

    All classes of one track at once are a black square: whoever wants them names them.
    """
    first = {step.cls for step in graph.steps[:1]}
    return [step for step in graph.steps if step.cls in (classes or first)]


def left_out(graph: Graph, steps: list[Step]) -> list[str]:
    """The classes that a picture of these steps does not show."""
    drawn = {step.cls for step in steps}
    return [c for c in dict.fromkeys(step.cls for step in graph.steps) if c not in drawn]


def remarks(graph: Graph, steps: list[Step]) -> list[str]:
    """What a picture cannot show, a line each."""
    lines = [graph.why] if graph.why else []
    if graph.free and len(graph.values) > 1:
        lines.append("any of them may follow any other")
    hidden = left_out(graph, steps)
    if hidden:
        lines.append(f"not drawn: steps of the classes {', '.join(hidden)}")
    if graph.notes:
        lines += [
            "no values of the API:",
            *(f"  {word}: {note}" for word, note in graph.notes.items()),
        ]
    return lines


def mermaid(graph: Graph, classes: frozenset[str] = frozenset()) -> Iterator[str]:
    """A stateDiagram-v2."""
    steps = shown(graph, classes)
    yield "stateDiagram-v2"
    yield f"  %% {graph.title} ({graph.rule})"
    for value in graph.values:
        yield f'  state "{value}" as {_id(value)}'
    for step in steps:
        yield f"  {_id(step.old)} --> {_id(step.new)} : {step.cls}"
    lines = remarks(graph, steps)
    if lines:
        yield f"  note right of {_id(graph.values[0])}"
        yield from (f"    {line}" for line in lines)
        yield "  end note"


def _id(value: str) -> str:
    """A name that is none of Mermaid's own words."""
    return "[*]" if value == START else f"v_{re.sub(r'[^A-Za-z0-9]', '_', value)}"


def dot(graph: Graph, classes: frozenset[str] = frozenset()) -> Iterator[str]:
    """A digraph for Graphviz."""
    steps = shown(graph, classes)
    yield f"digraph {_quoted(graph.rule)} {{"
    yield '  rankdir=LR; node [shape=box, style=rounded, fontname="sans-serif"];'
    yield f"  label={_quoted(chr(10).join([graph.title, *remarks(graph, steps)]))}; labelloc=t;"
    if any(START in (step.old, step.new) for step in steps):
        yield f"  {_quoted(START)} [shape=point];"
    for value in graph.values:
        yield f"  {_quoted(value)};"
    for step in steps:
        style = "" if step.documented else ", style=dashed"
        yield f"  {_quoted(step.old)} -> {_quoted(step.new)} [label={_quoted(step.cls)}{style}];"
    yield "}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
