"""The audit log of a real API server, replayed: the findings that our webhook gave live, by audit id."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.e2e.guarding import Guard
from tests.e2e.stage import HAND, Stage
from tests.e2e.test_live_planted import SEED, actor_of
from tests.kube.apiserver import Options
from tests.kube.crds import install_crds
from tests.planted.generator import odd_but_legal, variants
from webhook.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.kube.control_plane import ControlPlane

WARNED = "sre-oncall"
SETTINGS = {
    "modes": [{"mode": "off", "writers": [HAND]}, {"mode": "warn", "writers": [WARNED]}],
    "break_glass": {"users": ["platform-admin"], "hours": 2},
}
GLASS = "guard.skyhook.nvidia.com/break-glass"
SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"
NODE_STATE = "skyhook.nvidia.com/nodeState_demo"
MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"
SCENARIOS = (
    "replay-chainsaw-cli-lifecycle.jsonl.gz",
    "replay-chainsaw-skyhook-malformed-node-state.jsonl.gz",
)


@pytest.fixture(scope="module")
def audited(
    start_cluster: Callable[[Options], ControlPlane], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ControlPlane, Path]]:
    """An API server with an audit log and our webhook, after many writes; and the settings' file."""
    cluster = start_cluster(Options(audit=True))
    install_crds(cluster)
    guard = Guard(tmp_path_factory.mktemp("guard"), SETTINGS)
    try:
        guard.register(cluster)
        stage = Stage(cluster)
        for review in reading.reviews(reading.CHECKED_IN, names=SCENARIOS):
            stage.play(review)
        by_hand(cluster)
        illegal_and_odd(stage)
        time.sleep(0.5)  # the last lines are written after their answers
        yield cluster, guard.folder / "settings.yaml"
        guard.unregister(cluster)
    finally:
        assert guard.stop() == 0


def entry(stage: str, state: str) -> str:
    return json.dumps(
        {
            "tuning|1.0.0": {
                "name": "tuning",
                "version": "1.0.0",
                "image": "x/y",
                "stage": stage,
                "state": state,
            }
        }
    )


def illegal_and_odd(stage: Stage) -> None:
    """One planted write of each kind that is denied, and of each that is only odd."""
    known = [r for r in reading.distilled() if reading.origin(r) not in reading.EXCEPTIONS]
    for variant in (
        *variants(known, seed=SEED, per_kind=1),
        *odd_but_legal(known, seed=SEED, per_kind=1),
    ):
        stage.write(variant.review["request"], actor_of(variant))


def by_hand(cluster: ControlPlane) -> None:
    """Writes of many forms, denied and warned ones among them."""

    def ask(
        expected: int, actor: str, method: str, path: str, body: Any, kind: str = "application/json"
    ) -> None:
        status, answer = cluster.request(actor, method, path, body, kind)
        assert status == expected, (status, answer)

    def annotated(stage: str, state: str) -> Any:
        return {"metadata": {"annotations": {NODE_STATE: entry(stage, state)}}}

    node = "/api/v1/nodes/by-hand"
    spec = {
        "nodeSelectors": {"matchLabels": {"a": "b"}},
        "packages": {"tuning": {"version": "1.0.0", "image": "x/y"}},
    }
    skyhook = {
        "apiVersion": "skyhook.nvidia.com/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": "demo"},
        "spec": spec,
    }
    ask(
        201,
        HAND,
        "POST",
        "/api/v1/nodes",
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "by-hand"}},
    )
    ask(200, "operator", "PATCH", node, annotated("apply", "in_progress"), STRATEGIC)
    ask(422, "platform-admin", "PATCH", node, annotated("interrupt", "skipped"), STRATEGIC)
    ask(422, "platform-admin", "PATCH", node, annotated("interrupt", "skipped"), MERGE)
    ask(200, WARNED, "PATCH", f"{node}?dryRun=All", annotated("interrupt", "skipped"), MERGE)
    live = cluster.request(HAND, "GET", node)[1]
    live["metadata"]["annotations"][NODE_STATE] = entry("uninstall", "complete")
    ask(422, "platform-admin", "PUT", node, live)
    ask(200, WARNED, "PUT", node, live)
    ask(409, WARNED, "PUT", node, live)
    ask(200, HAND, "PATCH", node, annotated("apply", "complete"), STRATEGIC)
    broken = annotated("uninstall", "complete")
    for hours, reason, expected in ((3, "too far ahead", 422), (1, "INC-1234: wedged", 200)):
        expiry = datetime.now(UTC) + timedelta(hours=hours)
        broken["metadata"]["annotations"][GLASS] = f"{expiry:%Y-%m-%dT%H:%M:%SZ} {reason}"
        ask(expected, "platform-admin", "PATCH", node, broken, MERGE)
    ask(200, HAND, "PATCH", node, annotated("apply", "complete"), STRATEGIC)
    ask(404, "operator", "PATCH", f"{node}-missing", annotated("apply", "complete"), MERGE)
    ask(201, "platform-admin", "POST", SKYHOOKS, skyhook)
    status = {"status": {"status": "in_progress", "nodeStatus": {"by-hand": "in_progress"}}}
    ask(200, "operator", "PATCH", f"{SKYHOOKS}/demo/status", status, MERGE)
    ask(
        422,
        "platform-admin",
        "PATCH",
        f"{SKYHOOKS}/demo/status",
        {"status": {"status": "complete"}},
        MERGE,
    )
    ask(
        200,
        WARNED,
        "PATCH",
        f"{SKYHOOKS}/demo/status",
        {"status": {"nodeStatus": {"by-hand": "sleepy"}}},
        MERGE,
    )
    operations = [{"op": "add", "path": "/metadata/labels", "value": {"x": "y"}}]
    ask(
        200,
        "platform-admin",
        "PATCH",
        f"{SKYHOOKS}/demo",
        operations,
        "application/json-patch+json",
    )
    ask(200, "platform-admin", "DELETE", f"{SKYHOOKS}/demo", None)


def said_live(event: dict[str, Any]) -> set[str]:
    """The rules in our audit annotations."""
    notes = event.get("annotations") or {}
    return {
        rule for key, text in notes.items() if key.endswith("/rules") for rule in text.split(",")
    }


def replayed(
    capsys: Any, config: Path, log: Path
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    main(
        [
            "replay",
            "--jobs",
            "1",
            "--least",
            "audit",
            "-o",
            "json",
            "--config",
            str(config),
            str(log),
        ]
    )
    document = json.loads(capsys.readouterr().out)
    return {row["uid"]: row for row in document["results"]}, document


def test_the_replayed_log_says_what_the_webhook_said(
    audited: tuple[ControlPlane, Path], capsys: Any
) -> None:
    cluster, config = audited
    rows, document = replayed(capsys, config, cluster.audit_log)
    events = {event["auditID"]: event for event in cluster.audit_entries()}
    live = {uid: said_live(event) for uid, event in events.items() if said_live(event)}
    assert len(live) >= 40
    assert set(rows) == set(live), "nothing is missed, nothing found that was not said live"
    for uid, rules in live.items():
        found = {finding["rule"] for finding in rows[uid]["findings"]}
        assert found == rules, (events[uid]["verb"], events[uid]["requestURI"])
        refused = events[uid]["responseStatus"]["code"] == 422
        assert rows[uid]["allowed"] is not refused
    assert document["summary"]["writes"] > 400
    assert document["summary"]["refused"] == document["summary"]["refused_denied"] >= 35
    assert document["summary"]["dry_runs"] == 1
    assert document["summary"]["unjudged"] == {}


def test_a_broken_glass_stays_in_the_log_with_its_reason(
    audited: tuple[ControlPlane, Path],
) -> None:
    cluster, _ = audited
    told = [
        {key.partition("/")[2]: text for key, text in (event.get("annotations") or {}).items()}
        for event in cluster.audit_entries()
    ]
    (broken,) = [notes for notes in told if "break-glass" in notes]
    assert broken["break-glass"].endswith("Z: INC-1234: wedged")
    assert broken["would-deny"] == "skyhook.node-package-step.edge"


@pytest.mark.parametrize("level", ["Request", "Metadata"])
def test_a_poorer_log_says_what_it_lacks(
    audited: tuple[ControlPlane, Path], tmp_path: Path, capsys: Any, level: str
) -> None:
    cluster, config = audited
    poorer = tmp_path / "audit.log"
    with poorer.open("w") as stream:
        for event in cluster.audit_entries():
            event.pop("responseObject", None)
            if level == "Metadata":
                event.pop("requestObject", None)
            stream.write(json.dumps({**event, "level": level}) + "\n")
    rows, document = replayed(capsys, config, poorer)
    live = {e["auditID"]: said_live(e) for e in cluster.audit_entries() if said_live(e)}
    if level == "Metadata":
        assert rows == {}
        assert "the log holds no bodies (level Metadata)" in document["summary"]["unjudged"]
        assert sum(document["summary"]["said"].values()) >= 5
        return
    assert document["summary"]["estimated"] > 80
    agreeing = [
        uid for uid, row in rows.items() if {f["rule"] for f in row["findings"]} == live.get(uid)
    ]
    assert len(agreeing) >= 8
    assert len(agreeing) >= 0.9 * len(rows)
