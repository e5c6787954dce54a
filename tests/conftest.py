"""What many tests share: the engine, and where the recordings are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from webhook.reviews.engine import Engine

pytest_plugins = ["tests.kube.plugin"]

# How long an example takes here says how busy the machine is, not what the code does.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
NOW = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine without any settings."""
    return Engine.default(lambda: NOW)
