"""The shared Secret and the rotation: several replicas, real TLS, an API server in memory, no real time."""

from __future__ import annotations

import asyncio
import base64
import logging
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.certs.fake_cluster import SERVICE, FakeApiServer
from tests.certs.objects import (
    CRD,
    VALIDATING,
    bundles,
    crd,
    mutating,
    validating,
    with_bundle,
)
from webhook.certs.chain import certificates
from webhook.certs.cluster import ClusterError, Kind, Target
from webhook.certs.keyring import Keyring, Lives
from webhook.certs.secret import PHASE, secret_of
from webhook.certs.selfsigned import Pace
from webhook.certs.serving import ServingContext, client_context
from webhook.certs.shared import SECRET, self_signed

if TYPE_CHECKING:
    from webhook.certs.bundle import CertBundle

TARGETS = (Target(Kind.VALIDATING), Target(Kind.MUTATING), Target(Kind.CRD, CRD))
NAME = f"{SERVICE}.skyhook-webhook-system.svc"
POLL = 20.0


class HandClock:
    """Time that the test moves: who sleeps wakes when `advance` passes the moment."""

    def __init__(self, start) -> None:
        self.time = start
        self.sleepers: list[tuple] = []

    def now(self):
        return self.time

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        entry = (self.time + timedelta(seconds=seconds), future)
        self.sleepers.append(entry)
        try:
            await future
        finally:
            self.sleepers.remove(entry)

    def step(self, end) -> bool:
        """Move to the next moment at which somebody wakes, at most `end`; False when there."""
        moments = [moment for moment, future in self.sleepers if not future.done()]
        self.time = max(self.time, min([end, *moments]))
        for moment, future in self.sleepers:
            if moment <= self.time and not future.done():
                future.set_result(None)
        return self.time < end


class Observed:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.holds: list[str | None] = []
        self.complaints: list[str | None] = []
        self.expiries: dict[str, object] = {}
        self.bundles: dict[tuple[str, str], bool] = {}
        self.written: list[tuple[str, str]] = []

    def expiry(self, certificate, not_after) -> None:
        self.expiries[certificate] = not_after

    def phase(self, phase) -> None:
        if self.phases[-1:] != [phase]:
            self.phases.append(phase)

    def held(self, reason) -> None:
        self.holds.append(reason)

    def complaint(self, message) -> None:
        self.complaints.append(message)

    def ca_bundle(self, kind, name, *, right) -> None:
        self.bundles[kind, name] = right

    def ca_bundle_written(self, kind, name) -> None:
        self.written.append((kind, name))


class ReplicaUnderTest:
    """One process: client, source, owner, serving context, listener."""

    def __init__(self, house: House, name: str) -> None:
        self.house, self.name = house, name
        self.client = house.server.client()
        self.observed = Observed()
        self.parts = self_signed(
            self.client,
            service=SERVICE,
            targets=TARGETS,
            probe=house.probe,
            now=house.clock.now,
            sleep=self.sleep,
            observer=self.observed,
            lives=house.lives,
            pace=Pace(look=timedelta(seconds=POLL)),
        )
        self.context = ServingContext()
        self.served: list[CertBundle] = []
        self.port = 0
        self.sleeping = False
        self.tried: set[tuple[bytes, bytes]] = set()
        self.tasks: list[asyncio.Task[None]] = []

    async def sleep(self, seconds: float) -> None:
        """The source sleeps in the test's time, the owner's retries in very little real time."""
        if asyncio.current_task() is self.tasks[0]:
            self.sleeping = True
            try:
                await self.house.clock.sleep(seconds)
            finally:
                self.sleeping = False
        else:
            await asyncio.sleep(min(seconds, 0.01))

    async def serve(self) -> None:
        async for bundle in self.parts.source.bundles():
            self.parts.owner.want(bundle.ca_pem)
            self.context.swap(bundle)
            self.served.append(bundle)


class House:
    """The API server, the replicas behind the Service, and a client that never forgives."""

    def __init__(self, clock, listening, lives: Lives) -> None:
        self.clock, self.listening, self.lives = clock, listening, lives
        self.server = FakeApiServer()
        self.server.put(Kind.VALIDATING, validating())
        self.server.put(Kind.MUTATING, mutating())
        self.server.put(Kind.CRD, crd())
        self.replicas: list[ReplicaUnderTest] = []
        self.converts = False
        self.calls = 0
        self.failures: list[str] = []

    async def probe(self, ca_pem: bytes) -> bool:
        """As the server does it: a call of our own listener through that bundle."""
        return self.converts or all(
            [await self._call(replica, ca_pem) is None for replica in self.replicas]
        )

    @asynccontextmanager
    async def replica(self, name: str):
        replica = ReplicaUnderTest(self, name)
        async with self.listening(replica.context) as replica.port:
            self.replicas.append(replica)
            replica.tasks = [
                asyncio.create_task(replica.serve()),
                asyncio.create_task(replica.parts.owner.run()),
            ]
            try:
                await self.settle()
                self.publish()
                yield replica
            finally:
                self.replicas.remove(replica)
                self.publish()
                for task in replica.tasks:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task

    def publish(self) -> None:
        """EndpointSlices as the endpoint controller would write them: who serves is ready."""
        self.server.slices = [
            {
                "ports": [{"name": "https", "port": replica.port}],
                "endpoints": [
                    {"addresses": ["127.0.0.1"], "targetRef": {"name": replica.name}},
                ],
            }
            for replica in self.replicas
            if replica.served
        ]

    async def settle(self) -> None:
        """Let everybody finish what they do in this moment: all sources sleep again."""
        for _ in range(2):
            async with asyncio.timeout(10):
                while not all(map(self._asleep, self.replicas)):  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
            await asyncio.sleep(0.002)

    def _asleep(self, replica: ReplicaUnderTest) -> bool:
        return replica.sleeping or replica.tasks[0].done()

    async def advance(self, **duration: float) -> None:
        """Time passes, moment by moment; after each, every bundle is tried on every replica."""
        end = self.clock.time + timedelta(**duration)
        while True:
            more = self.clock.step(end)
            await self.settle()
            await self.check()
            if not more:
                return

    async def check(self) -> None:
        """As API servers do: each bundle as it is stored now against what each replica shows now.

        A pair that was met before would end as before.
        """
        for replica in [each for each in self.replicas if each.served]:
            for (kind, name), obj in self.server.objects.items():
                for pem in set(bundles(obj).values()):
                    met = (pem, replica.context.bundle.cert_pem)
                    if met in replica.tried:
                        continue
                    replica.tried.add(met)
                    self.calls += 1
                    if fault := await self._call(replica, pem):
                        self.failures.append(f"{self.phase} {kind} {name} {replica.name}: {fault}")

    async def _call(self, replica: ReplicaUnderTest, ca_pem: bytes) -> str | None:
        try:
            _, writer = await asyncio.open_connection(
                "127.0.0.1", replica.port, ssl=client_context(ca_pem), server_hostname=NAME
            )
        except OSError as error:
            return str(error)
        writer.transport.abort()
        return None

    @property
    def phase(self) -> str:
        secret = self.server.secrets.get(SECRET)
        return secret["metadata"]["annotations"][PHASE] if secret else "none"

    def data(self, key: str) -> bytes:
        return base64.b64decode(self.server.secrets[SECRET]["data"][key])

    def trusted(self) -> set[bytes]:
        """Every distinct bundle that objects hold now."""
        return {pem for obj in self.server.objects.values() for pem in bundles(obj).values()}

    def all_right(self) -> bool:
        """Whether every object holds the bundle that the Secret says."""
        found = [bundles(obj) for obj in self.server.objects.values()]
        return all(found) and self.trusted() == {self.data("ca.crt")}

    async def until(self, condition, **at_most: float) -> None:
        end = self.clock.time + timedelta(**(at_most or {"hours": 1}))
        while not condition():
            assert self.clock.time < end, f"still {self.phase} at {self.clock.time}"
            await self.advance(seconds=POLL)


@pytest.fixture
def lives():
    return Lives()


@pytest.fixture
def house(clock, listening, lives):
    return House(HandClock(clock.time), listening, lives)


async def test_one_replica_makes_a_secret_serves_it_and_publishes_it(house):
    async with house.replica("a") as a:
        await house.settle()
        assert house.phase == "steady"
        assert [bundle.cert_pem for bundle in a.served] == [house.data("tls.crt")]
        assert house.trusted() == {house.data("ca.crt")}
        assert a.parts.owner.seen_right.is_set()
        assert a.observed.expiries["leaf"] == a.served[0].not_after
        await house.advance(minutes=5)
    assert house.failures == []
    assert [write for write in house.server.writes if write[1] == SECRET] == [
        ("create_secret", SECRET)
    ]


# --- B49: the race at start


async def test_three_starters_end_with_one_ca(house):
    async with house.replica("a") as a, house.replica("b") as b, house.replica("c") as c:
        await house.advance(minutes=1)
        assert {bundle.cert_pem for each in (a, b, c) for bundle in each.served} == {
            house.data("tls.crt")
        }
    creates = [write for write in house.server.writes if write[0] == "create_secret"]
    assert creates == [("create_secret", SECRET)]
    assert house.failures == []


async def test_losers_of_a_real_race_adopt_the_winner(house):
    """All three have seen that there is none before the first of them creates it."""
    entered = 0
    everybody = asyncio.Event()
    clients = [house.server.client() for _ in range(3)]

    def delayed(client):
        get = client.get_secret

        async def get_secret(name):
            nonlocal entered
            found = await get(name)
            entered += 1
            if entered >= 3:
                everybody.set()
            await everybody.wait()
            return found

        client.get_secret = get_secret
        return client

    async def no_probe(_ca_pem: bytes) -> bool:
        return True

    sources = [
        self_signed(
            delayed(client),
            service=SERVICE,
            targets=TARGETS,
            probe=no_probe,
            now=house.clock.now,
            sleep=house.clock.sleep,
        ).source.bundles()
        for client in clients
    ]
    served = await asyncio.gather(*(anext(source) for source in sources))
    assert entered >= 3
    assert {bundle.cert_pem for bundle in served} == {house.data("tls.crt")}
    assert [write for write in house.server.writes if "secret" in write[0]] == [
        ("create_secret", SECRET)
    ]
    for source in sources:
        await source.aclose()


async def test_injected_conflicts_are_no_obstacle(house):
    house.server.faults["create_secret"] = [ClusterError(409, "already exists")] * 3
    async with house.replica("a") as a:
        assert len(a.served) == 1


async def test_a_restart_keeps_the_ca(house):
    async with house.replica("a"):
        before = house.data("ca.crt")
    async with house.replica("a2") as a2:
        await house.advance(minutes=1)
        assert house.data("ca.crt") == before
        assert a2.served[0].ca_pem == before


async def test_an_api_server_that_is_away_is_waited_for_with_one_line(house, caplog):
    house.server.faults["get_secret"] = [ClusterError(0, "no answer")] * 5
    async with house.replica("a") as a:
        assert a.served == []
        await house.advance(minutes=2)
        assert len(a.served) == 1
    errors = [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]
    assert errors == ["certificates: no answer; waiting"]


# --- B48: rotation


async def rotated(house: House) -> None:
    await house.replicas[0].parts.store.rotate()
    assert house.phase == "publishing"
    await house.until(lambda: house.phase == "steady", minutes=30)


async def test_a_rotation_fails_no_call_and_works_twice(house):
    async with house.replica("a") as a, house.replica("b") as b:
        await house.advance(minutes=1)
        seen = [house.data("ca.crt")]
        for _ in range(2):
            await rotated(house)
            seen.append(house.data("ca.crt"))
            assert house.trusted() == {house.data("ca.crt")}
            assert a.served[-1].cert_pem == b.served[-1].cert_pem == house.data("tls.crt")
        assert len(set(seen)) == 3
        assert all(len(certificates(pem, "CA")) == 1 for pem in seen)
    assert house.failures == []
    # Two replicas met every pair that is on the way: old-old, old-both, new-both, new-new, twice.
    assert house.calls == 2 * 7
    for replica in (a, b):
        assert replica.observed.phases == [
            "steady", *["publishing", "serving", "retiring", "steady"] * 2
        ]  # fmt: skip


async def test_the_order_is_bundle_then_leaf_then_old_ca(house):
    async with house.replica("a") as a, house.replica("b"):
        await house.advance(minutes=1)
        old = house.data("ca.crt")
        start = house.clock.time
        await a.parts.store.rotate()
        both = house.data("ca.crt")
        assert both.startswith(old)
        await house.until(lambda: house.trusted() == {both})
        assert a.served[-1].cert_pem == a.served[0].cert_pem, "the old leaf is still served"
        await house.until(lambda: house.phase == "serving")
        assert house.clock.time - start >= timedelta(minutes=1)
        assert house.trusted() == {both}
        await house.until(lambda: house.phase == "retiring")
        shown = house.clock.time
        assert all(each.served[-1].cert_pem == house.data("tls.crt") for each in house.replicas)
        assert house.trusted() == {both}
        await house.until(lambda: house.phase == "steady")
        assert house.clock.time - shown >= timedelta(minutes=10)
    assert house.failures == []


async def test_a_replica_that_is_slow_to_see_the_secret_holds_the_rotation(house):
    """It shows the old leaf for a quarter of an hour; nobody may drop the CA behind it."""
    async with house.replica("a") as a, house.replica("slow") as slow:
        await house.advance(minutes=1)
        await a.parts.store.rotate()
        await house.until(lambda: house.phase == "publishing" and len(house.trusted()) == 1)
        slow.client.cut = True
        await house.until(lambda: house.phase == "serving")
        await house.advance(minutes=15)
        assert house.phase == "serving"
        assert "slow shows another certificate" in a.observed.holds[-1]
        slow.client.cut = False
        await house.until(lambda: house.phase == "retiring")
        assert a.observed.holds[-1] is None
        await house.until(lambda: house.phase == "steady", minutes=15)
    assert house.failures == []


async def test_a_replica_that_cannot_be_reached_holds_the_rotation(house, unused_tcp_port):
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        dead = {
            "ports": [{"port": unused_tcp_port}],
            "endpoints": [{"addresses": ["127.0.0.1"], "targetRef": {"name": "dead"}}],
        }
        house.server.slices.append(dead)
        await a.parts.store.rotate()
        await house.until(lambda: house.phase == "serving")
        await house.advance(minutes=20)
        assert house.phase == "serving"
        assert a.observed.holds[-1].startswith("dead can't be reached")
        # Gone while the old CA retires: the ten minutes begin again when it is back.
        house.server.slices.remove(dead)
        await house.until(lambda: house.phase == "retiring")
        house.server.slices.append(dead)
        await house.advance(minutes=1)
        assert house.phase == "serving"
        house.server.slices.remove(dead)
        await house.until(lambda: house.phase == "steady", minutes=15)
    assert house.failures == []


async def test_a_bundle_that_cannot_be_published_holds_the_rotation(house):
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        house.server.faults["apply"] = [ClusterError(403, "forbidden")] * 10_000
        leaf = house.data("tls.crt")
        await a.parts.store.rotate()
        # Real TLS checks dates against the real clock: stay within what is back-dated.
        await house.advance(minutes=20)
        assert house.phase == "publishing"
        assert house.data("tls.crt") == leaf
        assert f"{Kind.VALIDATING} {VALIDATING} lacks a CA" in a.observed.holds[-1]
        house.server.faults["apply"].clear()
        await house.until(lambda: house.phase == "steady")
    assert house.failures == []


async def test_a_replica_that_dies_amid_a_rotation_is_replaced_and_the_rest_goes_on(house):
    async with house.replica("a"):
        async with house.replica("b") as b:
            await house.advance(minutes=1)
            await b.parts.store.rotate()
            await house.until(lambda: house.phase == "serving")
        async with house.replica("c") as c:
            await house.until(lambda: house.phase == "steady")
            assert c.served[-1].ca_pem == house.data("ca.crt")
    assert house.failures == []


async def test_a_rotation_is_continued_by_processes_that_did_not_begin_it(house):
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        await a.parts.store.rotate()
    for phase in ("serving", "retiring", "steady"):
        async with house.replica(f"until-{phase}"):
            await house.until(lambda phase=phase: house.phase == phase)
    assert house.failures == []


async def test_a_leaf_is_renewed_at_two_thirds_by_the_wall_clock_without_a_rotation(house):
    async with house.replica("a") as a, house.replica("b") as b:
        await house.advance(minutes=1)
        trust, leaf = house.data("ca.crt"), house.data("tls.crt")
        # A machine that slept for weeks: no timer saw the moment pass.
        house.clock.time += timedelta(days=61)
        await house.advance(minutes=1)
        assert house.data("tls.crt") != leaf
        assert a.served[-1].cert_pem == b.served[-1].cert_pem == house.data("tls.crt")
        assert house.data("ca.crt") == trust
        assert house.trusted() == {trust}
    assert [write for write in house.server.writes if write[1] == SECRET] == [
        ("create_secret", SECRET),
        ("update_secret", SECRET),
    ]


async def test_a_ca_at_two_thirds_rotates_by_itself(house):
    async with house.replica("a"), house.replica("b"):
        await house.advance(minutes=1)
        before = house.data("ca.crt")
        # Real TLS checks dates against the real clock, so what is made in the future can't be
        # dialled with success: the phases up to the dial are what this test is about.
        house.converts = True
        house.clock.time += house.lives.ca * 2 / 3
        await house.until(lambda: house.phase == "serving", minutes=10)
        assert house.data("ca.crt").startswith(before)


# --- B47: whatever happens to the Secret


def corrupt(house: House, **data: bytes | None) -> None:
    secret = house.server.secrets[SECRET]
    for key, value in data.items():
        name = key.replace("__", "-").replace("_", ".")
        if value is None:
            secret["data"].pop(name, None)
        else:
            secret["data"][name] = base64.b64encode(value).decode()
    house.server.put_secret(secret)


async def test_a_deleted_secret_is_put_back_from_memory(house):
    async with house.replica("a") as a, house.replica("b") as b:
        await house.advance(minutes=1)
        before = dict(house.server.secrets.pop(SECRET)["data"])
        await house.advance(minutes=1)
        assert house.server.secrets[SECRET]["data"] == before
        assert len(a.served) == len(b.served) == 1
    assert house.failures == []


@pytest.mark.parametrize(
    "damage",
    [
        {"tls_crt": b"", "tls_key": b"", "ca_crt": b"", "signing__ca_crt": b"", "signing__ca_key": b""},
        {"signing__ca_key": None},
        {"signing__ca_crt": b"rubbish"},
        {"ca_crt": b"Cg=="},
        {"tls_key": b""},
    ],
    ids=["all empty", "no signing key", "rubbish CA", "rubbish ca.crt", "empty key"],
)  # fmt: skip
async def test_a_corrupted_secret_is_mended_and_fails_no_call(house, damage, caplog):
    async with house.replica("a"), house.replica("b"):
        await house.advance(minutes=1)
        trust = house.data("ca.crt")
        corrupt(house, **damage)
        await house.advance(minutes=2)
        assert house.data("ca.crt") == trust
        assert house.trusted() == {trust}
    assert house.failures == []
    warnings = [r.getMessage() for r in caplog.records if " mended: " in r.getMessage()]
    assert len(warnings) == 1
    assert "PRIVATE" not in caplog.text


async def test_a_secret_that_vanishes_between_read_and_write_is_made_again(house, caplog):
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        corrupt(house, tls_key=b"")
        house.server.before = lambda method: (
            house.server.secrets.pop(SECRET, None) if method == "update_secret" else None
        )
        await house.advance(minutes=1)
        assert house.data("ca.crt") == a.served[0].ca_pem
    assert not [r for r in caplog.records if r.levelno >= logging.ERROR]
    assert house.failures == []


async def test_a_secret_that_is_lost_while_a_new_replica_starts_fails_no_call(house):
    """The new one may be first and make a new CA: what caBundles hold now is carried over."""
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        old = house.data("ca.crt")
        del house.server.secrets[SECRET]
        async with house.replica("new") as new:
            # The new one looked at once; the old one looks only now.
            assert house.data("ca.crt") != old
            assert house.data("ca.crt").startswith(old)
            await house.until(lambda: house.phase == "steady")
            assert a.served[-1].cert_pem == new.served[-1].cert_pem
            assert old not in house.data("ca.crt")
    assert house.failures == []


async def test_a_secret_from_elsewhere_is_adopted_with_an_overlap(house, names):
    """A restored backup, or GitOps with a Secret of its own: other CA, valid."""
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        theirs = Keyring.fresh(names, now=house.clock.now(), lives=house.lives)
        old = house.data("ca.crt")
        house.server.put_secret(secret_of(SECRET, theirs))
        start = house.clock.time
        await house.until(lambda: a.served[-1].cert_pem == theirs.leaf.cert_pem)
        # Nobody announced that CA: API servers get the same time to see it as in a rotation.
        assert house.clock.time - start >= timedelta(minutes=1)
        await house.until(lambda: house.phase == "steady" and a.served[-1].ca_pem != old)
        assert a.served[-1].cert_pem == theirs.leaf.cert_pem
        assert house.data("ca.crt") == theirs.trust
    assert house.failures == []


async def test_a_leaf_that_no_bundle_verifies_is_not_shown(house, names):
    """The Secret is replaced, and for a while nobody may write the bundles."""
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        theirs = Keyring.fresh(names, now=house.clock.now(), lives=house.lives)
        house.server.faults["apply"] = [ClusterError(403, "forbidden")] * 100_000
        house.server.put_secret(secret_of(SECRET, theirs))
        await house.advance(minutes=15)
        assert a.served[-1].cert_pem == a.served[0].cert_pem
        assert "lacks a CA" in a.observed.holds[-1]
        house.server.faults["apply"].clear()
        await house.until(lambda: a.served[-1].cert_pem == theirs.leaf.cert_pem)
        await house.until(lambda: house.phase == "steady")
    assert house.failures == []


@pytest.mark.parametrize("lives", [Lives(ca=timedelta(hours=48), leaf=timedelta(hours=28))])
async def test_a_leaf_at_its_end_gives_way_even_to_one_that_is_not_trusted(house, names):
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        long = Lives()
        theirs = Keyring.fresh(names, now=house.clock.now(), lives=long)
        house.server.faults["apply"] = [ClusterError(403, "forbidden")] * 100_000
        house.server.put_secret(secret_of(SECRET, theirs))
        await house.advance(minutes=1)
        assert a.served[-1].cert_pem == a.served[0].cert_pem
        house.clock.time += timedelta(hours=4)
        await house.advance(minutes=1)
        assert a.served[-1].cert_pem == theirs.leaf.cert_pem


@pytest.mark.parametrize(
    "foreign",
    [
        {"metadata": {"annotations": {"cert-manager.io/certificate-name": "c"}}, "data": {}},
        {"metadata": {}, "data": {"password": "aHVudGVyMg=="}},
        {"metadata": {}, "data": {}, "immutable": True},
    ],
    ids=["cert-manager's", "somebody's password", "immutable"],
)
async def test_a_foreign_secret_is_reported_once_and_never_written(house, foreign, caplog):
    foreign["metadata"]["name"] = SECRET
    house.server.put_secret(foreign)
    async with house.replica("a") as a:
        await house.advance(minutes=10)
        assert a.served == []
        assert a.observed.complaints[-1] is not None
    assert house.server.writes == []
    [line] = [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]
    assert "is not ours to write" in line
    assert "hunter2" not in caplog.text


async def test_a_secret_that_turns_foreign_leaves_the_old_pair_served(house):
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        stolen = {"metadata": {"name": SECRET}, "data": {"password": ""}}
        house.server.put_secret(stolen)
        await house.advance(minutes=5)
        assert len(a.served) == 1
        assert "is not ours" in a.observed.complaints[-1]
    assert house.failures == []


async def test_an_empty_secret_of_a_chart_is_filled(house):
    house.server.put_secret(
        {"metadata": {"name": SECRET, "labels": {"chart": "x"}}, "type": "kubernetes.io/tls",
         "data": {"tls.crt": "", "tls.key": ""}}
    )  # fmt: skip
    async with house.replica("a") as a:
        await house.advance(minutes=1)
        assert len(a.served) == 1
        assert house.server.secrets[SECRET]["metadata"]["labels"] == {"chart": "x"}
    assert house.failures == []


async def test_a_wrong_bundle_everywhere_is_repaired_amid_a_rotation(house, make_authority):
    async with house.replica("a") as a, house.replica("b"):
        await house.advance(minutes=1)
        await a.parts.store.rotate()
        for content in (None, make_authority().cert_pem):
            house.server.put(Kind.VALIDATING, with_bundle(validating(), content))
            house.server.put(Kind.MUTATING, with_bundle(mutating(), content))
            house.server.put(Kind.CRD, with_bundle(crd(), content))
            async with asyncio.timeout(5):
                while not house.all_right():  # noqa: ASYNC110 - the condition is the server's state
                    await asyncio.sleep(0.002)
        await house.until(lambda: house.phase == "steady")
    assert house.failures == []
