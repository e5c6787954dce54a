"""Every step of a track as a table in SVG: from the value on the left to the one on top."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from webhook.drawing.flow import PER_LETTER
from webhook.drawing.graph import START

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.drawing.graph import Graph, Step

CELL: Final = 20


def step_table(
    graph: Graph, steps: list[Step], colours: dict[str, int]
) -> tuple[list[str], float, float]:
    """Every step, with the number of its class; where nothing stands, nobody goes."""
    names = [START, *graph.values]
    longest = max(map(len, names)) * PER_LETTER
    left, top = longest + 12, longest * 0.87 + 16
    side = len(names) * CELL
    made = {(step.old, step.new): step for step in steps}
    body = [f'<text x="0" y="{top - 8:.0f}">from, to</text>']
    for number, name in enumerate(names):
        at = number * CELL
        turn = f"translate({left + at + 14:.0f} {top - 6:.0f}) rotate(-60)"
        body.append(
            f'<text transform="{turn}">{escape("(removed)" if name == START else name)}</text>'
        )
        body.append(
            f'<text x="{left - 8:.0f}" y="{top + at + 15:.0f}" text-anchor="end">{escape(name)}</text>'
        )
    for row, old in enumerate(names):
        for column, new in enumerate(names):
            body += _cell(
                left + column * CELL,
                top + row * CELL,
                made.get((old, new)),
                colours,
                same=old == new,
            )
    for number, name in enumerate([*names, ""]):
        strong = not name or not number or not graph.parts or _begins(names, number)
        body += _rules(left, top, number * CELL, side) if strong else []
    return body, left + side + longest * 0.5, top + side


def _begins(names: list[str], number: int) -> bool:
    """Whether a new stage begins here, so that a line is drawn."""
    return names[number].partition("/")[0] != names[number - 1].partition("/")[0]


def _rules(left: float, top: float, at: float, side: float) -> list[str]:
    return [
        f'<path class="grid" d="M{left:.0f} {top + at:.0f}h{side}"/>',
        f'<path class="grid" d="M{left + at:.0f} {top:.0f}v{side}"/>',
    ]


def _cell(
    x: float, y: float, step: Step | None, colours: dict[str, int], *, same: bool
) -> Iterator[str]:
    if same:
        yield f'<rect class="same" x="{x:.0f}" y="{y:.0f}" width="{CELL}" height="{CELL}"/>'
    elif step is not None:
        number = colours[step.cls]
        about = escape(f"{step.old} -> {step.new}: {step.about or step.cls}")
        yield (
            f'<rect class="cell f{number}" x="{x:.0f}" y="{y:.0f}" width="{CELL}" height="{CELL}">'
            f"<title>{about}</title></rect>"
            f'<text class="mark" x="{x + CELL / 2:.0f}" y="{y + 14:.0f}">{number + 1}</text>'
        )
