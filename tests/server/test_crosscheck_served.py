"""A served process that remembers: set by a flag, seen in its answers and in its metrics."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.lifecycle.skyhook import entry, node, ready, skyhook
from tests.reviews.builders import OPERATOR, PERSON, body
from tests.server.process import serving

if TYPE_CHECKING:
    from pathlib import Path

BASE = {
    "status": "in_progress", "nodeStatus": {"n1": "in_progress"}, "nodeBootIds": {"n1": "a"},
    "conditions": [ready()],
}  # fmt: skip
LONG_AGO = {"managedFields": [{"subresource": "status", "time": "2026-01-01T00:00:00Z"}]}
COPY = "skyhook.node-state-copy"


def copied(pair: str, user: str) -> bytes:
    sides = [
        skyhook(meta=LONG_AGO, nodeState={"n1": {"foo|1.0": entry(p)}}, **BASE)
        for p in ("apply/in_progress", pair)
    ]
    return body(*sides, user)


def test_a_process_that_remembers_says_what_the_node_never_held(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("cross_check_seconds: 1\n")
    flags = ("--cross-check", "memory", "--config", str(config))
    with serving(tmp_path / "server", *flags) as server:
        sides = [
            node({"foo|1.0": entry(p)}, status="in_progress")
            for p in ("apply/complete", "config/in_progress")
        ]
        assert server.call(body(*sides, OPERATOR)).json["response"]["allowed"]
        time.sleep(1.1)
        told = server.call(copied("config/in_progress", OPERATOR)).json["response"]
        assert told["allowed"]
        assert COPY not in str(told)
        told = server.call(copied("config/erroring", OPERATOR)).json["response"]
        assert told["allowed"]
        assert [COPY in warning for warning in told["warnings"]] == [True]
        told = server.call(copied("config/erroring", PERSON)).json["response"]
        assert not told["allowed"]
        assert COPY in str(told["status"])
        metrics = server.metrics()
        assert 'skyhook_webhook_cross_checks_total{result="untrue"} 2.0' in metrics
        assert "skyhook_webhook_remembered_nodes 2.0" in metrics


def test_without_a_cluster_nothing_is_compared_and_that_is_said(tmp_path: Path) -> None:
    with serving(tmp_path / "server") as server:
        assert COPY not in str(server.call(copied("config/erroring", PERSON)).json)
        events = [line["event"] for line in server.lines]
        assert "no cross-check with Nodes: there is no way to an API server" in events
