"""Reading Nodes: bounded in number, in time and in patience; whatever fails is just no evidence."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from webhook.certs.cluster import ClusterError
from webhook.server.nodes import FRESH, MOST, MOST_KEPT, REFUSED_REST, REST, NodeReader

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
NODE = b'{"metadata":{"name":"n1"}}'


class Api:
    """An API server that answers as it is told, and a clock that stands still until it is moved."""

    def __init__(self, answer=NODE, **reader):
        self.answer, self.asked, self.time = answer, [], 100.0
        self.counts, self.said = Counter(), []
        self.reader = NodeReader(
            self.get, lately=timedelta(seconds=30), clock=lambda: self.time, now=lambda: NOW,
            count=lambda result: self.counts.update([result]), say=self.said.append,
            **{"within": 1.0, "per_second": 20.0, **reader},
        )  # fmt: skip

    async def get(self, name):
        self.asked.append(name)
        if isinstance(self.answer, Exception):
            raise self.answer
        if callable(self.answer):
            return await self.answer(name)
        return self.answer


async def test_a_node_is_read_with_the_time():
    api = Api()
    found = (await api.reader.read(["n1"]))["n1"]
    assert (found.node.text("metadata", "name"), found.read) == ("n1", NOW)
    assert api.counts == {"found": 1}


async def test_a_missing_node_is_an_answer():
    api = Api(answer=None)
    assert (await api.reader.read(["n1"]))["n1"].node is None
    assert api.counts == {"absent": 1}


async def test_nothing_is_read_twice_in_a_row():
    api = Api()
    await api.reader.read(["n1"])
    api.time += FRESH / 2
    assert "n1" in await api.reader.read(["n1"])
    assert api.asked == ["n1"]
    api.time += FRESH
    await api.reader.read(["n1"])
    assert api.asked == ["n1", "n1"]


async def test_of_many_nodes_a_few_are_read():
    api = Api()
    assert len(await api.reader.read([f"n{i}" for i in range(100)])) == MOST == len(api.asked)


async def test_reads_in_a_second_are_bounded_and_come_back_with_time():
    api = Api(per_second=2.0)
    for number in range(10):
        await api.reader.read([f"n{number}"])
    assert len(api.asked) == 4
    assert api.counts == {"found": 4, "limited": 6}
    api.time += 1
    await api.reader.read(["m1", "m2", "m3"])
    assert api.asked[4:] == ["m1", "m2"]


async def test_none_are_read_where_none_may_be():
    api = Api(per_second=0.0)
    assert api.reader.resting
    assert await api.reader.read(["n1"]) == {}
    assert api.asked == []


@pytest.mark.parametrize(
    ("status", "result", "rest", "said"),
    [(0, "failed", REST, 0), (500, "failed", REST, 0), (403, "refused", REFUSED_REST, 1), (401, "refused", REFUSED_REST, 1)],
)  # fmt: skip
async def test_after_a_failure_the_api_server_is_left_alone_for_a_while(status, result, rest, said):
    api = Api(answer=ClusterError(status, "no"))
    assert await api.reader.read(["n1", "n2"]) == {}
    assert api.counts == {result: 2}
    assert len(api.said) == said
    assert api.reader.resting
    assert await api.reader.read(["n1"]) == {}
    assert len(api.asked) == 2
    api.time += rest
    api.answer = NODE
    assert "n1" in await api.reader.read(["n1"])


async def test_what_does_not_come_in_time_is_not_waited_for():
    cancelled = []

    async def late(name):
        if name == "quick":
            return NODE
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(name)
            raise

    api = Api(answer=late, within=0.05)
    async with asyncio.timeout(5):
        found = await api.reader.read(["quick", "slow"])
        await asyncio.sleep(0)
    assert set(found) == {"quick"}
    assert cancelled == ["slow"]
    assert api.counts == {"found": 1, "late": 1}
    assert api.reader.resting


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../secrets",
        "a/b",
        "/api/v1/namespaces/x/secrets/y",
        "",
        "A",
        "a b",
        "x" * 254,
        "n1\n",
    ],
)
async def test_a_name_that_no_node_can_have_is_absent_and_makes_no_path(name):
    api = Api()
    found = await api.reader.read([name])
    assert found[name].node is None
    assert api.asked == []


async def test_what_was_read_is_kept_within_bounds():
    api = Api(per_second=1000.0)
    for number in range(MOST_KEPT + 50):
        await api.reader.read([f"n{number}"])
    assert len(api.reader._kept) == MOST_KEPT


async def test_the_first_contact_counts_nothing_where_all_is_well():
    for answer in (NODE, None):
        api = Api(answer=answer)
        await api.reader.try_out()
        assert not api.counts
        assert not api.reader.resting


@pytest.mark.parametrize(("status", "said"), [(403, 1), (500, 0)])
async def test_at_the_first_contact_it_is_found_out_whether_we_may(status, said):
    api = Api(answer=ClusterError(status, "no"))
    await api.reader.try_out()
    assert api.reader.resting
    assert len(api.said) == said


async def test_the_first_contact_is_not_waited_for_for_long(monkeypatch):
    async def never(name):
        await asyncio.sleep(60)

    monkeypatch.setattr("webhook.server.nodes.TRIAL", 0.02)
    api = Api(answer=never)
    async with asyncio.timeout(5):
        await api.reader.try_out()
    assert api.reader.resting


async def test_other_objects_are_read_by_their_paths():
    api = Api()
    path = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks/gpu"
    assert set(await api.reader.read(["n1"], [path])) == {"n1", path}
    assert api.asked == ["n1", path]


@pytest.mark.parametrize("name", ["..", "GPU", ""])
async def test_the_last_step_of_a_path_must_be_a_name(name):
    api = Api()
    found = await api.reader.read([], [f"/apis/skyhook.nvidia.com/v1alpha1/skyhooks/{name}"])
    assert [node.node for node in found.values()] == [None]
    assert api.asked == []
