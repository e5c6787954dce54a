"""Rotations, rolling restarts, broken bundles and Secrets under constant load: no write is lost through us.

Every webhook is registered with `failurePolicy: Fail`, so that a call that fails, fails a write. What
fails while a caBundle is broken on purpose, or between a SIGKILL and the Service's noticing it, is
counted apart.
"""

from __future__ import annotations

import base64
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.fleet import MERGE, Fleet, until
from tests.e2e.guarding import ADMIN, REGISTERED
from tests.e2e.load import NODES, Diallers, Failure, Load, illegal, patiently, prepare, remove
from tests.kube.apiserver import PLAIN
from tests.kube.crds import install_crds
from webhook.certs.apiclient import ApiCluster
from webhook.certs.authority import Authority, service_names
from webhook.certs.clock import utc_now
from webhook.certs.keyring import Lives
from webhook.certs.secret import PHASE
from webhook.certs.store import KeyringStore
from webhook.conversions.crd import add_spoke, serve_spoke, service_config
from webhook.manifests.options import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.control_plane import ControlPlane

NAMESPACE = "rollout"
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/skyhooks.skyhook.nvidia.com"
BETA = "/apis/skyhook.nvidia.com/v1beta1/skyhooks"
REPAIRED_WITHIN = 5.0
SEEN_WITHIN = 1.0
"""Seconds after a repair in which the API server may not have seen it."""


@pytest.fixture(scope="module")
def plane(start_cluster) -> ControlPlane:
    """A control plane of its own: its Skyhooks are converted by us."""
    started: ControlPlane = start_cluster(PLAIN)
    install_crds(started)
    return started


@pytest.fixture(scope="module")
def fleet(plane: ControlPlane, tmp_path_factory) -> Iterator[Fleet]:
    """Two replicas that were started at once on an empty cluster; v1beta1 is known, and not served."""
    found = Fleet(plane, tmp_path_factory.mktemp("fleet"), NAMESPACE)
    try:
        found.install()
        to_us = service_config(NAME, NAMESPACE, found.balancer.port)
        replace(plane, add_spoke(crd(plane), to_us, {("skyhook.nvidia.com", "Skyhook")}))
        assert found.bundles() == {""}
        found.start(2)
        yield found
    finally:
        found.close()


def crd(plane: ControlPlane) -> dict[str, Any]:
    return plane.request(ADMIN, "GET", CRD)[1]


def replace(plane: ControlPlane, body: dict[str, Any]) -> None:
    body["metadata"]["resourceVersion"] = crd(plane)["metadata"]["resourceVersion"]
    status, answer = plane.request(ADMIN, "PUT", CRD, body)
    assert status == 200, answer


def crd_bundle(plane: ControlPlane) -> str:
    return str(crd(plane)["spec"]["conversion"]["webhook"]["clientConfig"].get("caBundle", ""))


def right(fleet: Fleet) -> bool:
    """Every caBundle is what the Secret says."""
    status, secret = fleet.cluster.request(ADMIN, "GET", fleet.secret)
    if status != 200:
        return False
    wanted = secret["data"].get("ca.crt", "")
    return bool(wanted) and fleet.bundles() | {crd_bundle(fleet.cluster)} == {wanted}


def steady(fleet: Fleet) -> bool:
    secret = fleet.must("GET", fleet.secret)
    return secret["metadata"]["annotations"][PHASE] == "steady" and right(fleet)


def test_replicas_that_start_together_share_one_ca_and_are_ready_when_it_is_trusted(fleet: Fleet):
    until(lambda: right(fleet), 10)
    for replica in fleet.replicas:
        events = [(line["event"], line.get("logger")) for line in replica.lines()]
        names = [event for event, _ in events]
        written = [i for i, (event, _) in enumerate(events) if event.startswith("caBundle of")]
        assert all(names.index("serving") < i for i in written), names


def test_a_crd_is_written_only_by_who_has_answered_a_conversion_itself(fleet: Fleet):
    writers = [
        replica
        for replica in fleet.replicas
        if any("CustomResourceDefinition skyhooks" in x["event"] for x in replica.lines())
    ]
    assert writers
    assert all(r.metric("skyhook_webhook_converted_objects_total") >= 1 for r in writers)
    serve_both(fleet)


def serve_both(fleet: Fleet) -> None:
    """The second version is served; from here on reads of it need us."""
    replace(fleet.cluster, serve_spoke(crd(fleet.cluster)))
    until(lambda: fleet.cluster.request(ADMIN, "GET", BETA)[0] == 200, 30)


def test_ready_is_said_at_the_first_moment_that_a_verified_call_works(fleet: Fleet):
    """B53; the probes answer from the start, and alive it is all the time."""
    alive: list[int] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            for replica in fleet.replicas[2:]:
                with suppress(ConnectionRefusedError):  # not yet listening
                    alive.append(replica.get(replica.health, "/healthz")[0])
                if replica.probe():
                    alive.append(dials(fleet, replica.port))

    thread = threading.Thread(target=watch)
    thread.start()
    (new,) = fleet.start()
    time.sleep(0.3)
    done.set()
    thread.join()
    assert set(alive) == {200}
    assert fleet.end(new) == 0


def dials(fleet: Fleet, port: int) -> int:
    """200 when every stored bundle verifies what this port shows."""
    dialler = Diallers(fleet, port)
    return 200 if not list(dialler.dial()) else 500


class Drill:
    """What is done to a fleet under load, and what may fail meanwhile."""

    def __init__(self, fleet: Fleet, load: Load) -> None:
        self.fleet, self.load = fleet, load
        self.apart: list[tuple[str, float, float]] = []
        self.repairs: list[tuple[str, float]] = []
        self.unread: list[str] = []
        self.undialled: list[Failure] = []

    def quiet(self, seconds: float = 1.0) -> None:
        time.sleep(seconds)

    async def rotate(self) -> None:
        before = self.fleet.bundles()
        client = await ApiCluster.connect(
            namespace=NAMESPACE, kubeconfig=self.fleet.cluster.kubeconfig(ADMIN)
        )
        try:
            store = KeyringStore(
                client, "skyhook-webhook-certs", service_names(NAME, NAMESPACE), now=utc_now, lives=Lives()
            )  # fmt: skip
            await store.rotate()
        finally:
            await client.close()
        took = until(lambda: steady(self.fleet) and not self.fleet.bundles() & before, 120)
        self.repairs.append(("rotation", took))

    def roll(self) -> None:
        self.fleet.roll()

    def break_bundles(self, bundle: str | None) -> None:
        """Replaced in every webhook as a whole, as `helm upgrade` or another tool does."""
        began = time.monotonic()
        for each in ("validating", "mutating"):
            path = f"{REGISTERED}/{each}webhookconfigurations/{NAME}"
            body = self.fleet.must("GET", path)
            for webhook in body["webhooks"]:
                webhook["clientConfig"]["caBundle"] = bundle
            self.fleet.must("PUT", path, body)
        broken = time.monotonic()
        until(lambda: right(self.fleet), 30)
        end = time.monotonic()
        what = "emptied" if bundle is None else "foreign"
        self.repairs.append((what, end - broken))
        self.apart.append((what, began, end + SEEN_WITHIN))

    def lose_secret(self) -> None:
        before = self.fleet.bundles()
        self.fleet.must("DELETE", self.fleet.secret)
        took = until(lambda: right(self.fleet), 30)
        self.repairs.append(("Secret deleted", took))
        assert self.fleet.bundles() == before, "another CA for a Secret that replicas remember"

    def corrupt_secret(self) -> None:
        before = self.fleet.bundles()
        broken = {"data": {"tls.key": "", "signing-ca.key": "", "ca.crt": "Cg=="}}
        self.fleet.must("PATCH", self.fleet.secret, broken, MERGE)
        took = until(lambda: right(self.fleet), 30)
        self.repairs.append(("Secret corrupted", took))
        assert self.fleet.bundles() == before

    def kill(self) -> None:
        began = time.monotonic()
        self.repairs.append(("killed, noticed", self.fleet.kill(self.fleet.replicas[0])))
        self.apart.append(("killed", began, time.monotonic() + 0.1))
        self.fleet.start()

    def ours(self) -> list[Failure]:
        """Failed writes that began outside of what was broken on purpose."""
        return self.outside(self.load.failures)

    def outside(self, failures: list[Failure]) -> list[Failure]:
        return [
            each
            for each in failures
            if not any(begin - 1 <= each.began <= end for _, begin, end in self.apart)
        ]

    def report(self) -> str:
        apart = {
            f"{what}@{begin - self.apart[0][1]:.0f}s": sum(
                begin <= each.began <= end for each in self.load.failures
            )
            for what, begin, end in self.apart
        }
        repairs = ", ".join(f"{what} {took:.1f} s" for what, took in self.repairs)
        return (
            f"{self.load.written} writes ({self.load.retried} asked for again), slowest {self.load.slowest:.2f} s, {len(self.ours())} failed"
            f" through us, apart {apart}; {repairs}; exit codes {self.fleet.codes}"
        )


async def drill(fleet: Fleet, rotations: int, rolls: int) -> Drill:
    foreign = Authority.make("foreign", now=utc_now()).sign(("x.example",), now=utc_now()).ca_pem
    fleet.codes.clear()
    until(lambda: right(fleet), 30)
    serve_both(fleet)
    with Load(fleet.cluster) as load, Diallers(fleet) as diallers, Readers(fleet) as readers:
        done = Drill(fleet, load)
        done.quiet()
        done.kill()
        done.lose_secret()
        done.corrupt_secret()
        for _ in range(rotations):
            await done.rotate()
        for _ in range(rolls):
            done.roll()
        done.quiet()
        done.unread = list(readers.failures)
        done.undialled = done.outside(diallers.failures)
        done.break_bundles(None)
        done.quiet(2)
        done.break_bundles(base64.b64encode(foreign).decode())
        done.quiet(2)
    print(f"{done.report()}; {diallers.dialled} handshakes, {readers.read} converted reads")
    return done


class Readers:
    """Reads in the version that is converted: while that fails, plain kubectl does."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.read = 0
        self.failures: list[str] = []
        self._began = time.monotonic()

    def __enter__(self) -> Readers:  # noqa: PYI034
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            status, answer = patiently(
                lambda: self._fleet.cluster.request(ADMIN, "GET", BETA), lambda: None
            )
            self.read += 1
            if status != 200:
                since = time.monotonic() - self._began
                self.failures.append(f"{since:.1f}s: {status} {answer.get('message')}")


def check(done: Drill, fleet: Fleet, least: int) -> None:
    assert done.ours() == [], done.report()
    assert (done.undialled, done.unread) == ([], []), done.report()
    assert done.load.written >= least, done.report()
    assert set(fleet.codes) == {0}, done.report()
    slow = [r for r in done.repairs if r[0] in ("emptied", "foreign") and r[1] > REPAIRED_WITHIN]
    assert not slow, done.report()
    for replica in fleet.replicas:
        assert replica.turns == 1, "a broken bundle or Secret took readiness away"
        assert [line for line in replica.lines() if line["event"] == "fault"] == []


@pytest.mark.nightly
async def test_a_rotation_a_rolling_restart_and_everything_broken_once_lose_no_write(fleet: Fleet):
    done = await drill(fleet, rotations=1, rolls=1)
    check(done, fleet, 300)


@pytest.mark.nightly
async def test_three_rotations_and_ten_rolling_restarts_lose_no_write(fleet: Fleet):
    done = await drill(fleet, rotations=3, rolls=10)
    check(done, fleet, 3000)


def test_heartbeats_and_node_controllers_cause_no_call(fleet: Fleet):
    plane = fleet.cluster
    prepare(plane, "node-0")
    before = fleet.reviews()
    for number in range(50):
        heartbeat = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "x"}
        heartbeat["lastHeartbeatTime"] = f"2026-05-01T10:00:{number:02}Z"
        body = {"status": {"conditions": [heartbeat], "images": [{"names": [f"i:{number}"]}]}}
        strategic = "application/strategic-merge-patch+json"
        path = f"{NODES}/node-0/status"
        assert plane.request("system:node:node-0", "PATCH", path, body, strategic)[0] == 200
        taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "value": str(number)}
        body = {"spec": {"taints": [taint]}, "metadata": {"labels": {"zone": f"z{number}"}}}
        assert plane.request("node-controller", "PATCH", f"{NODES}/node-0", body, MERGE)[0] == 200
    assert fleet.reviews() == before
    assert illegal(plane, "node-0") == 422
    assert fleet.reviews() == before + 1
    remove(plane, "node-0")


@pytest.mark.nightly
def test_an_api_server_that_is_away_takes_nobodys_readiness(fleet: Fleet):
    answers: list[bool] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            answers.extend(replica.probe() for replica in fleet.replicas)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        fleet.cluster.restart_apiserver()
    finally:
        done.set()
        thread.join()
    assert len(answers) > 10
    assert all(answers)
    until(lambda: right(fleet), 10)
    prepare(fleet.cluster, "after")
    until(lambda: illegal(fleet.cluster, "after") == 422, 10)
    remove(fleet.cluster, "after")
