"""Lines over time as an SVG: a panel under the other, nothing loaded, readable on light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, TOP = 720, 150, 64, 28
_COLOURS = ("#2a78d6", "#c2571a")


@dataclass(frozen=True)
class Panel:
    """One quantity.

    Attributes:
        title: what, and in which unit.
        at: the moments.
        series: name -> values, as many as moments.
    """

    title: str
    at: list[float]
    series: dict[str, list[float]]


def drawn(panels: list[Panel], below: str) -> str:
    """The picture; `below` names the axis that all share."""
    height = len(panels) * HEIGHT + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        "<style>text{fill:#555}@media(prefers-color-scheme:dark){text{fill:#bbb}}</style>",
    ]
    for number, panel in enumerate(panels):
        parts += _panel(panel, number * HEIGHT)
    parts.append(
        f'<text x="{WIDTH - 8}" y="{height - 6}" text-anchor="end">{escape(below)}</text></svg>'
    )
    return "\n".join(parts) + "\n"


def _panel(panel: Panel, above: float) -> list[str]:
    top, bottom, right = above + TOP, above + HEIGHT - 18, WIDTH - 12
    most = max((max(v) for v in panel.series.values() if v), default=1) * 1.1 or 1
    end = panel.at[-1] if panel.at else 1
    names = "".join(
        f' <tspan fill="{colour}">{escape(name)}</tspan>'
        for name, colour in zip(panel.series, _COLOURS, strict=False)
    )
    parts = [f'<text x="{LEFT}" y="{above + 18}">{escape(panel.title)}{names}</text>']
    for step in (0, 0.5, 1):
        y = bottom - (bottom - top) * step
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#8884"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(most * step)}</text>'
        )
        x = LEFT + (right - LEFT) * step
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{_short(end * step)}</text>'
        )
    for values, colour in zip(panel.series.values(), _COLOURS, strict=False):
        points = " ".join(
            f"{LEFT + (right - LEFT) * t / end:.1f},{bottom - (bottom - top) * v / most:.1f}"
            for t, v in zip(panel.at, values, strict=True)
        )
        parts.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>'
        )
    return parts


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"
