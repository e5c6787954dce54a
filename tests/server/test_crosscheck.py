"""The server's verdicts on copies: memory first, a read before anything is found, silence in doubt."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.lifecycle.skyhook import STATE, STATUS, entry, node, ready, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, body
from webhook.catalog import Catalog, shipped
from webhook.certs.cluster import ClusterError
from webhook.core.writer import UserGlobs
from webhook.metrics import Metrics
from webhook.reviews.memory import Bounds, Memory
from webhook.reviews.policy import Mode, ModeRule
from webhook.server.crosscheck import CrossCheck
from webhook.server.nodes import NodeReader

START = datetime(2026, 11, 29, 12, tzinfo=UTC)
TRUE, FORMER, LIE = "config/in_progress", "apply/complete", "post-interrupt/complete"
PATH = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks/gpu"
COPIED = {"skyhook.node-state-copy", "skyhook.node-status-copy"}


class World:
    """Time, an API server with one Node, and a process that judges."""

    def __init__(self, engine, *, reads=True):
        self.seconds, self.engine, self.asked = 1000.0, engine, 0
        self.live = {"n1": (TRUE, 0.0)}
        self.broken = None
        self.owner = None
        self.metrics = Metrics(frozenset())
        self.check = self.process(reads=reads)

    def now(self):
        return START + timedelta(seconds=self.seconds)

    def process(self, *, reads=True):
        """A process that has just started."""
        reader = NodeReader(
            self.get, lately=timedelta(seconds=30), within=0.2, per_second=100.0,
            clock=lambda: self.seconds, now=self.now, count=self.metrics.cross_check.read,
            say=lambda why: None,
        )  # fmt: skip
        memory = Memory(Bounds(lately=30))
        return CrossCheck(
            memory, self.metrics.cross_check, reader if reads else None,
            clock=lambda: self.seconds, now=self.now,
        )  # fmt: skip

    async def get(self, name):
        self.asked += 1
        if self.broken is not None:
            raise self.broken
        if name == PATH:
            return self.owner
        if name not in self.live:
            return None
        pair, written = self.live[name]
        keys = {f"f:{key}": {} for key in (STATE, STATUS)}
        stamp = START + timedelta(seconds=written)
        owner = {"manager": "op", "time": stamp.isoformat(), "fieldsV1": {"f:metadata": {"f:annotations": keys}}}  # fmt: skip
        annotations = {STATE: json.dumps({"foo|1.0": entry(pair)}), STATUS: "in_progress"}
        return json.dumps(
            {"metadata": {"name": name, "annotations": annotations, "managedFields": [owner]}}
        ).encode()

    async def judged(self, payload, check=None):
        return await (check or self.check).judge(self.engine, payload)

    async def copy(self, pair, user, *, node="n1", check=None, written=0.0, **request):
        """A status write that changes the copy of foo on a Node; what rules about copies say."""
        stamp = (START + timedelta(seconds=written)).isoformat()
        meta = {"managedFields": [{"manager": "op", "subresource": "status", "time": stamp}]}
        base = {
            "status": "in_progress", "nodeStatus": {"n1": "in_progress"},
            "nodeBootIds": {"n1": "a", "n9": "b"}, "conditions": [ready()],
        }  # fmt: skip
        old = skyhook(meta=meta, nodeState={"n1": {"foo|1.0": entry("apply/in_progress")}}, **base)
        changed = {"n1": {"foo|1.0": entry("apply/in_progress")}, node: {"foo|1.0": entry(pair)}}
        new = skyhook(meta=meta, nodeState=changed, **base)
        found = await self.judged(body(old, new, user, **request), check)
        return [f.severity.value for f in found.verdict.findings if f.rule in COPIED]

    async def node_write(self, old, new, check=None, **request):
        sides = (node({"foo|1.0": entry(pair)}, status="in_progress") for pair in (old, new))
        return await self.judged(body(*sides, OPERATOR, **request), check)

    def results(self, name="cross_checks"):
        counts = Counter()
        for line in self.metrics.text().decode().splitlines():
            if line.startswith(f"skyhook_webhook_{name}_total{{"):
                series, _, value = line.rpartition(" ")
                counts[series.split('"')[1]] = int(float(value))
        return counts


@pytest.fixture
def world(engine):
    return World(engine)


@pytest.fixture
def alone(engine):
    """A process that only remembers, and has listened for long enough."""
    return World(engine, reads=False)


WRITERS = pytest.mark.parametrize(
    ("user", "severity"), [(PERSON, "deny"), (ACCOUNT, "warn"), (OPERATOR, "warn")]
)


@WRITERS
async def test_a_copy_that_the_node_does_not_hold_is_found_after_a_read(world, user, severity):
    assert await world.copy(LIE, user) == [severity]
    assert world.asked == 1
    assert world.results() == {"untrue": 1}
    assert world.results("node_reads") == {"found": 1}


@WRITERS
async def test_a_true_copy_passes_a_process_that_knows_nothing(world, user, severity):
    assert await world.copy(TRUE, user) == []
    assert world.asked == 1
    assert world.results() == {"borne-out": 1}


@WRITERS
async def test_a_copy_that_is_remembered_is_read_by_nobody(world, user, severity):
    await world.node_write(FORMER, TRUE)
    for pair in (FORMER, TRUE):
        assert await world.copy(pair, user) == []
    assert world.asked == 0
    assert world.results() == {"borne-out": 2}


async def test_two_replicas_one_just_started_deny_no_true_copy(world):
    """What the Node held a moment ago was seen by the other one only."""
    other = world.process()
    await world.node_write("apply/in_progress", FORMER, check=other)
    world.live["n1"] = (TRUE, world.seconds)
    await world.node_write(FORMER, TRUE, check=other)
    for user in (PERSON, ACCOUNT, OPERATOR):
        for pair in (FORMER, TRUE):
            for check in (world.check, other, world.process()):
                assert await world.copy(pair, user, check=check) == []


@WRITERS
async def test_once_the_node_has_been_still_for_a_while_any_replica_finds_the_lie(
    world, user, severity
):
    world.live["n1"] = (TRUE, world.seconds)
    assert await world.copy(LIE, user) == []
    assert world.results() == {"unproven": 1}
    world.seconds += 31
    assert await world.copy(LIE, user) == [severity]


async def test_a_person_is_believed_while_the_status_moves(world):
    """A tool puts back the whole status that it read just before."""
    assert await world.copy(FORMER, PERSON, written=world.seconds - 5) == []
    assert world.asked == 0
    assert await world.copy(FORMER, OPERATOR, written=world.seconds - 5) == ["warn"]


@WRITERS
async def test_an_entry_for_a_node_that_there_is_not(world, user, severity):
    assert await world.copy(TRUE, user, node="n9") == [severity]
    assert world.results("node_reads") == {"absent": 1}


@WRITERS
async def test_waiting_is_the_word_of_an_absent_annotation_and_not_of_an_absent_node(
    world, user, severity
):
    stamp = {"subresource": "status", "time": START.isoformat()}
    old = skyhook(nodeStatus={}, nodeBootIds={"n9": "b"}, meta={"managedFields": [stamp]})
    new = skyhook(nodeStatus={"n9": "waiting"}, nodeBootIds={"n9": "b"})
    verdict = (await world.judged(body(old, new, user))).verdict
    assert [f.severity.value for f in verdict.findings if f.rule in COPIED] == [severity]


@pytest.mark.parametrize("status", [0, 403, 500])
async def test_where_nothing_can_be_read_nothing_is_found_and_writes_go_on(world, status):
    world.broken = ClusterError(status, "no")
    for _ in range(5):
        assert await world.copy(LIE, PERSON) == []
    assert world.asked == 1
    await world.node_write(FORMER, TRUE)
    assert world.check.memory.knows("n1")


async def test_a_slow_read_holds_a_review_up_for_its_time_and_no_longer(world):
    async def never(name):
        await asyncio.sleep(60)

    world.check.reader._get = never
    async with asyncio.timeout(5):
        assert await world.copy(LIE, PERSON) == []
    assert world.results("node_reads") == {"late": 1}


async def test_other_reviews_are_answered_while_one_waits_for_a_read(world):
    gate = asyncio.Event()

    async def gated(name):
        await gate.wait()
        return await world.get(name)

    world.check.reader._get = gated
    waiting = asyncio.ensure_future(world.copy(LIE, PERSON))
    await asyncio.sleep(0)
    assert (await world.node_write(FORMER, TRUE)).verdict.allowed
    assert not waiting.done()
    gate.set()
    assert await waiting == ["deny"]


@WRITERS
async def test_memory_alone_finds_after_it_has_listened_for_a_while(alone, user, severity):
    await alone.node_write(FORMER, TRUE)
    assert await alone.copy(LIE, user) == []
    alone.seconds += 31
    assert await alone.copy(LIE, user) == [severity]
    assert await alone.copy(TRUE, user) == []
    assert await alone.copy(TRUE, user, node="n9") == []
    assert alone.asked == 0
    assert alone.results() == {"untrue": 1, "borne-out": 1, "unproven": 2}


@pytest.mark.parametrize("how", [{"dryRun": True}, {"user": PERSON}])
async def test_what_was_refused_or_only_tried_is_not_what_the_node_had(alone, how):
    if "user" in how:
        refused = await alone.judged(
            body(
                node({"foo|1.0": entry("apply/complete")}, status="in_progress"),
                node({"foo|1.0": entry("interrupt/unknown")}, status="in_progress"),
                PERSON,
            )
        )
        assert not refused.verdict.allowed
        lie = "interrupt/unknown"
    else:
        await alone.node_write(FORMER, "config/erroring", **how)
        lie = "config/erroring"
    alone.seconds += 31
    assert await alone.copy(lie, OPERATOR) == ["warn"]


async def test_settings_that_are_reloaded_change_what_is_compared(world, engine):
    assert await world.copy(LIE, PERSON) == ["deny"]
    world.engine = replace(engine, catalog=Catalog.of([shipped("nodewright")]))
    assert await world.copy(LIE, PERSON) == []
    world.engine = engine
    assert await world.copy(LIE, PERSON) == ["deny"]


async def test_rules_that_are_off_are_not_read_for(engine):
    off = ModeRule(Mode.OFF, UserGlobs.of(["*-copy"]), UserGlobs.of([]))
    world = World(replace(engine, policy=replace(engine.policy, overrides=(off,))))
    assert await world.copy(LIE, PERSON) == []
    assert world.asked == 0


def owner(written, *, enabled):
    """The Skyhook as it is read, its spec written at that second."""
    stamp = (START + timedelta(seconds=written)).isoformat()
    package = {"version": "1.0", "uninstall": {"enabled": enabled, "apply": enabled}}
    meta = {"managedFields": [{"time": stamp, "fieldsV1": {"f:spec": {}}}]}
    return json.dumps(skyhook(spec={"packages": {"foo": package}}, meta=meta)).encode()


async def uninstalls(world, user):
    sides = (
        node({"foo|1.0": entry(p)}, status="in_progress")
        for p in ("config/complete", "uninstall/in_progress")
    )
    verdict = (await world.judged(body(*sides, user))).verdict
    return [f.severity.value for f in verdict.findings if f.rule.endswith("uninstall-asked")]


@WRITERS
async def test_an_uninstall_that_nobody_allowed_is_found_after_a_read_of_the_skyhook(
    world, user, severity
):
    world.owner = owner(0, enabled=False)
    assert await uninstalls(world, user) == [severity]
    assert world.asked == 1
    assert world.results() == {"untrue": 1}


@WRITERS
async def test_an_uninstall_that_is_allowed_is_read_for_once_at_most(world, user, severity):
    world.owner = owner(0, enabled=True)
    for _ in range(3):
        assert await uninstalls(world, user) == []
        world.seconds += 60
    assert world.asked == 1
    assert world.results() == {"borne-out": 3}


@pytest.mark.parametrize("read", [None, owner(990, enabled=False)], ids=["gone", "just changed"])
async def test_of_a_skyhook_that_is_gone_or_just_changed_nothing_is_known(world, read):
    world.owner = read
    assert await uninstalls(world, PERSON) == []
    assert world.results() == {"unproven": 1}


async def test_memory_alone_knows_a_skyhook_once_it_has_listened(alone):
    package = {"version": "1.0", "image": "reg/foo"}
    write = body(skyhook(), skyhook(generation=6, spec={"packages": {"foo": package}}), OPERATOR)
    await alone.judged(write)
    assert await uninstalls(alone, PERSON) == []
    alone.seconds += 31
    assert await uninstalls(alone, PERSON) == ["deny"]


async def test_a_stale_writer_is_excused_by_what_this_process_saw_a_moment_ago(world):
    """The entry is removed, and somebody who has not seen that writes its next step (B.6)."""
    there, gone = (
        {"foo|1.0": entry("config/complete")},
        {"bar|1.0": entry("apply/complete", "bar|1.0")},
    )
    stale = {**gone, "foo|1.0": entry("interrupt/in_progress")}

    async def write(old, new, check=None):
        payload = body(node(old, status="in_progress"), node(new, status="in_progress"), OPERATOR)
        return (await world.judged(payload, check)).verdict

    await write({**gone, **there}, gone)
    verdict = await write(gone, stale)
    assert verdict.allowed
    assert [f.rule for f in verdict.audited] == ["skyhook.node-package-step.lost-update"]
    assert not (await write(gone, stale, check=world.process())).allowed
    world.seconds += 31
    await write(gone, gone | {"baz|1.0": entry("apply/in_progress", "baz|1.0")})
    assert not (await write(gone, stale)).allowed
