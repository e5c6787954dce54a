"""Copies that no Node ever held are found, all of them: by memory of a story, and by a look at the Node."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.corpus import reading
from tests.corpus.story import Story
from tests.planted.never_held import History, Lie, ghost, lies, written_by
from tests.planted.variant import field
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON
from webhook.metrics import Metrics
from webhook.reviews.decode import decode_admission, request_of
from webhook.reviews.memory import Bounds, Memory
from webhook.reviews.remembering import Remembering
from webhook.server.crosscheck import CrossCheck
from webhook.server.nodes import MOST, NodeReader

if TYPE_CHECKING:
    from pathlib import Path

    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict

SEED = 20261129
COPIES = ("skyhook.node-state-copy", "skyhook.node-status-copy")
LATER = 60.0
"""Seconds after the recorded write at which the lie is told: the Node has been still since."""
REPLAYED = [
    path.name
    for path in reading.files(reading.CHECKED_IN)
    if path.name.startswith(reading.REPLAY_PREFIX)
]


def changed(lie: Lie) -> set[str]:
    """The Nodes whose copies a write changes."""
    old, new = (lie.review["request"][side].get("status") or {} for side in ("oldObject", "object"))
    maps = [(old.get(name) or {}, new.get(name) or {}) for name in ("nodeState", "nodeStatus")]
    return {node for was, now in maps for node in now if now[node] != was.get(node)}


class Hunt:
    """Lies told in a story, and who found them."""

    def __init__(self, engine: Engine, share: float) -> None:
        self.engine, self.share, self.rng = engine, share, Random(SEED)
        self.told: Counter[str] = Counter()
        self.missed: list[tuple[str, str, str]] = []

    async def hunt(self, folder: Path, name: str) -> None:
        story, history, memory = Story(), History(), Remembering(self.engine.catalog)
        for review, line in story.reviews(reading.lines(folder, names=[name])):
            history.look(review["request"])
            request = request_of(decode_admission(line))
            if self.rng.random() < self.share:
                for lie in lies(history, review, self.rng):
                    self.told[lie.form] += 1
                    self._by_memory(lie, memory, name, story.time)
                    await self._by_a_look(lie, story)
                for lie in ghost(review, self.rng):
                    self.told[lie.form] += 1
                    await self._by_a_look(lie, story)
            verdict = self.engine.judge_request(request, memory.evidence(name, story.time))
            memory.learn(request, verdict, story.time, made=review.get("outcome") in (200, 201))

    def _by_memory(self, lie: Lie, memory: Remembering, source: str, time: float) -> None:
        for user in (PERSON, ACCOUNT, OPERATOR):
            request = request_of(decode_admission(written_by(lie, user)))
            verdict = self.engine.judge_request(request, memory.evidence(source, time))
            self._check(lie, user, verdict, "memory")

    async def _by_a_look(self, lie: Lie, story: Story) -> None:
        """A process that has just started, some time after the Node was last written."""
        lie.review["request"]["oldObject"]["metadata"]["managedFields"] = [
            {"subresource": "status", "time": "2026-01-01T00:00:00Z"}
        ]
        time, metrics = story.time + LATER, Metrics(frozenset()).cross_check
        story.gone.update(lie.place[-1:] if lie.form == "ghost" else ())
        for user in (PERSON, ACCOUNT, OPERATOR):
            reader = NodeReader(
                story.get, lately=timedelta(seconds=30), within=1.0, per_second=100.0,
                clock=lambda: time, now=lambda: datetime.fromtimestamp(time, UTC),
                count=metrics.read, say=lambda why: None,
            )  # fmt: skip
            check = CrossCheck(
                Memory(Bounds(lately=30.0)), metrics, reader,
                clock=lambda: time, now=lambda: datetime.fromtimestamp(time, UTC),
            )  # fmt: skip
            if not (self._shows(lie, story) if lie.form != "ghost" else len(changed(lie)) <= MOST):
                continue
            verdict = (await check.judge(self.engine, written_by(lie, user))).verdict
            self._check(lie, user, verdict, "look")

    def _shows(self, lie: Lie, story: Story) -> bool:
        """Whether a look can tell: not of an annotation that is absent, nor of too many Nodes."""
        if len(changed(lie)) > MOST:
            return False
        kind = "nodeState_" if lie.place[1] == "nodeState" else "status_"
        name = lie.review["request"]["name"]
        return f"skyhook.nvidia.com/{kind}{name}" in story.nodes.get(lie.place[2], {})

    def _check(self, lie: Lie, user: str, verdict: Verdict, how: str) -> None:
        """Denied from people, warned about from the others."""
        place = field(lie.place)
        found = [f for f in verdict.findings if f.rule in COPIES and str(f.field) == place]
        denied = any(f.severity.value == "deny" for f in found)
        if user == PERSON:
            right = not verdict.allowed and found and (denied or not lie.new_words)
        else:
            right = bool(found) and not denied and set(found) <= {*verdict.warned, *verdict.denied}
        self.told[how] += 1
        if not right:
            self.missed.append((lie.form, user, f"{how}: {place}: {verdict.findings}"))


@pytest.mark.parametrize("name", REPLAYED)
async def test_every_copy_that_no_node_ever_held_is_found(engine: Engine, name: str) -> None:
    hunt = Hunt(engine, share=0.04)
    await hunt.hunt(reading.CHECKED_IN, name)
    assert not hunt.missed, (len(hunt.missed), hunt.missed[:3])
    assert hunt.told["ghost"]


async def test_lies_of_every_form_are_told(engine: Engine) -> None:
    hunt = Hunt(engine, share=0.1)
    await hunt.hunt(reading.CHECKED_IN, "replay-compartments-move.jsonl.gz")
    assert set(hunt.told) == {"pair", "mixture", "image", "sha", "word", "ghost", "memory", "look"}


@pytest.mark.nightly
@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
@pytest.mark.parametrize("name", [path.name for path in reading.files(reading.SHARED)])
async def test_every_copy_that_no_node_ever_held_is_found_in_all_recordings(
    engine: Engine, name: str
) -> None:
    hunt = Hunt(engine, share=0.03)
    await hunt.hunt(reading.SHARED, name)
    assert not hunt.missed, (len(hunt.missed), hunt.missed[:3])
