"""Where the boxes of a picture stand, and how its arrows run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.drawing.graph import START

if TYPE_CHECKING:
    from webhook.drawing.graph import Graph, Step

Point = tuple[float, float]

BOX_HIGH: Final = 30
ROW: Final = 84
GAP: Final = 64
PER_LETTER: Final = 7.6
MOST_STEPS: Final = 26
"""More arrows than this are no picture any more; the table shows them all."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes by value, around these centres.

    Attributes:
        centres: value -> centre.
        wide: width of every box.
        paths: (old, new) -> the arrow, as the ``d`` of an SVG path.
        width, height: of the whole.
    """

    centres: dict[str, Point]
    wide: float
    paths: dict[tuple[str, str], str]
    width: float
    height: float


def layout(graph: Graph, steps: list[Step]) -> Layout:
    """A grid, stage by state, for values of two parts; a line with arcs for words."""
    wide = max(len(value) for value in graph.values) * PER_LETTER + 22
    return _grid(graph, steps, wide) if graph.parts else _line(graph, steps, wide)


def _grid(graph: Graph, steps: list[Step], wide: float) -> Layout:
    columns = list(dict.fromkeys(value.partition("/")[2] for value in graph.values))
    rows = _in_order(graph, steps)
    centres = {}
    for value in graph.values:
        stage, _, state = value.partition("/")
        x = GAP + wide / 2 + columns.index(state) * (wide + GAP)
        centres[value] = (x, ROW * (rows.index(stage) + 0.6))
    firsts = [centres[s.new][1] for s in steps if s.old == START]
    if firsts:
        centres[START] = (GAP / 4, sum(firsts) / len(firsts))
    paths = {(s.old, s.new): _grid_path(centres, s, wide) for s in steps}
    width = GAP + len(columns) * (wide + GAP)
    return Layout(centres, wide, paths, width, ROW * (len(rows) + 0.2))


def _in_order(graph: Graph, steps: list[Step]) -> list[str]:
    """The first parts, each after those that lead to it, else as declared."""
    left = list(dict.fromkeys(value.partition("/")[0] for value in graph.values))
    leads = {(s.old.partition("/")[0], s.new.partition("/")[0]) for s in steps if s.old != START}
    found: list[str] = []
    while left:
        free = [one for one in left if not any((o, one) in leads for o in left if o != one)]
        found.append((free or left)[0])
        left.remove(found[-1])
    return found


def _grid_path(centres: dict[str, Point], step: Step, wide: float) -> str:
    """Straight to the neighbour, in an arc over a box that is in the way."""
    (x1, y1), (x2, y2) = centres[step.old], centres.get(step.new, centres[step.old])
    if step.old == START:
        return f"M{x1 + 6:.0f} {y1:.0f}L{x2 - wide / 2 - 3:.0f} {y2:.0f}"
    if y1 == y2 and abs(x2 - x1) > wide + GAP + 1:
        lift = y1 - BOX_HIGH / 2
        middle = (x1 + x2) / 2
        return f"M{x1:.0f} {lift:.0f}Q{middle:.0f} {lift - 44:.0f} {x2:.0f} {lift - 3:.0f}"
    start, end = _edge((x1, y1), (x2, y2), wide), _edge((x2, y2), (x1, y1), wide)
    return f"M{start[0]:.0f} {start[1]:.0f}L{end[0]:.0f} {end[1]:.0f}"


def _edge(here: Point, there: Point, wide: float) -> Point:
    """Where the line to ``there`` leaves the box around ``here``."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    across = (wide / 2 + 3) / abs(dx) if dx else math.inf
    upright = (BOX_HIGH / 2 + 3) / abs(dy) if dy else math.inf
    scale = min(across, upright)
    return here[0] + dx * scale, here[1] + dy * scale


def _line(graph: Graph, steps: list[Step], wide: float) -> Layout:
    """Words side by side; steps onward arch above them, steps back below."""
    names = (
        [START, *graph.values] if any(START in (s.old, s.new) for s in steps) else [*graph.values]
    )
    at = {name: number for number, name in enumerate(names)}
    apart = wide + 34
    onward = max((at[s.new] - at[s.old] for s in steps), default=1)
    back = max((at[s.old] - at[s.new] for s in steps), default=0)
    middle = 24 + 26 * max(onward, 0) + BOX_HIGH / 2
    centres = {name: (30 + wide / 2 + number * apart, middle) for name, number in at.items()}
    paths = {}
    for step in steps:
        far = at[step.new] - at[step.old]
        x1 = centres[step.old][0] + (wide / 5 if far > 0 else -wide / 5)
        x2 = centres[step.new][0] - (wide / 5 if far > 0 else -wide / 5)
        side = -1 if far > 0 else 1
        y = middle + side * BOX_HIGH / 2
        bow = y + side * 34 * abs(far) + side * 8
        paths[step.old, step.new] = (
            f"M{x1:.0f} {y:.0f}C{x1:.0f} {bow:.0f} {x2:.0f} {bow:.0f} {x2:.0f} {y + side * 3:.0f}"
        )
    height = middle + BOX_HIGH / 2 + 26 * max(back, 0) + 24
    return Layout(centres, wide, paths, 60 + len(names) * apart - 34, height)
