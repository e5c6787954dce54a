"""Where a requested lock stands, in the words that `profile` prints."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.checks.locks import Handshake, LockState
from webhook.core.view import View

LOCK = Handshake.of(
    {
        "request": {"path": "spec.conditions", "types": ["Upgradeable"]},
        "ack": {"path": "status.conditions", "type": "Acknowledged"},
    }
)


def test_the_states_are_these_words() -> None:
    assert [state.value for state in LockState] == ["none", "pending", "stale", "held", "denied"]


@pytest.mark.parametrize(
    ("asks", "answer", "generation", "state"),
    [
        ("True", "True", 2, "none"),
        (None, "True", 2, "none"),
        ("False", None, 2, "pending"),
        ("False", "Unknown", 2, "pending"),
        ("False", "True", 1, "stale"),
        ("False", "True", 2, "held"),
        ("False", "False", 2, "denied"),
    ],
)
def test_a_lock_stands(asks: str | None, answer: str | None, generation: int, state: str) -> None:
    def listed(kind: str, status: str | None) -> list[dict[str, Any]]:
        return (
            []
            if status is None
            else [{"type": kind, "status": status, "observedGeneration": generation}]
        )

    root = View.of({
        "metadata": {"generation": 2},
        "spec": {"conditions": listed("Upgradeable", asks)},
        "status": {"conditions": listed("Acknowledged", answer)},
    })  # fmt: skip
    assert LOCK.state(root) == state
    assert LOCK.state(None) is LockState.NONE
