"""A track as a diagram in other tools' languages: Mermaid and DOT."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webhook.drawing.graph import START

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.drawing.graph import Graph, Step


def shown(graph: Graph, classes: frozenset[str]) -> list[Step]:
    """The steps of the classes asked for; by default those of the first two classes that have any.

    All classes of one track at once are a black square: whoever wants them names them.
    """
    if classes:
        return [step for step in graph.steps if step.cls in classes]
    first = list(dict.fromkeys(step.cls for step in graph.steps))[:2]
    return [s for s in graph.steps if s.cls in first and s.new != START]


def _id(value: str) -> str:
    return re.sub(r"\W", "_", value)


def mermaid(graph: Graph, classes: frozenset[str] = frozenset()) -> Iterator[str]:
    """A stateDiagram-v2."""
    yield "stateDiagram-v2"
    yield f"  %% {graph.kind} {graph.place} ({graph.rule})"
    for value in graph.values:
        yield f'  state "{value}" as {_id(value)}'
    if graph.free:
        yield "  note right of " + _id(graph.values[0]) + ": any may follow any other"
    for step in shown(graph, classes):
        old = "[*]" if step.old == START else _id(step.old)
        new = "[*]" if step.new == START else _id(step.new)
        yield f"  {old} --> {new}: {step.cls}"


def dot(graph: Graph, classes: frozenset[str] = frozenset()) -> Iterator[str]:
    """A digraph for Graphviz."""
    yield f'digraph "{graph.rule}" {{'
    yield '  rankdir=LR; node [shape=box, style=rounded, fontname="sans-serif"];'
    yield f'  label="{graph.kind} {_quoted(graph.place)}";'
    yield f'  "{START}" [shape=point];'
    for value in graph.values:
        yield f'  "{value}";'
    for step in shown(graph, classes):
        style = "" if step.documented else ", style=dashed"
        yield f'  "{step.old}" -> "{step.new}" [label="{step.cls}"{style}];'
    yield "}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
