"""A track as an SVG picture of its own: no tool, no font, no network needed; dark and light."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Final

from webhook.drawing.diagrams import shown
from webhook.drawing.graph import START

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.drawing.graph import Graph, Step

WIDE, HIGH = 190, 74
BOX_WIDE, BOX_HIGH = 150, 34
MARGIN, HEAD = 30, 70
_COLOURS: Final = ("#2563eb", "#059669", "#d97706", "#db2777", "#7c3aed", "#475569")
_STYLE: Final = (
    "svg{background:#fff;color:#111}text{font:13px system-ui,sans-serif;fill:currentColor}"
    ".box{fill:none;stroke:currentColor}.small{font-size:11px}"
    "@media(prefers-color-scheme:dark){svg{background:#111;color:#eee}}"
)

Point = tuple[float, float]


def svg(graph: Graph, classes: frozenset[str] = frozenset()) -> Iterator[str]:
    """The picture, line by line."""
    steps = shown(graph, classes)
    places = _places(graph)
    names = list(dict.fromkeys(step.cls for step in steps))
    colours = {name: _COLOURS[n % len(_COLOURS)] for n, name in enumerate(names)}
    width = max(x for x, _ in places.values()) + BOX_WIDE / 2 + MARGIN
    height = max(y for _, y in places.values()) + BOX_HIGH + MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" role="img">'
    )
    yield f"<title>{escape(graph.kind)}: {escape(graph.noun)}</title><style>{_STYLE}</style>"
    yield from _markers(colours)
    yield f'<text x="{MARGIN}" y="24">{escape(f"{graph.kind} {graph.place}")}</text>'
    yield from _legend(colours)
    for step in steps:
        yield _arrow(places, step, colours[step.cls])
    for value, (x, y) in places.items():
        yield _box(value, x, y)
    yield "</svg>"


def _places(graph: Graph) -> dict[str, Point]:
    """A grid: stage by state where values have two parts, else rows of four."""
    parts = [value.split("/") for value in graph.values]
    places: dict[str, Point] = {START: (MARGIN + BOX_WIDE / 2, HEAD + BOX_HIGH)}
    if all(len(part) == 2 for part in parts):
        rows = list(dict.fromkeys(part[0] for part in parts))
        columns = list(dict.fromkeys(part[1] for part in parts))
        for value, (row, column) in zip(graph.values, parts, strict=True):
            places[value] = _cell(columns.index(column), rows.index(row) + 1)
        return places
    for number, value in enumerate(graph.values):
        places[value] = _cell(number % 4, number // 4 + 1)
    return places


def _cell(column: int, row: int) -> Point:
    return MARGIN + BOX_WIDE / 2 + column * WIDE, HEAD + BOX_HIGH + row * HIGH


def _markers(colours: dict[str, str]) -> Iterator[str]:
    for colour in colours.values():
        yield (
            f'<marker id="m{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
            f' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
        )


def _legend(colours: dict[str, str]) -> Iterator[str]:
    for number, (name, colour) in enumerate(colours.items()):
        x = MARGIN + number * 130
        yield f'<path d="M{x} 44h24" stroke="{colour}" stroke-width="2"/>'
        yield f'<text class="small" x="{x + 30}" y="48">{escape(name)}</text>'


def _arrow(places: dict[str, Point], step: Step, colour: str) -> str:
    (x1, y1), (x2, y2) = places[step.old], places[step.new]
    start, end = _edge((x1, y1), (x2, y2)), _edge((x2, y2), (x1, y1))
    length = math.hypot(end[0] - start[0], end[1] - start[1]) or 1
    bend = min(40.0, length / 5)
    mx = (start[0] + end[0]) / 2 - (end[1] - start[1]) / length * bend
    my = (start[1] + end[1]) / 2 + (end[0] - start[0]) / length * bend
    return (
        f'<path d="M{start[0]:.1f} {start[1]:.1f}Q{mx:.1f} {my:.1f} {end[0]:.1f} {end[1]:.1f}"'
        f' fill="none" stroke="{colour}" marker-end="url(#m{colour[1:]})">'
        f"<title>{escape(f'{step.old} -> {step.new}: {step.about or step.cls}')}</title></path>"
    )


def _edge(here: Point, there: Point) -> Point:
    """Where the line to ``there`` leaves the box around ``here``."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    if not dx and not dy:
        return here
    scale = min(
        (BOX_WIDE / 2 + 2) / abs(dx) if dx else math.inf,
        (BOX_HIGH / 2 + 2) / abs(dy) if dy else math.inf,
    )
    return here[0] + dx * scale, here[1] + dy * scale


def _box(value: str, x: float, y: float) -> str:
    return (
        f'<rect class="box" x="{x - BOX_WIDE / 2:.1f}" y="{y - BOX_HIGH / 2:.1f}"'
        f' width="{BOX_WIDE}" height="{BOX_HIGH}" rx="8"/>'
        f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle">{escape(value)}</text>'
    )
