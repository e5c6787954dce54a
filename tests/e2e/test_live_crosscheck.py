"""Copies against Nodes on a real API server: a guard that has just started, with the rights of its manifests."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e import rollout
from tests.e2e.guarding import ADMIN, Guard, registered
from tests.e2e.rollout import NODE, NODE_STATE, NODE_STATUS, PACKAGE, SKYHOOK, entry, node_state
from tests.e2e.stage import HANDS_OFF, Stage
from tests.kube.client import MERGE_PATCH
from webhook.manifests.options import Options
from webhook.manifests.render import render

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane

PERSON, ACCOUNT = "sre-oncall", "bystander"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
WHILE = 2.2
"""Seconds until everything was written long enough ago: the guard waits for one, stamps are whole."""
COPY = "(skyhook.node-state-copy)"


def wait() -> None:
    time.sleep(WHILE)


def staged(cluster: ControlPlane) -> Stage:
    """A Node that has finished config, and a Skyhook whose copy lags behind."""
    stage = Stage(cluster)
    node = rollout.node()
    node["metadata"]["annotations"][NODE_STATE] = node_state("config/complete")
    stage.set("Node", node)
    stage.set("Skyhook", rollout.skyhook())
    return stage


@pytest.fixture(scope="module")
def rights(cluster: ControlPlane) -> Iterator[str]:
    """The role of the manifests, bound to our account; the binding's path."""
    objects = render(Options(version="test", namespace="skyhook-webhook"))
    roles = [o for o in objects if o["kind"] in ("ClusterRole", "ClusterRoleBinding")]
    paths = [f"{RBAC}/{o['kind'].lower()}s" for o in roles]
    for path, body in zip(paths, roles, strict=True):
        status, answer = cluster.request(ADMIN, "POST", path, body)
        assert status == 201, answer
    yield f"{paths[-1]}/{roles[-1]['metadata']['name']}"
    for path, body in zip(paths, roles, strict=True):
        cluster.request(ADMIN, "DELETE", f"{path}/{body['metadata']['name']}")


@pytest.fixture(scope="module")
def guard(
    cluster: ControlPlane, rights: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guard]:
    """A guard that has seen none of it, under which people may write what only the operator writes."""
    staged(cluster)
    settings = {
        "kubeconfig": str(cluster.kubeconfig("webhook")),
        "cross_check_seconds": 1,
        "cross_check_timeout": 3,  # two cores, and all of a cluster on them
        "modes": [{"mode": "off", "rules": ["skyhook.operator-only"]}, *HANDS_OFF["modes"]],
    }
    with registered(cluster, tmp_path_factory.mktemp("guard"), settings) as server:
        yield server


@pytest.fixture
def stage(cluster: ControlPlane, guard: Guard) -> Stage:
    stage = staged(cluster)
    wait()
    return stage


class Counted:
    """What a guard has counted since."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._before: dict[str, float] = {}
        for name in ("node_reads", "cross_checks"):
            for result in ("found", "absent", "refused", "borne-out", "untrue", "unproven"):
                self._before[name + result] = self._now(name, result)

    def _now(self, name: str, result: str) -> float:
        return self._guard.metric(f"skyhook_webhook_{name}_total", result=result)

    def reads(self, result: str) -> float:
        return self._now("node_reads", result) - self._before["node_reads" + result]

    def checks(self, result: str) -> float:
        return self._now("cross_checks", result) - self._before["cross_checks" + result]


def copied(stage: Stage, pair: str, actor: str) -> Response:
    change = {"status": {"nodeState": {"node-1": {PACKAGE: entry(pair)}}}}
    return stage.cluster.call(actor, "PATCH", f"{SKYHOOK}/status", change, MERGE_PATCH)


def refusal(answer: Response) -> str:
    assert answer.status == 422, answer.body
    return str(answer.body["message"])


def warned(answer: Response) -> list[str]:
    assert answer.status == 200, answer.body
    return [w for w in answer.warnings if COPY in w]


def test_an_honest_copy_passes_and_a_lie_is_denied_after_a_read(stage: Stage, guard: Guard) -> None:
    counted = Counted(guard)
    assert warned(copied(stage, "config/complete", PERSON)) == []
    assert (counted.reads("found"), counted.checks("borne-out")) == (1, 1)
    wait()
    message = refusal(copied(stage, "config/erroring", PERSON))
    assert "is config/erroring, but Node node-1 says config/complete" in message
    assert COPY in message
    assert (counted.reads("found"), counted.checks("untrue")) == (2, 1)
    assert len(warned(copied(stage, "config/erroring", ACCOUNT))) == 1


def test_what_the_operator_writes_from_node_to_copy_is_remembered_and_read_by_nobody(
    stage: Stage, guard: Guard
) -> None:
    counted = Counted(guard)
    for pair in ("config/in_progress", "config/complete"):
        change = {"metadata": {"annotations": {NODE_STATE: node_state(pair)}}}
        for path in (NODE, f"{NODE}/status"):  # as SaveNodesAndSkyhook does
            answer = stage.cluster.call("operator", "PATCH", path, change, MERGE_PATCH)
            assert answer.status == 200, answer.body
    for pair in ("config/complete", "config/in_progress", "config/complete"):
        assert warned(copied(stage, pair, "operator")) == []
    assert (counted.reads("found"), counted.checks("borne-out")) == (0, 3)


def test_an_entry_for_a_node_that_there_is_not_is_denied(stage: Stage, guard: Guard) -> None:
    counted = Counted(guard)
    change = {"status": {"nodeStatus": {"ghost": "waiting"}, "nodeBootIds": {"ghost": "x"}}}
    answer = stage.cluster.call(PERSON, "PATCH", f"{SKYHOOK}/status", change, MERGE_PATCH)
    assert 'there is no Node "ghost"' in refusal(answer)
    assert counted.reads("absent") == 1


def test_a_node_that_was_just_written_is_no_evidence(stage: Stage, guard: Guard) -> None:
    change = {"metadata": {"annotations": {NODE_STATUS: "erroring"}}}
    change["metadata"]["labels"] = {NODE_STATUS: "erroring"}
    stage.cluster.call("operator", "PATCH", NODE, change, MERGE_PATCH)
    told = {"status": {"nodeStatus": {"node-1": "waiting"}}}
    answer = stage.cluster.call(PERSON, "PATCH", f"{SKYHOOK}/status", told, MERGE_PATCH)
    assert "node-status-copy" not in str(answer.body.get("message"))
    wait()
    told = {"status": {"nodeStatus": {"node-1": "blocked"}}}
    answer = stage.cluster.call(PERSON, "PATCH", f"{SKYHOOK}/status", told, MERGE_PATCH)
    assert "(skyhook.node-status-copy)" in refusal(answer)


def test_an_uninstall_that_the_skyhook_does_not_allow_is_denied(stage: Stage, guard: Guard) -> None:
    change = {"metadata": {"annotations": {NODE_STATE: node_state("uninstall/in_progress")}}}
    message = refusal(stage.cluster.call(PERSON, "PATCH", NODE, change, MERGE_PATCH))
    assert 'Skyhook "gpu" does not allow that' in message
    allowed = {"spec": {"packages": {"tuning": {"uninstall": {"enabled": True, "apply": True}}}}}
    assert stage.cluster.call("operator", "PATCH", SKYHOOK, allowed, MERGE_PATCH).status == 200
    assert stage.cluster.call("operator", "PATCH", NODE, change, MERGE_PATCH).status == 200


def test_without_the_right_to_get_nodes_nothing_is_compared(
    stage: Stage, guard: Guard, rights: str
) -> None:
    body = stage.get(rights)
    assert stage.cluster.request(ADMIN, "DELETE", rights)[0] == 200
    counted = Counted(guard)
    try:
        wait()
        assert warned(copied(stage, "config/erroring", PERSON)) == []
        assert counted.reads("refused") == 1
        assert "no cross-check: Nodes cannot be read" in guard.log_file.read_text()
    finally:
        body["metadata"] = {"name": body["metadata"]["name"]}
        assert stage.cluster.request(ADMIN, "POST", rights.rpartition("/")[0], body)[0] == 201


@pytest.mark.nightly
def test_two_replicas_one_just_started_refuse_no_true_copy(
    cluster: ControlPlane, guard: Guard, tmp_path: Path
) -> None:
    """What the Node held half a minute ago and less was seen by the first process only."""
    settings = {
        "kubeconfig": str(cluster.kubeconfig("webhook")),
        "cross_check_timeout": 3,
        "modes": [{"mode": "off", "rules": ["skyhook.operator-only"]}, *HANDS_OFF["modes"]],
    }
    guard.unregister(cluster)
    stage = staged(cluster)
    first, second = (Guard(tmp_path / name, settings) for name in ("first", "second"))
    try:
        first.register(cluster)
        pairs = ("config/in_progress", "config/complete", "config/in_progress", "config/erroring")
        for pair in pairs:
            change = {"metadata": {"annotations": {NODE_STATE: node_state(pair)}}}
            assert cluster.call("operator", "PATCH", NODE, change, MERGE_PATCH).status == 200
        for one in (first, second):
            for actor in ("operator", ACCOUNT, PERSON):
                for pair in ("config/complete", "config/erroring", "config/in_progress"):
                    assert warned(copied(stage, pair, actor)) == []
            one.unregister(cluster)
            if one is first:
                second.register(cluster)
    finally:
        first.unregister(cluster)
        codes = [guard.stop() for guard in (first, second)]
    assert codes == [0, 0]
