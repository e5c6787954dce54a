"""Recorded writes made again, live: the stage is set to the recorded old object, then the actor writes.

The stage hand is kubernetes-admin, whom the guard under test is told to leave alone.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane

HAND = "kubernetes-admin"
HANDS_OFF = {"modes": [{"mode": "off", "writers": [HAND]}]}
"""Settings under which the stage hand is never refused."""
PATHS = {
    "Skyhook": "/apis/skyhook.nvidia.com/v1alpha1/skyhooks",
    "DeploymentPolicy": "/apis/skyhook.nvidia.com/v1alpha1/deploymentpolicies",
    "Node": "/api/v1/nodes",
}
_FINALIZER = "stage.test/held"


@dataclass(slots=True)
class Stage:
    """Objects of one cluster, set and written.

    Attributes:
        refused: what the API server said to a recorded write that did not go through.
        written: recorded writes that did.
    """

    cluster: ControlPlane
    refused: list[tuple[str, int, str]] = field(default_factory=list)
    written: int = 0

    def play(self, review: dict[str, Any]) -> None:
        """One recorded write."""
        request = review["request"]
        kind, actor = request["kind"]["kind"], request["userInfo"]["username"]
        if kind not in PATHS or actor == HAND or request.get("dryRun"):
            return
        status, answer = getattr(self, f"_{request['operation'].lower()}")(request, actor)
        if status in (200, 201, 202):
            self.written += 1
        else:
            self.refused.append(
                (f"{review['scenario']}#{review['seq']}", status, str(answer)[:600])
            )

    def _create(self, request: dict[str, Any], actor: str) -> tuple[int, Any]:
        new = clean(request["object"])
        self.remove(request["kind"]["kind"], new["metadata"]["name"])
        return self.cluster.request(actor, "POST", PATHS[request["kind"]["kind"]], new)

    def _delete(self, request: dict[str, Any], actor: str) -> tuple[int, Any]:
        kind = request["kind"]["kind"]
        name = (request.get("oldObject") or {}).get("metadata", {}).get("name") or request["name"]
        if request.get("oldObject"):
            self.set(kind, request["oldObject"])
        return self.cluster.request(actor, "DELETE", f"{PATHS[kind]}/{name}")

    def _update(self, request: dict[str, Any], actor: str) -> tuple[int, Any]:
        kind, new = request["kind"]["kind"], request["object"]
        self.set(kind, request["oldObject"])
        path = f"{PATHS[kind]}/{new['metadata']['name']}"
        live = self.get(path)
        body = {**clean(new), "metadata": merged(live["metadata"], new["metadata"])}
        if request.get("subResource") == "status":
            body["spec"] = live.get("spec", {})
            return self.cluster.request(actor, "PUT", f"{path}/status", body)
        body["status"] = live.get("status")
        return self.cluster.request(actor, "PUT", path, body)

    def set(self, kind: str, wanted: dict[str, Any]) -> None:
        """Makes the live object what the recording had before the write."""
        name = wanted["metadata"]["name"]
        path = f"{PATHS[kind]}/{name}"
        live = self.get(path)
        generation = wanted["metadata"].get("generation", 0)
        dying = "deletionTimestamp" in wanted["metadata"]
        if live is not None and not self._fits(live, generation, dying=dying):
            self.remove(kind, name)
            live = None
        if live is None:
            self._make(kind, wanted)
        self._level(path, wanted, generation - 1 if dying else generation)
        self._status(path, wanted)
        if dying and "deletionTimestamp" not in self.get(path)["metadata"]:
            self._must(*self.cluster.request(HAND, "DELETE", path))
            self._status(path, wanted)

    @staticmethod
    def _fits(live: dict[str, Any], generation: int, *, dying: bool) -> bool:
        is_dying = "deletionTimestamp" in live["metadata"]
        if is_dying:
            return dying and live["metadata"].get("generation", 0) == generation
        return live["metadata"].get("generation", 0) <= (generation - 1 if dying else generation)

    def _make(self, kind: str, wanted: dict[str, Any]) -> None:
        body = clean(wanted)
        body.pop("status", None)
        self._must(*self.cluster.request(HAND, "POST", PATHS[kind], body))

    def _level(self, path: str, wanted: dict[str, Any], generation: int) -> None:
        """The main resource as recorded, and its generation raised to the recorded one."""
        for _ in range(200):
            live = self.get(path)
            body = {**clean(wanted), "metadata": merged(live["metadata"], wanted["metadata"])}
            behind = generation - live["metadata"].get("generation", 0)
            if "deletionTimestamp" in live["metadata"] and not body["metadata"].get("finalizers"):
                body["metadata"]["finalizers"] = live["metadata"].get("finalizers", [])
            if behind > 1 or (behind == 1 and live.get("spec") == body.get("spec")):
                body["spec"] = {**body.get("spec", {}), "priority": 1 + behind % 50}
            body["status"] = live.get("status")
            self._must(*self.cluster.request(HAND, "PUT", path, body))
            if behind <= 0 or "generation" not in wanted["metadata"]:
                return
        raise AssertionError(f"{path}: generation {generation} was not reached")

    def _status(self, path: str, wanted: dict[str, Any]) -> None:
        live = self.get(path)
        if (live.get("status") or {}) == (wanted.get("status") or {}):
            return
        live["status"] = copy.deepcopy(wanted.get("status") or {})
        self._must(*self.cluster.request(HAND, "PUT", f"{path}/status", live))

    def remove(self, kind: str, name: str) -> None:
        """Takes an object away, finalizers and all."""
        path = f"{PATHS[kind]}/{name}"
        live = self.get(path)
        if live is None:
            return
        if live["metadata"].get("finalizers"):
            patch = {"metadata": {"finalizers": None}}
            self.cluster.request(HAND, "PATCH", path, patch, "application/merge-patch+json")
        self.cluster.request(HAND, "DELETE", path)

    def get(self, path: str) -> Any:
        status, answer = self.cluster.request(HAND, "GET", path)
        return answer if status == 200 else None

    @staticmethod
    def _must(status: int, answer: Any) -> None:
        assert status in (200, 201, 202), answer


def clean(recorded: dict[str, Any]) -> dict[str, Any]:
    """A copy without what the API server gives."""
    new = copy.deepcopy(recorded)
    for name in ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields",
                 "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):  # fmt: skip
        new["metadata"].pop(name, None)
    return new


def merged(live: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Live metadata with what writers write taken from the recording."""
    new = {k: v for k, v in live.items() if k != "managedFields"}
    for name in ("annotations", "labels", "finalizers"):
        if wanted.get(name):
            new[name] = copy.deepcopy(wanted[name])
        else:
            new.pop(name, None)
    return new
