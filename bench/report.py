"""Rounds of figures to ratios, and those to a table in Markdown."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.cases import Case

Ratio = tuple[float, float, float]
"""Median, least and greatest over the rounds."""


def ratios(
    rounds: list[dict[str, dict[str, float]]], figure: str, of: str, to: str
) -> Ratio | None:
    """The ratio of two servers in a figure, taken inside each round."""
    found = [
        r[of][figure] / r[to][figure]
        for r in rounds
        if of in r and to in r and r[to].get(figure) and figure in r[of]
    ]
    return (statistics.median(found), min(found), max(found)) if found else None


def line(case: Case, rounds: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """One case as data."""
    out: dict[str, Any] = {"case": case.name, "title": case.title, "rounds": len(rounds)}
    for name in case.servers:
        kept = [r[name] for r in rounds if name in r]
        if kept:
            out[name] = {k: statistics.median(r[k] for r in kept) for k in kept[0]}
    out["ratios"] = {
        figure: found
        for figure in ("cpu_ms", "p50_ms", "p99_ms", "rps", "peak_mib")
        if (found := ratios(rounds, figure, "ours", "peer"))
    }
    if "floor" in case.servers:
        out["floor"] |= {
            "to_peer": ratios(rounds, "cpu_ms", "floor", "peer"),
            "ours_to_it": ratios(rounds, "cpu_ms", "ours", "floor"),
        }
        out["ratios"]["floor"] = out["floor"]["ours_to_it"]
    out["limits"] = {
        figure: {"must": must, "reach": reach, "found": out["ratios"][figure][0]}
        for figure, (must, reach) in case.limits.items()
        if figure in out["ratios"]
    }
    return out


def word(found: float, must: float, reach: float) -> str:
    return "reached" if found <= reach else "met" if found <= must else "MISSED"


def cell(found: Ratio | None, limit: dict[str, float] | None = None) -> str:
    if not found:
        return ""
    text = f"{found[0]:.2f} [{found[1]:.2f}..{found[2]:.2f}]"
    if limit is None:
        return text
    verdict = word(found[0], limit["must"], limit["reach"])
    return f"{text} ≤ {limit['must']:g}: {verdict}"


HEAD = (
    "| case | peer: CPU ms, p50, p99 | ours: CPU ms, p50, p99 | CPU ratio | p50 ratio | p99 ratio | peak memory ratio |\n"
    "|---|---|---|---|---|---|---|"
)


def row(item: dict[str, Any]) -> str:
    """One case as a row."""

    def told(server: str) -> str:
        figures = item.get(server, {})
        return ", ".join(
            f"{figures[k]:.3g}" if k in figures else "-" for k in ("cpu_ms", "p50_ms", "p99_ms")
        )

    cells = [item["title"], told("peer"), told("ours")]
    cells += [
        cell(item["ratios"].get(k), item["limits"].get(k))
        for k in ("cpu_ms", "p50_ms", "p99_ms", "peak_mib")
    ]
    return "| " + " | ".join(cells) + " |"


def fairness(items: list[dict[str, Any]]) -> list[str]:
    """Is the peer what perf.md measured: the plain floor over it within 25 % of 0.15 and of 0.02?"""
    lines = []
    for name, anchor in (("small-8", 0.15), ("max", 0.02)):
        item = next((i for i in items if i["case"] == name), None)
        if item is None:
            continue
        to_peer, ours = item["floor"]["to_peer"], item["floor"]["ours_to_it"]
        fair = "fair" if abs(round(to_peer[0], 3) / anchor - 1) <= 0.25 else "NOT FAIR"
        lines.append(
            f"- {item['title']}: plain floor over peer, CPU {cell(to_peer)} (anchor {anchor} ± 25 %): {fair};"
            f" ours over the floor {cell(ours, item['limits'].get('floor'))}"
        )
    return lines


def page(found: dict[str, Any]) -> str:
    """The whole report."""
    items = found["cases"]
    lines = [
        "Ratios are ours to the Go peer inside one round: median [least..greatest].",
        (
            f"Load average {found['load_before']:.1f} before, {found['load_after']:.1f} after;"
            f" {found['seconds']:.0f} s; {found['machine']}."
        ),
        "",
        *fairness(items),
        "",
        HEAD,
        *(row(i) for i in items),
    ]
    if "start" in found:
        lines += ["", *_start(found["start"])]
    if "apiserver" in found:
        lines += ["", *_apiserver(found["apiserver"])]
    return "\n".join(lines) + "\n"


START = {"first_ms": ("first answer, ms", 5, 3), "idle_mib": ("idle memory, MiB", 1.6, 1.3)}


def _start(start: dict[str, Any]) -> list[str]:
    lines = ["| start | peer | ours | floor | ratio |", "|---|---|---|---|---|"]
    for key, (title, must, reach) in START.items():
        ratio = tuple(start[key]["ratio"])
        told = cell(ratio, {"must": must, "reach": reach})  # type: ignore[arg-type]
        values = " | ".join(f"{start[key][name]:.0f}" for name in ("peer", "ours", "floor"))
        lines.append(f"| {title} | {values} | {told} |")
    return lines


def _apiserver(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "Through a real kube-apiserver (status writes; one writer's latency, four writers' rate):",
        "",
        "| object | webhooks | p50 ms | more than nobody | p99 ms | writes a second |",
        "|---|---|---|---|---|---|",
    ]
    for r in rows:
        base = next(b for b in rows if b["size"] == r["size"] and b["way"] == "nobody")
        more = f"{r['p50_ms'] - base['p50_ms']:+.2f}" if r is not base else ""
        lines.append(
            f"| {r['size']} | {r['way']} | {r['p50_ms']:.2f} | {more} | {r['p99_ms']:.2f} | {r['writes_s']:.0f} |"
        )
    return lines
