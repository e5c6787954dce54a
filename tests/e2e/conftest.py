"""One guard for each file of live tests: registered before its first test, gone after its last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.guarding import Guard
from tests.e2e.stage import HANDS_OFF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.control_plane import ControlPlane


@pytest.fixture(scope="module")
def guard(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    """A server that enforces, with `failurePolicy: Fail`; only the stage hand is left alone."""
    server = Guard(tmp_path_factory.mktemp("guard"), HANDS_OFF)
    try:
        server.register(cluster)
        yield server
    finally:
        server.unregister(cluster)
        code = server.stop()
    assert code == 0
