"""How the cost of a review grows: CPU of one process against nodes, packages, changed nodes, rules and profiles.

    python -m bench.growth [--quick] [--out docs/growth.svg]

In process, thread CPU time, least of several runs. Prints a table with the exponent of each curve (1 is a
straight line, 0 is no growth) and draws them.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import payloads  # noqa: E402
from bench.chart import chart  # noqa: E402
from webhook.building import engine_of  # noqa: E402
from webhook.catalog import Catalog, shipped, shipped_names  # noqa: E402
from webhook.settings import load_settings  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.reviews.engine import Engine

BUDGET = 0.4
"""Seconds of CPU for one point."""


@dataclass
class Curve:
    """One question: what grows, and how much one review then costs in ms."""

    name: str
    points: list[tuple[float, float]]

    @property
    def exponent(self) -> float:
        """Slope between the last two thirds of the points, both axes logarithmic."""
        kept = [(x, y) for x, y in self.points if x > 0][-max(2, len(self.points) * 2 // 3) :]
        (x0, y0), (x1, y1) = kept[0], kept[-1]
        return math.log(y1 / y0) / math.log(x1 / x0)


def engine(**settings: Any) -> Engine:
    return engine_of(
        load_settings({k: v for k, v in settings.items() if v}), lambda: datetime.now(UTC)
    )


def cost(judging: Engine, body: bytes, budget: float) -> float:
    """Thread CPU of a review, encoded answer included, in ms: the least of many."""
    judging.judge_body(body).encode()
    least, end = math.inf, time.thread_time() + budget
    while time.thread_time() < end:
        begin = time.thread_time()
        judging.judge_body(body).encode()
        least = min(least, time.thread_time() - begin)
    return least * 1000


def measured(
    name: str, xs: list[int], make: Callable[[int], tuple[Engine, bytes]], budget: float
) -> Curve:
    points = []
    for x in xs:
        print(f"\r\x1b[K{name}: {x}", end="", file=sys.stderr, flush=True)
        judging, body = make(x)
        points.append((float(x), cost(judging, body, budget)))
    return Curve(name, points)


def with_rules(count: int) -> Engine:
    """The default profiles, each guard with its tracks and only so many further rules."""
    profiles = []
    for name in ("skyhook", "nodewright"):
        profile = shipped(name)
        guards = []
        for guard in profile.guards:
            left, kept = count, {}
            for family in FURTHER:
                rules = getattr(guard, family)
                kept[family], left = rules[: max(0, left)], left - len(rules)
            guards.append(msgspec.structs.replace(guard, **kept))
        profiles.append(msgspec.structs.replace(profile, guards=guards))
    return replace(engine(), catalog=Catalog.of(profiles))


FURTHER = ("monotone", "requires", "projections", "unique", "owned", "checks")


def curves(budget: float, *, quick: bool) -> list[Curve]:
    judging = engine()
    more = [n for n in shipped_names() if n not in ("skyhook", "nodewright", "conditions")]
    nodes = [1, 100, 1000] if quick else [1, 10, 50, 100, 500, 1000, 2000, 3500, 5000]
    packages = [1, 8, 32] if quick else [1, 2, 4, 8, 16, 32, 64]
    changed = [1, 100, 1000] if quick else [1, 10, 50, 100, 250, 500, 1000]
    profiles = [2, 2 + len(more)] if quick else list(range(2, 3 + len(more)))

    most = max(sum(len(getattr(g, f)) for f in FURTHER) for g in shipped("skyhook").guards)
    rules = [0, most] if quick else [*range(0, most, max(1, most // 8)), most]

    def named(number: int) -> tuple[Engine, bytes]:
        names = ["skyhook", "nodewright", *more[: number - 2]]
        return engine(profiles=names), payloads.build("small")

    return [
        measured("nodes, one changed", nodes, lambda n: (judging, payloads.admission(n)), budget),
        measured(
            "packages of each of 50 nodes, one changed", packages,
            lambda n: (judging, payloads.admission(50, packages=n)), budget,
        ),
        measured(
            "changed nodes of 1,000", changed,
            lambda n: (judging, payloads.admission(1000, changed=n)), budget,
        ),
        measured(
            "packages of a new Skyhook", packages,
            lambda n: (judging, payloads.admission(0, packages=n, update=False)), budget,
        ),
        measured(
            "rules beside the tracks, 100 nodes", [max(1, n) for n in rules],
            lambda n: (with_rules(n), payloads.build("n100")), budget,
        ),
        measured("profiles loaded, small review", profiles, named, budget),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "growth.svg")
    args = parser.parse_args()
    found = curves(0.1 if args.quick else BUDGET, quick=args.quick)
    print("\r\x1b[K", end="", file=sys.stderr)
    print("| what grows | from | to | exponent |\n|---|---|---|---|")
    for curve in found:
        (x0, y0), (x1, y1) = curve.points[0], curve.points[-1]
        print(
            f"| {curve.name} | {x0:,.0f}: {y0:.3g} ms | {x1:,.0f}: {y1:.3g} ms | {curve.exponent:.2f} |"
        )
    if not args.quick:
        args.out.write_text(chart([(c.name, c.points, c.exponent) for c in found]))
        print(f"\ndrawn: {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
