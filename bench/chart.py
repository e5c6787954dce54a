"""Small charts, one beside the other, as SVG: points, the line through them, and the straight line that would be fair."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, ACROSS = 340, 230, 2
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 40, 34
INK, LINE, GRID = "#444", "#0b6bcb", "#ddd"

Points = list[tuple[float, float]]


def ticks(low: float, high: float) -> list[float]:
    """Powers of ten that cover a range, at least two."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [10.0**n for n in range(first, max(last, first + 1) + 1)]


def said(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def panel(title: str, points: Points, exponent: float) -> str:
    xs, ys = (
        ticks(min(x for x, _ in points), max(x for x, _ in points)),
        ticks(min(y for _, y in points), max(y for _, y in points)),
    )

    def at(value: float, scale: list[float], begin: float, end: float) -> float:
        low, high = math.log10(scale[0]), math.log10(scale[-1])
        return begin + (math.log10(value) - low) / (high - low) * (end - begin)

    def px(x: float) -> float:
        return at(x, xs, LEFT, WIDTH - RIGHT)

    def py(y: float) -> float:
        return at(y, ys, HEIGHT - BOTTOM, TOP)

    out = [f'<text x="{LEFT}" y="18" font-weight="bold">{escape(title)}</text>']
    out.append(
        f'<text x="{LEFT}" y="32" fill="{INK}">ms of CPU a review; exponent {exponent:.2f}</text>'
    )
    for y in ys:
        out.append(f'<path d="M{LEFT} {py(y):.1f}H{WIDTH - RIGHT}" stroke="{GRID}"/>')
        out.append(
            f'<text x="{LEFT - 6}" y="{py(y) + 4:.1f}" text-anchor="end" fill="{INK}">{said(y)}</text>'
        )
    for x in xs:
        out.append(f'<path d="M{px(x):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{GRID}"/>')
        out.append(
            f'<text x="{px(x):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="{INK}">{said(x)}</text>'
        )
    path = "M" + "L".join(f"{px(x):.1f} {py(y):.1f}" for x, y in points)
    out.append(f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="2"/>')
    out += [f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="3" fill="{LINE}"/>' for x, y in points]
    return "\n".join(out)


def chart(panels: list[tuple[str, Points, float]]) -> str:
    """All panels; both axes of each are logarithmic."""
    rows = -(-len(panels) // ACROSS)
    out = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * ACROSS} {HEIGHT * rows}" '
            'font-family="sans-serif" font-size="11">'
        ),
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, (title, points, exponent) in enumerate(panels):
        x, y = number % ACROSS * WIDTH, number // ACROSS * HEIGHT
        out.append(f'<g transform="translate({x} {y})">\n{panel(title, points, exponent)}\n</g>')
    return "\n".join([*out, "</svg>"]) + "\n"
