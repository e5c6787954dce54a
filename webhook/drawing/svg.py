"""A track as an SVG picture of its own: no tool, no font, no network needed; dark and light.

Above, the steps of the first class as boxes and arrows, where these are few enough to be followed; below, a
table of every step: from the value on the left to the one on top, by the class that makes it.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.drawing.diagrams import remarks, shown
from webhook.drawing.flow import BOX_HIGH, MOST_STEPS, Layout, layout
from webhook.drawing.graph import START, WRITERS
from webhook.drawing.table import step_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.drawing.graph import Graph, Step

MARGIN: Final = 24
LINE: Final = 18
_PEOPLE: Final = {
    Writer.OPERATOR: "the operator",
    Writer.SERVICE_ACCOUNT: "other service accounts",
    Writer.PERSON: "people and nodes",
}
_LIGHT: Final = ("#1d4ed8", "#047857", "#b45309", "#be185d", "#6d28d9", "#475569", "#0e7490")
_DARK: Final = ("#7cb0ff", "#4ade9f", "#fbbf24", "#f58ac4", "#c4a5ff", "#a3b3c7", "#5ed3ea")


def svg(graph: Graph, classes: frozenset[str] = frozenset()) -> Iterator[str]:
    """The picture, line by line."""
    names = list(
        dict.fromkeys(step.cls for step in graph.steps if not classes or step.cls in classes)
    )
    colours = {name: number for number, name in enumerate(names)}
    steps = shown(graph, classes)
    few = bool(steps) and len(steps) <= MOST_STEPS
    flow = layout(graph, steps if few else []) if few or graph.free else None
    body: list[str] = []
    bottom, width = _head(graph, body)
    if flow is not None:
        body += [
            f'<g transform="translate({MARGIN} {bottom:.0f})">',
            *_flow(flow, steps, colours),
            "</g>",
        ]
        bottom, width = bottom + flow.height + 10, max(width, flow.width + 2 * MARGIN)
    kept = [step for step in graph.steps if step.cls in colours]
    if kept:
        table, wide, high = step_table(graph, kept, colours)
        body += [f'<g transform="translate({MARGIN} {bottom:.0f})">', *table, "</g>"]
        bottom, width = bottom + high + 16, max(width, wide + 2 * MARGIN)
    for line in [*_legend(graph, kept, colours), *_foot(graph)]:
        bottom += LINE
        body.append(line.replace("{y}", f"{bottom:.0f}"))
        width = max(width, len(re.sub(r"<[^>]*>", "", line)) * 8 + 3 * MARGIN)
    yield from _whole(graph, body, width, bottom + MARGIN, len(colours))


def _whole(graph: Graph, body: list[str], width: float, height: float, used: int) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" role="img">'
    )
    yield f"<title>{escape(graph.title)}: {escape(graph.noun)}</title>"
    yield f"<style>{_style(used)}</style>"
    for number in range(used):
        yield (
            f'<marker id="m{number}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
            f' orient="auto"><path class="f{number}" d="M0 0L8 4L0 8z"/></marker>'
        )
    yield f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>'
    yield from body
    yield "</svg>"


def _style(used: int) -> str:
    """Light, and dark where the reader's system is."""

    def inks(paper: str, ink: str, faint: str, colours: tuple[str, ...]) -> str:
        rules = f".paper{{fill:{paper}}}text,.ink{{fill:{ink}}}.box{{stroke:{ink};fill:{paper}}}"
        rules += f".grid{{stroke:{faint}}}.same{{fill:{faint}}}"
        for number in range(used):
            colour = colours[number % len(colours)]
            rules += f".s{number}{{stroke:{colour}}}.f{number}{{fill:{colour}}}"
        return rules

    general = (
        "text{font:13px ui-monospace,'DejaVu Sans Mono',monospace}.head{font-size:15px;font-weight:bold}"
        ".step{fill:none;stroke-width:1.6}.box{stroke-width:1.2}.grid{stroke-width:1}"
        ".cell{fill-opacity:.28}.mark{text-anchor:middle;font-size:12px}"
    )
    dark = inks("#14161a", "#e8eaee", "#3a3f47", _DARK)
    light = inks("#ffffff", "#16181d", "#d5d9e0", _LIGHT)
    return f"{general}{light}@media(prefers-color-scheme:dark){{{dark}}}"


def _head(graph: Graph, body: list[str]) -> tuple[float, float]:
    body.append(f'<text class="head" x="{MARGIN}" y="30">{escape(graph.title)}</text>')
    body.append(f'<text x="{MARGIN}" y="50">{escape(f"{graph.noun}  ({graph.rule})")}</text>')
    return 66.0, 2 * MARGIN + max(len(graph.title) * 9.4, len(graph.noun + graph.rule) * 8 + 30)


def _flow(flow: Layout, steps: list[Step], colours: dict[str, int]) -> Iterator[str]:
    for step in steps:
        number = colours[step.cls]
        path = flow.paths.get((step.old, step.new))
        if path is not None:
            about = escape(f"{step.old} -> {step.new}: {step.about or step.cls}")
            yield (
                f'<path class="step s{number}" marker-end="url(#m{number})" d="{path}">'
                f"<title>{about}</title></path>"
            )
    for value, (x, y) in flow.centres.items():
        if value == START and flow.paths and not _boxed(flow):
            yield f'<circle class="ink" cx="{x:.0f}" cy="{y:.0f}" r="6"/>'
            continue
        yield (
            f'<rect class="box" x="{x - flow.wide / 2:.1f}" y="{y - BOX_HIGH / 2:.1f}"'
            f' width="{flow.wide:.1f}" height="{BOX_HIGH}" rx="7"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{escape(value)}</text>'
        )


def _boxed(flow: Layout) -> bool:
    """Whether no value at all has a box like the others: in a line it has."""
    return len({y for _, y in flow.centres.values()}) == 1


def _legend(graph: Graph, steps: list[Step], colours: dict[str, int]) -> Iterator[str]:
    """A line for each class: its number, its name, what it means, and who is told or stopped."""
    for name, number in colours.items():
        same = [s for s in steps if s.cls == name]
        step = next((s for s in same if START not in (s.old, s.new)), same[0])
        about = f": {step.about}" if step.about else ""
        yield (
            f'<rect class="f{number}" x="{MARGIN}" y="{{y}}" width="14" height="14" transform="translate(0 -12)"/>'
            f'<text x="{MARGIN + 22}" y="{{y}}">{number + 1} {escape(name + about + _for_whom(graph, step))}</text>'
        )


def _for_whom(graph: Graph, step: Step) -> str:
    said = {Severity.WARN: "warns", Severity.DENY: "is denied to"}
    verdicts = {w: graph.verdict(step, w) for w in WRITERS if w not in graph.owners}
    if len(verdicts) > 1 and len(set(verdicts.values())) == 1:
        word = said.get(verdicts[WRITERS[0]])
        return f" ({word} everybody)" if word else ""
    found = [f"{said[v]} {_PEOPLE[w]}" for w, v in verdicts.items() if v in said]
    return f" ({', '.join(found)})" if found else ""


def _foot(graph: Graph) -> Iterator[str]:
    lines = remarks(graph, list(graph.steps))
    for writer, severity in graph.owners.items():
        said = "denied" if severity is Severity.DENY else "told about"
        lines.insert(0, f"{_PEOPLE[writer]} are {said} every change: only the operator writes this")
    if graph.steps:
        lines.insert(0, "nothing where a row and a column meet: nobody takes this step")
    for line in lines:
        yield f'<text x="{MARGIN}" y="{{y}}">{escape(line)}</text>'
