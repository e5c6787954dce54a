"""Which writes cause a call: those that change a key or a condition of ours, and no heartbeat."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.kube.client import STRATEGIC_MERGE_PATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.guarding import Guard
    from tests.kube.control_plane import ControlPlane

ADMIN = "kubernetes-admin"
# Each write is made with the resourceVersion just read: an update without one may be reviewed twice, on a stale
# object and on the live one.

KUBELET, CONTROLLER, OPERATOR = "system:node:node-1", "node-controller", "operator"
NODE = "/api/v1/nodes/node-1"
STAMPS = itertools.count(1)


def now() -> str:
    moment = datetime(2026, 11, 29, tzinfo=UTC) + timedelta(seconds=next(STAMPS))
    return moment.isoformat().replace("+00:00", "Z")


def condition(kind: str, status: str = "True", **more: str) -> dict[str, str]:
    stamps = {"lastHeartbeatTime": now(), "lastTransitionTime": "2026-11-29T19:00:00Z"}
    return {"type": kind, "status": status, "reason": "Reason", "message": "", **stamps, **more}


class Writer:
    """Writes the Node as kubelet, controllers, operator and strangers do, and counts the calls that follow."""

    def __init__(self, cluster: ControlPlane, guard: Guard) -> None:
        self.cluster = cluster
        self.guard = guard

    def node(self) -> dict[str, Any]:
        return self.cluster.request(ADMIN, "GET", NODE)[1]

    def put(self, actor: str, change: Any, subresource: str = "") -> float:
        """Calls caused by a PUT of the Node after `change` of it."""
        body = self.node()
        change(body)
        return self._counted(actor, "PUT", f"{NODE}{subresource}", body)

    def patch(self, actor: str, body: dict[str, Any], subresource: str = "") -> float:
        """Calls caused by a strategic merge patch, with the resourceVersion of now."""
        version = self.node()["metadata"]["resourceVersion"]
        body = {**body, "metadata": {**body.get("metadata", {}), "resourceVersion": version}}
        return self._counted(actor, "PATCH", f"{NODE}{subresource}", body, STRATEGIC_MERGE_PATCH)

    def _counted(
        self, actor: str, method: str, path: str, body: Any, kind: str = "application/json"
    ) -> float:
        before = self.guard.reviews()
        status, answer = self.cluster.request(actor, method, path, body, kind)
        assert status == 200, answer
        return self.guard.reviews() - before


@pytest.fixture(scope="module")
def writer(cluster: ControlPlane, guard: Guard) -> Iterator[Writer]:
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}
    cluster.request(ADMIN, "DELETE", NODE)  # a replayed recording may have left one
    before = guard.reviews()
    assert cluster.request(KUBELET, "POST", "/api/v1/nodes", body)[0] == 201
    assert guard.reviews() == before, "a Node registers without us"
    yield Writer(cluster, guard)
    cluster.request(ADMIN, "DELETE", NODE)


def labelled(**labels: str | None) -> dict[str, Any]:
    return {"metadata": {"labels": labels}}


def annotated(annotations: dict[str, str | None]) -> dict[str, Any]:
    return {"metadata": {"annotations": annotations}}


def beaten(*conditions: dict[str, str]) -> dict[str, Any]:
    return {"status": {"conditions": list(conditions)}}


OUR_STATE = "skyhook.nvidia.com/nodeState_demo"
OUR_CONDITION = "skyhook.nvidia.com/demo/NotReady"


def test_twenty_heartbeats_and_what_controllers_write_cause_no_call(writer: Writer):
    calls = [
        writer.patch(
            KUBELET, beaten(condition("Ready"), condition("DiskPressure", "False")), "/status"
        )
        for _ in range(20)
    ]
    calls += [writer.patch(KUBELET, beaten(condition("Ready", "Unknown")), "/status")]
    calls += [
        writer.patch(KUBELET, {"status": {"images": [{"names": ["a"], "sizeBytes": 1}]}}, "/status")
    ]
    taint = [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]
    calls += [writer.patch(CONTROLLER, {"spec": {"taints": taint}})]
    calls += [writer.patch(CONTROLLER, {"spec": {"taints": []}})]
    calls += [writer.patch(CONTROLLER, labelled(**{"topology.kubernetes.io/zone": "a"}))]
    calls += [writer.patch(CONTROLLER, annotated({"node.alpha.kubernetes.io/ttl": "0"}))]
    calls += [writer.patch("platform-admin", {"spec": {"unschedulable": True}})]
    calls += [writer.patch("platform-admin", annotated({"example.com/skyhook.nvidia.com": "x"}))]
    calls += [writer.put(CONTROLLER, lambda node: None)]
    calls += [writer.put(KUBELET, lambda node: None, "/status")]
    assert calls == [0] * len(calls)


def test_each_write_of_a_key_or_condition_of_ours_causes_one_call(writer: Writer):
    entry = {
        "name": "tuning",
        "version": "1.0.0",
        "image": "a",
        "stage": "apply",
        "state": "in_progress",
    }
    state = json.dumps({"tuning|1.0.0": entry})
    further = json.dumps({"tuning|1.0.0": {**entry, "state": "complete"}})
    calls = [
        writer.patch(OPERATOR, annotated({OUR_STATE: state})),
        writer.patch(OPERATOR, annotated({OUR_STATE: further})),
        writer.patch(OPERATOR, annotated({"skyhook.nvidia.com/version_demo": "0.16.0"}), "/status"),
        writer.patch(
            OPERATOR,
            {
                "metadata": {
                    "annotations": {"skyhook.nvidia.com/status_demo": "in_progress"},
                    "labels": {"skyhook.nvidia.com/status_demo": "in_progress"},
                }
            },
        ),
        writer.patch(OPERATOR, beaten(condition(OUR_CONDITION, reason="Incomplete")), "/status"),
        writer.patch(
            OPERATOR, beaten(condition(OUR_CONDITION, "False", reason="Complete")), "/status"
        ),
        writer.put(OPERATOR, _without_condition, "/status"),
        writer.patch(KUBELET, labelled(**{"nodewright.nvidia.com/x": "y"})),
        writer.patch(KUBELET, labelled(**{"nodewright.nvidia.com/x": None})),
        writer.patch(OPERATOR, annotated({OUR_STATE: None})),
    ]
    assert calls == [1] * len(calls)


def _without_condition(node: dict[str, Any]) -> None:
    kept = [one for one in node["status"]["conditions"] if one["type"] != OUR_CONDITION]
    node["status"]["conditions"] = kept


def test_what_touches_nothing_of_ours_on_a_node_that_has_it_causes_no_call(writer: Writer):
    writer.patch(OPERATOR, annotated({OUR_STATE: "{}"}))
    writer.patch(OPERATOR, beaten(condition(OUR_CONDITION, reason="Incomplete")), "/status")
    calls = [
        writer.patch(KUBELET, beaten(condition("Ready")), "/status"),
        writer.patch(KUBELET, beaten(condition(OUR_CONDITION, reason="Incomplete")), "/status"),
        writer.patch(CONTROLLER, annotated({"example.com/a": "b"})),
        writer.patch(CONTROLLER, labelled(**{"example.com/a": "b"})),
        writer.patch(OPERATOR, annotated({OUR_STATE: "{}"})),
        writer.put(KUBELET, lambda node: None, "/status"),
    ]
    assert calls == [0] * len(calls)


def test_nobody_can_switch_us_off_by_filling_a_node(writer: Writer):
    """Over the cost limit a condition is skipped under Ignore: 3,000 conditions and 3,000 keys of ours are not."""
    many = [
        condition(f"skyhook.nvidia.com/s{n}/NotReady", reason="Incomplete") for n in range(3000)
    ]
    keys = {f"skyhook.nvidia.com/version_{n}": "1.0.0" for n in range(3000)}

    def fill(node: dict[str, Any]) -> None:
        node["status"]["conditions"] = many

    def change_one(node: dict[str, Any]) -> None:
        node["status"]["conditions"][1500] |= {"status": "False", "reason": "Complete"}

    def beat(node: dict[str, Any]) -> None:
        node["status"]["conditions"][1500]["lastHeartbeatTime"] = now()

    assert writer.put(OPERATOR, fill, "/status") == 1
    assert writer.put(OPERATOR, lambda node: node["metadata"].update(annotations=keys)) == 1
    assert writer.put(OPERATOR, change_one, "/status") == 1
    keys["skyhook.nvidia.com/version_9"] = "1.0.1"
    assert writer.put(OPERATOR, lambda node: node["metadata"].update(annotations=keys)) == 1
    assert writer.put(KUBELET, beat, "/status") == 0


SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"


class SkyhookWriter:
    """Writes one Skyhook with the version just read."""

    def __init__(self, cluster: ControlPlane, guard: Guard) -> None:
        self.cluster = cluster
        self.guard = guard

    def put(self, change: Any, subresource: str = "", actor: str = OPERATOR) -> tuple[float, float]:
        """Calls of /validate and of /mutate that a PUT causes."""
        body = self.cluster.request(ADMIN, "GET", f"{SKYHOOKS}/counted")[1]
        change(body)
        before = self._calls()
        status, answer = self.cluster.request(
            actor, "PUT", f"{SKYHOOKS}/counted{subresource}", body
        )
        assert status == 200, answer
        after = self._calls()
        return after[0] - before[0], after[1] - before[1]

    def _calls(self) -> tuple[float, float]:
        return self.guard.reviews(), self.guard.metric("skyhook_webhook_mutations_total")


def test_a_skyhook_is_judged_when_it_changes_and_finalizers_never_wait_for_us(
    cluster: ControlPlane, guard: Guard
):
    spec = {
        "nodeSelectors": {"matchLabels": {"a": "b"}},
        "packages": {"tuning": {"image": "example.com/tuning", "version": "1.0.0"}},
    }
    body = {
        "apiVersion": "skyhook.nvidia.com/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": "counted", "finalizers": ["skyhook.nvidia.com/skyhook"]},
        "spec": spec,
    }
    before = guard.reviews()
    status, answer = cluster.request("platform-admin", "POST", SKYHOOKS, body)
    assert status == 201, answer["message"]
    assert guard.reviews() - before == 1
    writer = SkyhookWriter(cluster, guard)
    applied_once = {
        "type": "Applied",
        "status": "True",
        "reason": "x",
        "message": "",
        "lastTransitionTime": now(),
    }

    def status_with(status: dict[str, Any]) -> Any:
        return lambda skyhook: skyhook.update(status=status)

    assert writer.put(lambda skyhook: None) == (0, 0)
    assert writer.put(lambda skyhook: skyhook["spec"].update(priority=7)) == (1, 0)
    assert writer.put(lambda skyhook: skyhook["metadata"].update(annotations={"a": "b"})) == (1, 0)
    assert writer.put(status_with({"completeNodes": "0/1"}), "/status") == (1, 0)
    assert writer.put(
        status_with({"completeNodes": "0/1", "conditions": [applied_once]}), "/status"
    ) == (
        1,
        1,
    )
    assert writer.put(lambda skyhook: None, "/status") == (0, 1)
    cluster.request("platform-admin", "DELETE", f"{SKYHOOKS}/counted")
    assert writer.put(lambda skyhook: skyhook["metadata"].update(annotations={"a": "c"})) == (1, 0)
    assert writer.put(lambda skyhook: skyhook["metadata"].pop("finalizers")) == (0, 0)
    assert cluster.request(ADMIN, "GET", f"{SKYHOOKS}/counted")[0] == 404
