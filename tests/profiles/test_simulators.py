"""Legitimate writers are never denied, however they interleave; what none of them does always is."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.profiles.simulators import planted
from tests.profiles.simulators.apiserver import ApiServer, Denial, Tally, decode, encode
from tests.profiles.simulators.can_upgrade import CanUpgradeWorld
from tests.profiles.simulators.cluster_api import LegacyMachineWorld, MachineWorld, is_lost_update
from tests.profiles.simulators.machine_controller import GardenerWorld, Pr531World
from tests.profiles.simulators.olm import LockingWorld, OperatorConditionWorld
from webhook.core.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

WORLDS = {
    "cluster-api": (MachineWorld, planted.CLUSTER_API),
    "cluster-api-v1beta1": (LegacyMachineWorld, planted.CLUSTER_API_V1BETA1),
    "olm": (OperatorConditionWorld, planted.OPERATOR_CONDITION),
    "olm-locking": (LockingWorld, planted.LOCKING),
    "olm-can-upgrade": (CanUpgradeWorld, planted.CAN_UPGRADE),
    "pr531": (Pr531World, planted.PR_531),
    "machine-controller-manager": (GardenerWorld, planted.GARDENER),
}
FEW, MANY = 3_000, 100_000
ERASED_CLAIM = {"fieldsV1": {"f:spec": {"f:conditions": {}}}, "manager": "op"}


def lives(name: str, seed: int, writes: int, tally: Tally) -> Iterator[Any]:
    """Worlds that have lived, until that many writes were judged."""
    world, _ = WORLDS[name]
    for life in count():
        lived = world(Random(f"{name} {seed} {life}"), tally)
        lived.live()
        yield lived
        if tally.writes >= writes:
            return


def unexplained(tally: Tally) -> list[Denial]:
    return [denial for denial in tally.denied if not is_lost_update(denial)]


@cache
def tally_of(name: str, seed: int, writes: int) -> Tally:
    tally = Tally()
    for _ in lives(name, seed, writes, tally):
        if unexplained(tally):
            break
    return tally


@pytest.mark.parametrize(
    ("seed", "writes"), [(1, FEW), pytest.param(2026, MANY, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("name", WORLDS)
def test_no_legitimate_write_is_denied(name: str, seed: int, writes: int) -> None:
    tally = tally_of(name, seed, writes)
    denied = unexplained(tally)
    assert not denied, f"seed {seed}, write {tally.writes}: {denied[0]}"
    assert len(tally.denied) <= tally.writes / 10_000, "lost updates are rare"
    assert tally.writes >= writes


@pytest.mark.parametrize("name", WORLDS)
def test_every_writer_of_a_world_gets_to_write(name: str) -> None:
    """A simulator whose actors are silent would prove nothing."""
    made = tally_of(name, 1, FEW).made
    assert len(made) >= 3, made
    assert min(made.values()) >= 5, made


@pytest.mark.parametrize("name", WORLDS)
def test_every_planted_write_is_denied_by_its_rule(name: str) -> None:
    tally, planted_there = Tally(), Counter[int]()
    for world in lives(name, 7, 1_000, tally):
        for number, planting in enumerate(WORLDS[name][1]):
            planted_there[number] += plant(world.api, planting)
    unseen = [WORLDS[name][1][i].rule for i in range(len(WORLDS[name][1])) if planted_there[i] < 3]
    assert not unseen, f"never planted: {unseen}"


def plant(api: ApiServer, planting: planted.Planting) -> int:
    """Plants one kind in every state of a history; how often there was a place for it."""
    there = 0
    for stored in api.history:
        old, new = decode(stored), decode(stored)
        if not planting.plant(new):
            continue
        if planting.version:
            for it in (old, new):
                it["metadata"]["managedFields"] = [ERASED_CLAIM]
        findings = api.verdict(encode(old), encode(new), version=planting.version)
        denied = {f.rule.partition(".")[2] for f in findings if f.severity is Severity.DENY}
        assert planting.rule in denied, f"{planting.rule}: {denied}\n{old}\n{new}"
        there += 1
    return there
