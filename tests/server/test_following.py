"""With `operator_version: auto` the engine follows the operator that runs, and what can't be seen changes nothing."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from webhook.building import engine_of
from webhook.certs.operators import Running
from webhook.metrics import Metrics
from webhook.server.following import Following
from webhook.server.log import Log
from webhook.server.state import State
from webhook.settings import load_settings

if TYPE_CHECKING:
    from typing import Any

    import pytest

SKYHOOKS = ("skyhook.nvidia.com", "skyhooks")


def state(version: str) -> State:
    settings = load_settings({"operator_version": version})
    return State(engine_of(settings), settings, Metrics(frozenset({"Skyhook"})), Log("info"))


def release(found: State, kind: str = "Skyhook") -> str:
    [guard] = [g for (_, k), gs in found.engine.catalog.guards.items() if k == kind for g in gs]
    return guard.release


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_an_upgrade_of_the_operator_counts_once_it_is_seen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = state("auto:0.17")
    following = Following(found)
    assert release(found) == "0.17"
    assert not found.engine.keepers[SKYHOOKS].read_only
    asyncio.run(following.take(Running("0.18", "Deployment a/b")))
    assert release(found) == "0.18"
    assert found.engine.keepers[SKYHOOKS].read_only
    assert (found.generation, found.operator_release) == (2, "0.18")
    assert told(capsys)[0]["event"] == "operator seen"
    engine = found.engine
    asyncio.run(following.take(Running("0.18", "Deployment a/b")))
    assert found.engine is engine
    assert told(capsys) == []


def test_what_cannot_be_seen_changes_nothing_and_is_said_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = state("auto")
    following, engine = Following(found), found.engine
    for _ in range(3):
        asyncio.run(following.take(Running(None, "Deployments cannot be read: 403")))
    assert found.engine is engine
    [line] = told(capsys)
    assert line["why"] == "Deployments cannot be read: 403"


def test_keepers_know_how_an_older_operator_writes_conditions() -> None:
    found = state("0.15")
    assert found.engine.keepers[SKYHOOKS].release == "0.15"
