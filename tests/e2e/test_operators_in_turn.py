"""Old operator, new one, rolled back to old, on a real API server: each reader is right after each write."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.converting import GROUP, MERGE, OPERATOR, Converting, path
from tests.e2e.guarding import Guard
from tests.kube.apiserver import PLAIN
from tests.mutations.operator import Operator, settle
from tests.mutations.test_no_fight import ROLLOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.mutations.operator import World

ENDS = {"open": "open", "closed": "closed"}
TURNS = ("0.15", "0.16", "0.15")


@dataclass
class Kept:
    """One Skyhook on the API server, as `tests.mutations.operator.Store` keeps one in memory."""

    cluster: Converting
    name: str

    @property
    def now(self) -> datetime:
        return datetime.now(UTC).replace(microsecond=0)

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.cluster.must("GET", path("v1alpha1", self.name))
        return found.get("status") or {}

    def write(self, status: dict[str, Any]) -> None:
        """The operator's merge patch, which replaces the array."""
        body = {"status": {"conditions": status["conditions"]}}
        self.cluster.must("PATCH", path("v1alpha1", self.name, "status"), body, MERGE, by=OPERATOR)

    def conditions(self, version: str = "v1alpha1") -> dict[str, dict[str, Any]]:
        return {c["type"]: c for c in self.cluster.conditions(version, self.name)}


@pytest.fixture(scope="module")
def both(start_cluster, tmp_path_factory) -> Iterator[Converting]:
    found = Converting(start_cluster(PLAIN), tmp_path_factory.mktemp("in-turn"))
    try:
        found.install()
        yield found
    finally:
        assert found.guard.stop() == 0


def right_for_every_reader(kept: Kept, world: World, window: str) -> None:
    old, new = kept.conditions(), kept.conditions("v1beta1")
    for name in ("Ready", f"{GROUP}/Ready"):
        assert (old[name]["status"], old[name]["reason"], old[name]["message"]) == world.ready
    assert new["Ready"]["status"] == world.ready[0]
    if window == "closed":  # Transition has no bare twin, and passes as it is
        assert not {name for name in new if f"{GROUP}/{name}" in new}
    else:
        assert new[f"{GROUP}/Ready"]["status"] == world.ready[0]


def gone_under_both(kept: Kept, world: World, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        names = {kind, f"{GROUP}/{kind}"} & set(kept.conditions())
        assert bool(names) == (kind in world.true), (kind, names)


@pytest.mark.parametrize("window", ENDS)
def test_ready_under_both_names_and_what_is_removed_is_gone(
    both: Converting, tmp_path_factory: pytest.TempPathFactory, window: str
):
    name = f"in-turn-{window}"
    both.create(name)
    for turn, release in enumerate(TURNS):
        settings = {"mode": "audit", "operator_version": {"skyhook": release}, "conditions": {"window": ENDS[window]}}  # fmt: skip
        guard = Guard(tmp_path_factory.mktemp(f"{window}-{turn}"), settings)
        try:
            with both.pointed_at(guard):
                both.until(lambda guard=guard: called(both, name, guard))
                rolled_out(Kept(both, name), release, window)
        finally:
            assert guard.stop() == 0


def called(both: Converting, name: str, guard: Guard) -> bool:
    """Whether the API server calls this very server for a status write."""
    before = guard.metric("skyhook_webhook_mutations_total")
    both.set_conditions(name, [])
    return guard.metric("skyhook_webhook_mutations_total") > before


def rolled_out(kept: Kept, release: str, window: str) -> None:
    operator = Operator(kept, release)  # type: ignore[arg-type]
    known = ("ApplyPackage", "DeploymentPolicyNotFound")
    for world in ROLLOUT:
        while operator.reconcile(world):
            right_for_every_reader(kept, world, window)
            gone_under_both(kept, world, known if release == "0.15" else (*known, "Blocked"))
        assert settle(operator, world) == 0
