"""What the real operator, its CLI and people wrote, written again to a real API server that asks us."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus import reading
from tests.e2e.guarding import Guard
from tests.e2e.stage import HANDS_OFF, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.control_plane import ControlPlane

WENT_THROUGH = {200, 201}
LEAST = 2000
ASKED = 1000
"""Of these so many touch what we guard; the rest never gets past the matchConditions."""


@pytest.fixture(scope="module")
def guard(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    server = Guard(tmp_path_factory.mktemp("guard"), HANDS_OFF)
    server.register(cluster)
    yield server
    server.unregister(cluster)
    assert server.stop() == 0


def replayable(review: dict) -> bool:
    return review["outcome"] in WENT_THROUGH and reading.origin(review) not in reading.EXCEPTIONS


def test_recorded_scenarios_go_through_again_with_us_enforcing(
    cluster: ControlPlane, guard: Guard
) -> None:
    stage = Stage(cluster)
    names = [
        path.name
        for path in reading.files(reading.CHECKED_IN)
        if path.name.startswith(reading.REPLAY_PREFIX)
    ]
    for review in reading.reviews(reading.CHECKED_IN, names=names):
        if replayable(review):
            stage.play(review)
    assert not stage.refused, stage.refused[:5]
    assert stage.written >= LEAST
    assert guard.metric("skyhook_webhook_reviews_total", writer="operator") >= ASKED
    assert guard.metric("skyhook_webhook_reviews_total", allowed="false") == 0


@pytest.mark.nightly
@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
def test_thousands_of_recorded_writes_go_through_again(cluster: ControlPlane, guard: Guard) -> None:
    stage = Stage(cluster)
    for number, review in enumerate(reading.reviews(reading.SHARED)):
        if number % 5 == 0 and replayable(review):
            stage.play(review)
    assert not stage.refused, stage.refused[:5]
    assert stage.written >= 5000
    assert guard.process.poll() is None
