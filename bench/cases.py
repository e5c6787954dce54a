"""The cases by name, each a function from servers to rows of figures, and what each must reach."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bench import harness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.harness import Server

Row = dict[str, float]
FIGURES = ("cpu_ms", "p50_ms", "p99_ms")


@dataclass(frozen=True)
class Case:
    """One line of the table.

    Attributes:
        name: on the command line.
        title: in the table.
        run: servers, seconds -> server name -> figures, for one round.
        limits: figure -> (must, reach), as ratios to the Go peer.
        servers: which take part.
        rounds: a multiple of the usual rounds.
    """

    name: str
    title: str
    run: Callable[[dict[str, Server], float], Iterator[tuple[str, Row]]]
    limits: dict[str, tuple[float, float]] = field(default_factory=dict)
    servers: tuple[str, ...] = ("peer", "ours")
    share: float = 1.0


def _load(
    payload: str,
    conns: int,
    new_connections: bool,
    servers: dict[str, Server],
    seconds: float,
) -> Iterator[tuple[str, Row]]:
    for name, server in servers.items():
        yield (
            name,
            harness.measured(server, payload, conns, seconds, new_connections=new_connections),
        )


def _beside(servers: dict[str, Server], seconds: float) -> Iterator[tuple[str, Row]]:
    """Small reviews on two connections, while two others send 3 MB all the time."""
    for name, server in servers.items():
        large = harness.loading(server, "max", 2, seconds + 1.0)
        time.sleep(0.5)
        small = harness.seen(harness.loading(server, "small2", 2, seconds))
        beside = harness.seen(large)
        yield name, {"p50_ms": small["p50_ms"], "p99_ms": small["p99_ms"], "rps": beside["rps"]}


def _all(must: float, reach: float) -> dict[str, tuple[float, float]]:
    return {"cpu_ms": (must, reach)}


CONVERSION = {"cpu_ms": (0.1, 0.08), "p50_ms": (0.12, 0.1), "peak_mib": (1.0, 0.95)}
MUTATION = {"cpu_ms": (0.07, 0.05), "p50_ms": (0.08, 0.06)}
WITH_FLOOR = ("peer", "ours", "floor")


def _case(
    name: str,
    title: str,
    payload: str,
    conns: int = 1,
    limits: dict[str, tuple[float, float]] | None = None,
    *,
    servers: tuple[str, ...] = ("peer", "ours"),
    new_connections: bool = False,
    share: float = 1.0,
) -> Case:
    run = partial(_load, payload, conns, new_connections)
    return Case(name, title, run, limits or {}, servers, share)


CASES = (
    _case(
        "small-8", "small, 8 connections", "small", 8,
        {"cpu_ms": (0.8, 0.6), "p50_ms": (0.85, 0.7), "p99_ms": (0.4, 0.3)}, servers=WITH_FLOOR,
    ),
    _case(
        "small-32", "small, 32 connections", "small", 32,
        {"cpu_ms": (0.65, 0.5), "p50_ms": (0.65, 0.5)},
    ),
    _case("small-1", "small, 1 connection", "small", 1, {"cpu_ms": (1.0, 0.8), "p50_ms": (1.0, 0.85)}),
    _case(
        "n100", "100 nodes (210 KB)", "n100", 1,
        {"cpu_ms": (0.1, 0.08), "p50_ms": (0.15, 0.12), "p99_ms": (0.15, 0.1)},
    ),
    _case("n1000", "1,000 nodes (2 MB)", "n1000", share=0.7),
    _case(
        "max", "3 MB, one node changed", "max", 1,
        {"cpu_ms": (0.07, 0.055), "p50_ms": (0.08, 0.06), "p99_ms": (0.15, 0.1), "floor": (2.5, 2.2)},
        servers=WITH_FLOOR, share=1.5,
    ),
    _case("max-all", "3 MB, all nodes changed", "max-all"),
    _case("node", "Node, one step (15 KB)", "node", share=0.7),
    _case("mutate", "mutate, small (7 KB)", "mutate", share=0.7),
    _case("mutate-max", "mutate, 3 MB", "mutate-max", 1, MUTATION),
    _case("convert-4k", "convert 1 x 4 KB", "conv1x4k", 1, CONVERSION, share=0.7),
    _case("convert-100k", "convert 1 x 100 KB", "conv1x100k", 1, CONVERSION, share=0.7),
    _case("convert-1m", "convert 1 x 1 MB", "conv1x1m", 1, CONVERSION, share=0.7),
    _case("convert-500x4k", "convert 500 x 4 KB", "conv500x4k", 1, CONVERSION),
    _case("convert-100x100k", "convert 100 x 100 KB", "conv100x100k", 1, CONVERSION),
    Case(
        "beside", "small beside two 3 MB streams", _beside,
        {"p50_ms": (0.25, 0.15), "p99_ms": (0.5, 0.4)}, share=1.5,
    ),
    _case("new-connection", "small, a new connection each", "small", 4, new_connections=True, share=0.7),
)  # fmt: skip
