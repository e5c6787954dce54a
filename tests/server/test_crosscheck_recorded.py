"""Recorded scenarios in order through processes that remember and read: no true copy is refused."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.corpus import reading
from tests.corpus.story import Story
from webhook.metrics import CrossCheckMetrics, Metrics
from webhook.reviews.memory import Bounds, Memory
from webhook.server.crosscheck import CrossCheck
from webhook.server.nodes import NodeReader

if TYPE_CHECKING:
    from pathlib import Path

    from webhook.reviews.engine import Engine

LATELY = 30.0
COPIES = ("node-state-copy", "node-status-copy", "node-uninstall-asked")
MIXTURES = {
    ("batches-30", 1265), ("interrupts", 453), ("interrupts", 751), ("many-packages", 437),
    ("many-packages", 555), ("removal-mid", 362), ("upstream-manifests", 347),
}  # fmt: skip
"""Those of the twelve whose scenarios are in the recordings: a stale patch mixed two copies."""
REPLAYED = [
    path.name
    for path in reading.files(reading.CHECKED_IN)
    if path.name.startswith(reading.REPLAY_PREFIX)
]
SCENARIOS = [path.name for path in reading.files(reading.SHARED)]


def process(story: Story, metrics: CrossCheckMetrics, *, reads: bool) -> CrossCheck:
    reader = NodeReader(
        story.get, lately=timedelta(seconds=LATELY), within=1.0, per_second=1000.0,
        clock=lambda: story.time, now=lambda: datetime.fromtimestamp(story.time, UTC),
        count=metrics.read, say=lambda why: None,
    )  # fmt: skip
    memory = Memory(Bounds(lately=LATELY))
    return CrossCheck(
        memory, metrics, reader if reads else None,
        clock=lambda: story.time, now=lambda: datetime.fromtimestamp(story.time, UTC),
    )  # fmt: skip


class Fleet:
    """One process that gets every review, two that share them, and one that has just started."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine, self.rng, self.story = engine, Random(seed), Story()
        self.metrics = Metrics(frozenset()).cross_check
        self.every = process(self.story, self.metrics, reads=False)
        self.alone = process(self.story, self.metrics, reads=True)
        self.pair = [process(self.story, self.metrics, reads=True) for _ in range(2)]
        self.denied: dict[tuple[str, int], str] = {}
        self.warned: Counter[tuple[str, int]] = Counter()
        self.copies = 0
        self.seen: set[tuple[str, int]] = set()

    async def replay(self, folder: Path, name: str) -> None:
        for review, line in self.story.reviews(reading.lines(folder, names=[name])):
            body = self.story.with_owners(review, line)
            status = review["request"].get("subResource") == "status"
            fresh = [process(self.story, self.metrics, reads=True)] if status else []
            for check in (self.every, self.alone, self.rng.choice(self.pair), *fresh):
                verdict = (await check.judge(self.engine, body)).verdict
                origin = reading.origin(review)
                if verdict.denied:
                    self.denied[origin] = str(verdict.denied)
                self.warned.update(
                    {origin: sum(f.rule.endswith(COPIES) for f in verdict.warned) or 0}
                )
            self.copies += status
            self.seen.add(reading.origin(review))


def check(fleet: Fleet) -> None:
    """Nothing but the damage is denied; what is remembered neither adds to that nor excuses it."""
    assert fleet.denied.keys() <= reading.EXCEPTIONS
    assert fleet.denied.keys() >= reading.DAMAGE & fleet.seen
    assert {origin for origin, count in fleet.warned.items() if count} <= MIXTURES


@pytest.mark.parametrize("name", REPLAYED)
async def test_no_replica_refuses_or_doubts_a_recorded_copy(engine: Engine, name: str) -> None:
    fleet = Fleet(engine, seed=20261129)
    await fleet.replay(reading.CHECKED_IN, name)
    assert fleet.copies
    check(fleet)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SCENARIOS)
async def test_no_replica_refuses_or_doubts_any_recorded_copy(engine: Engine, name: str) -> None:
    fleet = Fleet(engine, seed=20261130)
    await fleet.replay(reading.SHARED, name)
    check(fleet)
