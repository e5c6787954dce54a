"""The caBundle owner on an API server in memory; tests/certs/test_real_cluster.py has a real one."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from itertools import pairwise

import pytest

from tests.certs.fake_cluster import NAMESPACE, SERVICE, FakeApiServer
from tests.certs.objects import (
    CRD,
    MUTATING,
    VALIDATING,
    bundles,
    crd,
    mutating,
    validating,
    with_bundle,
)
from tests.certs.objects import webhook as make_webhook
from webhook.certs.bundle import CertError
from webhook.certs.cabundle import ServiceKey
from webhook.certs.cluster import ClusterError, Kind, Target
from webhook.certs.inject import CaBundleOwner

TARGETS = (Target(Kind.VALIDATING), Target(Kind.MUTATING), Target(Kind.CRD, CRD))
OURS = {
    (Kind.VALIDATING, VALIDATING): 2,
    (Kind.MUTATING, MUTATING): 1,
    (Kind.CRD, CRD): 1,
}


class House:
    """An API server with our objects, what is wanted, and whether /convert answers."""

    def __init__(self, clock, ca_pem: bytes) -> None:
        self.clock = clock
        self.server = FakeApiServer()
        self.server.put(Kind.VALIDATING, validating())
        self.server.put(Kind.MUTATING, mutating())
        self.server.put(Kind.CRD, crd())
        self.wanted: bytes | None = ca_pem
        self.converts = True
        self.probed: list[bytes] = []
        self.asked = 0

    async def want(self) -> bytes | None:
        self.asked += 1
        return self.wanted

    async def probe(self, ca_pem: bytes) -> bool:
        self.probed.append(ca_pem)
        return self.converts

    def owner(self, client=None) -> CaBundleOwner:
        return CaBundleOwner(
            client or self.server.client(),
            TARGETS,
            ServiceKey(NAMESPACE, SERVICE),
            wanted=self.want,
            probe=self.probe,
            now=self.clock.now,
            # A retry follows at once, in the clock's time a while later.
            sleep=self.clock.sleep,
        )

    @asynccontextmanager
    async def running(self, *owners: CaBundleOwner):
        tasks = [asyncio.create_task(owner.run()) for owner in owners]
        for owner in owners:
            owner.want(self.wanted)
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    def right(self) -> bool:
        found = {key: bundles(obj) for key, obj in self.server.objects.items()}
        return {key: len(each) for key, each in found.items()} == OURS and all(
            pem == self.wanted for each in found.values() for pem in each.values()
        )


async def until(condition, seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - the condition is the server's state
            await asyncio.sleep(0.002)


@pytest.fixture
def house(clock, make_authority):
    return House(clock, make_authority().cert_pem)


async def test_every_object_gets_the_bundle_at_start(house):
    owner = house.owner()
    async with house.running(owner):
        await until(house.right)
        await asyncio.wait_for(owner.seen_right.wait(), 5)
    assert sorted(house.server.writes) == sorted(("apply", name) for _, name in OURS)


async def test_entries_of_other_services_are_untouched(house):
    async with house.running(house.owner()):
        await until(house.right)
    webhooks = house.server.objects[Kind.VALIDATING, VALIDATING]["webhooks"]
    assert [("caBundle" in each["clientConfig"]) for each in webhooks] == [False, True, False, True]


@pytest.mark.parametrize("damage", [None, b"", b"\n", b"foreign", b"twice"])
async def test_every_damage_is_repaired_by_the_watch(house, make_authority, damage):
    content = {
        b"foreign": make_authority().cert_pem,
        b"twice": house.wanted * 2,
    }.get(damage, damage)
    async with house.running(house.owner()):
        await until(house.right)
        house.server.put(Kind.VALIDATING, with_bundle(validating(), content))
        house.server.put(Kind.MUTATING, with_bundle(mutating(), content))
        house.server.put(Kind.CRD, with_bundle(crd(), content))
        assert not house.right()
        await until(house.right)


async def test_right_ones_cause_no_write(house):
    for kind, make in (
        (Kind.VALIDATING, validating),
        (Kind.MUTATING, mutating),
        (Kind.CRD, crd),
    ):
        house.server.put(kind, with_bundle(make(), house.wanted))
    owner = house.owner()
    async with house.running(owner):
        await asyncio.wait_for(owner.seen_right.wait(), 5)
        # Changes of other fields do not make us write either.
        house.server.put(Kind.MUTATING, with_bundle(mutating(), house.wanted) | {"x": 1})
        await asyncio.sleep(0.05)
    assert house.server.writes == []
    assert house.asked == 0


async def test_an_object_that_appears_later_gets_the_bundle(house):
    house.server.remove(Kind.MUTATING, MUTATING)
    owner = house.owner()
    async with house.running(owner):
        await asyncio.wait_for(owner.seen_right.wait(), 5)
        house.server.put(Kind.MUTATING, mutating())
        await until(house.right)
        house.server.remove(Kind.MUTATING, MUTATING)
        house.server.put(Kind.MUTATING, mutating())
        await until(house.right)


async def test_an_entry_that_is_added_gets_the_bundle(house):
    async with house.running(house.owner()):
        await until(house.right)
        obj = with_bundle(mutating(), house.wanted)
        obj["webhooks"].insert(0, make_webhook("another.guard.skyhook.nvidia.com", "/mutate"))
        house.server.put(Kind.MUTATING, obj)
        await until(lambda: len(bundles(house.server.objects[Kind.MUTATING, MUTATING])) == 2)


async def test_a_crd_waits_for_the_probe_through_that_very_bundle(house):
    house.converts = False
    owner = house.owner()
    async with house.running(owner):
        await asyncio.wait_for(owner.seen_right.wait(), 5)
        await until(lambda: len(house.probed) >= 3)
        assert bundles(house.server.objects[Kind.CRD, CRD]) == {}
        house.converts = True
        await until(house.right)
    assert set(house.probed) == {house.wanted}


async def test_a_replica_that_slept_never_writes_a_bundle_of_yesterday(house, make_authority):
    """It wants the old one, meets the new one, asks before it writes, and is content."""
    slow = house.owner()
    old, house.wanted = house.wanted, house.wanted + make_authority().cert_pem
    async with house.running(house.owner()):
        await until(house.right)
        before = list(house.server.writes)
        task = asyncio.create_task(slow.run())
        slow.want(old)
        await until(lambda: house.asked > len(OURS))
        await asyncio.sleep(0.05)
        task.cancel()
        assert house.server.writes == before
        assert house.right()


async def test_nothing_is_written_while_nobody_knows_what_to_write(house):
    pem, house.wanted = house.wanted, None
    owner = house.owner()
    async with house.running():
        task = asyncio.create_task(owner.run())
        owner.want(pem)
        await until(lambda: house.asked > 3)
        assert house.server.writes == []
        house.wanted = pem
        await until(house.right)
        task.cancel()


async def test_a_secret_that_cannot_be_read_is_said_once(house, caplog):
    async def broken() -> bytes | None:
        house.asked += 1
        raise CertError("Secret is not ours to write")

    owner = CaBundleOwner(
        house.server.client(),
        TARGETS[:1],
        ServiceKey(NAMESPACE, SERVICE),
        wanted=broken,
        probe=house.probe,
        now=house.clock.now,
        sleep=house.clock.sleep,
    )
    async with house.running(owner):
        await until(lambda: house.asked > 20)
    assert house.server.writes == []
    said = "nobody can say what it should be: Secret is not ours to write"
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == [
        f"caBundle of {Kind.VALIDATING} {VALIDATING}: {said}"
    ]


async def test_what_was_just_written_waits_for_its_event(house):
    """A late event, or one of another change meanwhile, is no reason to write again."""
    late: list[tuple[Kind, str]] = []
    notify = house.server.notify
    house.server.notify = lambda kind, name: late.append((kind, name))
    owner = house.owner()
    async with house.running(owner):
        await until(house.right)
        for _ in range(3):
            # Something makes us look while the event of our write is still on its way.
            owner.want(house.wanted)
            await asyncio.sleep(0.02)
        applies = [name for method, name in house.server.requests if method == "apply"]
        assert sorted(applies) == sorted(name for _, name in OURS)
        house.server.notify = notify
        for event in late:
            notify(*event)
        await asyncio.sleep(0.02)
    applies = [name for method, name in house.server.requests if method == "apply"]
    assert sorted(applies) == sorted(name for _, name in OURS)


async def test_a_refused_write_is_said_once_and_tried_again(house, caplog):
    house.server.faults["apply"] = [ClusterError(403, "forbidden")] * 12
    async with house.running(house.owner()):
        await until(house.right)
    lines = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert sorted(lines) == sorted(f"caBundle of {kind} {name}: forbidden" for kind, name in OURS)


async def test_a_broken_watch_is_said_once_and_started_again(house, caplog):
    client = house.server.client()
    async with house.running(house.owner(client)):
        await until(house.right)
        client.cut = True
        house.server.put(Kind.MUTATING, mutating())
        await until(lambda: "connection lost" in caplog.text)
        await asyncio.sleep(0.05)
        assert not house.right()
        client.cut = False
        await until(house.right)
    # The loss, and that there was no answer after it, once per watch however often it was tried.
    assert 1 <= caplog.text.count("connection lost") <= len(TARGETS)
    assert 1 <= caplog.text.count("no answer") <= len(TARGETS)


async def test_somebody_who_fights_is_met_slower_and_slower(house):
    """Two owners of one field: three repairs at once, then in steps that grow to half a minute."""
    start = house.clock.time
    async with house.running(house.owner()):
        await until(house.right)
        house.server.writes.clear()
        times = []
        for _ in range(12):
            house.server.put(Kind.MUTATING, mutating())
            await until(house.right)
            times.append((house.clock.time - start).total_seconds())
    waits = [later - earlier for earlier, later in pairwise(times)]
    assert len(house.server.writes) == 12
    assert sum(waits) > 60
    assert all(wait <= 61 for wait in waits)


async def test_three_replicas_repair_without_a_quarrel(house):
    owners = [house.owner(house.server.client()) for _ in range(3)]
    async with house.running(*owners):
        await until(house.right)
        for _ in range(3):
            house.server.put(Kind.VALIDATING, validating())
            await until(house.right)
        await asyncio.sleep(0.05)
        settled = list(house.server.writes)
        await asyncio.sleep(0.05)
        assert house.server.writes == settled
        # What the others send after the first changes nothing on the server.
        assert settled.count(("apply", VALIDATING)) <= 4 * 2


async def test_missing_reads_the_api_server_and_names_the_object(house, make_authority):
    owner = house.owner()
    assert await owner.missing(house.wanted) == (
        f"{Kind.MUTATING} {MUTATING} lacks a CA that is needed",
        f"{Kind.VALIDATING} {VALIDATING} lacks a CA that is needed",
    )
    async with house.running(owner):
        await until(house.right)
        assert await owner.missing(house.wanted) == ()
        assert len(await owner.missing(house.wanted + make_authority().cert_pem)) == 3


async def test_trusted_gives_our_cas_once_and_no_stranger(house, clock, make_authority):
    from webhook.certs.authority import Authority
    from webhook.certs.keyring import CA_NAME

    mine = Authority.make(CA_NAME, now=clock.now()).cert_pem
    stranger = make_authority("stranger").cert_pem
    house.server.put(Kind.MUTATING, with_bundle(mutating(), stranger + mine))
    house.server.put(Kind.VALIDATING, with_bundle(validating(), mine))
    assert await house.owner().trusted() == mine


async def test_put_back_leaves_a_crd_that_needs_nobody(house):
    owner = house.owner()
    async with house.running(owner):
        await until(house.right)
        assert await owner.put_back() == (CRD,)
        assert house.server.objects[Kind.CRD, CRD]["spec"]["conversion"] == {"strategy": "None"}
        await asyncio.sleep(0.05)
        assert house.server.objects[Kind.CRD, CRD]["spec"]["conversion"] == {"strategy": "None"}
        assert await owner.put_back() == ()
