"""One guard for each file of live tests: registered before its first test, gone after its last; and a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e import rollout
from tests.e2e.guarding import registered
from tests.e2e.stage import HANDS_OFF, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.guarding import Guard
    from tests.kube.control_plane import ControlPlane


@pytest.fixture(scope="module")
def guard(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    """A server that enforces, with `failurePolicy: Fail`; only the stage hand is left alone."""
    with registered(cluster, tmp_path_factory.mktemp("guard"), HANDS_OFF) as server:
        yield server


@pytest.fixture
def stage(cluster: ControlPlane, guard: Guard) -> Stage:
    """The rollout half way through, as the operator has left it."""
    stage = Stage(cluster)
    stage.set("Skyhook", rollout.skyhook())
    stage.set("Node", rollout.node())
    return stage
