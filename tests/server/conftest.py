"""One server process for all tests that only talk to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.process import Serving, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server without settings but its addresses; it must not have logged anything but JSON."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running
        assert running.raw == []
        assert [line for line in running.lines if line["event"] == "fault"] == []
