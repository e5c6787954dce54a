"""With every replica gone the cluster works on; with them back it is guarded again, nothing done by hand.

The configurations are those that we ship: `failurePolicy: Ignore` for status, Nodes and conditions.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.fleet import Fleet, until
from tests.e2e.load import Load, illegal, prepare, remove

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.control_plane import ControlPlane

GUARDING_AGAIN_WITHIN = 5.0
"""Seconds from the first ready replica to the first refusal; the API server may have to dial again."""


@pytest.fixture(scope="module")
def fleet(cluster: ControlPlane, tmp_path_factory) -> Iterator[Fleet]:
    found = Fleet(
        cluster, tmp_path_factory.mktemp("outage"), "outage", "Ignore", {"shutdown_delay": 1}
    )
    try:
        found.install()
        found.start(2)
        yield found
    finally:
        found.close()


@pytest.fixture
def target(fleet: Fleet) -> Iterator[str]:
    """A Node whose illegal writes are refused while anybody guards."""
    name = "outage-node"
    prepare(fleet.cluster, name)
    yield name
    remove(fleet.cluster, name)


def refused(fleet: Fleet, name: str) -> bool:
    return illegal(fleet.cluster, name) == 422


@pytest.mark.nightly
def test_all_replicas_gone_and_back_without_a_lost_write(fleet: Fleet, target: str):
    until(lambda: refused(fleet, target), 10)
    with Load(fleet.cluster) as load:
        time.sleep(1)
        for replica in list(fleet.replicas):
            assert fleet.end(replica) == 0
        gone = load.written
        time.sleep(3)
        assert illegal(fleet.cluster, target) == 200, "somebody guards who is gone"
        without = load.written - gone
        fleet.start(2)
        again = until(lambda: refused(fleet, target), GUARDING_AGAIN_WITHIN)
        time.sleep(1)
    print(
        f"{load.written} writes, {without} of them with nobody there, slowest {load.slowest:.2f} s,"
        f" {len(load.failures)} failed; guarding again after {again:.2f} s; exit codes {fleet.codes}"
    )
    assert load.failures == []
    assert without > 20
    assert load.slowest < 5, "an absent webhook must not cost its timeout"


def test_a_killed_replica_costs_no_write_as_we_ship_it(fleet: Fleet, target: str):
    with Load(fleet.cluster) as load:
        time.sleep(1)
        fleet.kill(fleet.replicas[0])
        time.sleep(1)
        assert refused(fleet, target)
        fleet.start()
        time.sleep(1)
    assert load.failures == []
    assert load.written > 50


def test_all_replicas_killed_at_once_and_back(fleet: Fleet, target: str):
    with Load(fleet.cluster) as load:
        for replica in list(fleet.replicas):
            fleet.kill(replica)
        time.sleep(1)
        fleet.start(2)
        until(lambda: refused(fleet, target), GUARDING_AGAIN_WITHIN)
    assert load.failures == []
