"""The operator is never drawn into a fight: old, new, rolled back; window open, closed, stripped."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.mutations.operator import Operator, P, Store, World, settle
from webhook.core.conditions import MirrorNames
from webhook.core.window import CLOSED, OPEN
from webhook.mutations.keeper import Keeper

UPSTREAM = frozenset(
    {"Ready", "TaintNotTolerable", "NodesIgnored", "ApplyPackage", "DeploymentPolicyNotFound"}
)
NAMES = MirrorNames((P,), ("*", "!Transition"), UPSTREAM)
KEEPERS = {
    "open": Keeper(NAMES, OPEN),
    "closed": Keeper(NAMES, CLOSED),
    "strip": Keeper(NAMES, CLOSED, strip=True),
}
WAITING = World(("False", "Waiting", "0/1 nodes complete, 1 waiting (a)"))
RUNNING = World(
    ("False", "Progressing", "0/1 nodes complete, 1 in progress (a)"), frozenset({"ApplyPackage"})
)
MISSING = World(
    ("False", "Blocked", "0/1"), frozenset({"ApplyPackage", "DeploymentPolicyNotFound", "Blocked"})
)
DONE = World(("True", "NodesConverged", "1/1 nodes complete (a)"), frozenset({"ApplyPackage"}))
ROLLOUT = (WAITING, RUNNING, MISSING, RUNNING, DONE, WAITING, DONE)


def ready_under_both(store: Store, world: World) -> None:
    for name in ("Ready", f"{P}/Ready"):
        found = store.conditions()[name]
        assert (found["status"], found["reason"], found["message"]) == world.ready, name


def removed_under_both(store: Store, world: World) -> None:
    for kind in ("ApplyPackage", "DeploymentPolicyNotFound", "Blocked"):
        names = {kind, f"{P}/{kind}"} & set(store.conditions())
        assert bool(names) == (kind in world.true), (kind, names)


@pytest.mark.parametrize("window", ["open", "closed"])
def test_old_then_new_then_rolled_back_to_old(window: str):
    """Ready under both names right after each write; what is removed is gone under both with it."""
    store = Store(KEEPERS[window])
    for release in ("0.15", "0.16", "0.15"):
        store.keeper = replace(KEEPERS[window], release=release)
        operator = Operator(store, release)
        for world in ROLLOUT:
            while operator.reconcile(world):
                ready_under_both(store, world)
                if release == "0.16":
                    removed_under_both(store, world)
                elif "Blocked" not in store.conditions():
                    removed_under_both(store, replace(world, true=world.true - {"Blocked"}))
            assert settle(operator, world) == 0


@pytest.mark.parametrize("window", ["open", "closed"])
def test_without_a_release_the_bare_one_of_an_old_operator_stays(window: str):
    store = Store(KEEPERS[window])
    operator = Operator(store, "0.15")
    operator.reconcile(MISSING)
    assert "DeploymentPolicyNotFound" in store.conditions()
    operator.reconcile(RUNNING)
    assert "DeploymentPolicyNotFound" in store.conditions()


@pytest.mark.parametrize("release", ["0.15", "0.16"])
@pytest.mark.parametrize("window", KEEPERS)
def test_an_unchanged_world_is_left_alone_after_one_write(window: str, release: str):
    store = Store(replace(KEEPERS[window], release=release))
    operator = Operator(store, release)
    for world in ROLLOUT:
        # Stripping costs an operator that writes mirrors itself one pass more, never a stall.
        assert settle(operator, world) <= (2 if window == "strip" else 1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("release", ["0.15", "0.16"])
@pytest.mark.parametrize("window", KEEPERS)
def test_stale_caches_heal(window: str, release: str, seed: int):
    """Passes on an old copy drop what was added since; with a fresh one, all is right again."""
    chance = random.Random(seed)
    store = Store(replace(KEEPERS[window], release=release))
    operator = Operator(store, release)
    for _ in range(30):
        operator.reconcile(chance.choice(ROLLOUT), stale=chance.random() < 0.4)
    last = chance.choice(ROLLOUT)
    settle(operator, last)
    if window != "strip":
        ready_under_both(store, last)


def test_the_mirrors_that_we_add_are_left_in_the_array_by_the_operator():
    store = Store(KEEPERS["open"])
    operator = Operator(store, "0.16")
    settle(operator, MISSING)
    assert store.conditions()[f"{P}/Blocked"]["status"] == "True"
    settle(operator, replace(MISSING, ready=DONE.ready))
    assert f"{P}/Blocked" in store.conditions()


def test_the_store_does_not_move_when_nothing_does():
    store = Store(KEEPERS["open"])
    operator = Operator(store, "0.16")
    settle(operator, DONE)
    version = store.version
    store.write(dict(store.status))
    assert store.version == version
