"""Recorded writes made again, live: the stage is set to the recorded old object, then the actor writes.

The stage hand is kubernetes-admin, whom the guard under test is told to leave alone.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane

HAND = "kubernetes-admin"
HANDS_OFF = {"modes": [{"mode": "off", "writers": [HAND]}]}
"""Settings under which the stage hand is never refused."""
PATHS = {
    "Skyhook": "/apis/skyhook.nvidia.com/v1alpha1/skyhooks",
    "DeploymentPolicy": "/apis/skyhook.nvidia.com/v1alpha1/deploymentpolicies",
    "Node": "/api/v1/nodes",
}
WENT_THROUGH = frozenset({200, 201, 202})
_WRITTEN = ("annotations", "labels", "finalizers")
_SET_ONCE = ("podCIDR", "podCIDRs", "providerID")


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
        answer = self.write(request, actor)
        if answer.status in WENT_THROUGH:
            self.written += 1
        else:
            name = f"{review['scenario']}#{review['seq']}"
            self.refused.append((name, answer.status, str(answer.body)[:600]))

    def write(self, request: dict[str, Any], actor: str) -> Response:
        """The write that a review asks about, by this actor, after its old object was set."""
        write: Callable[[dict[str, Any], str], Response]
        write = getattr(self, f"_{request['operation'].lower()}")
        return write(request, actor)

    def _create(self, request: dict[str, Any], actor: str) -> Response:
        new = clean(request["object"])
        self.remove(request["kind"]["kind"], new["metadata"]["name"])
        return self.cluster.call(actor, "POST", PATHS[request["kind"]["kind"]], new)

    def _delete(self, request: dict[str, Any], actor: str) -> Response:
        kind = request["kind"]["kind"]
        name = (request.get("oldObject") or {}).get("metadata", {}).get("name") or request["name"]
        if request.get("oldObject"):
            self.set(kind, request["oldObject"])
        return self.cluster.call(actor, "DELETE", f"{PATHS[kind]}/{name}")

    def _update(self, request: dict[str, Any], actor: str) -> Response:
        kind, new = request["kind"]["kind"], request["object"]
        live = self.set(kind, request["oldObject"])
        path = f"{PATHS[kind]}/{new['metadata']['name']}"
        body = {**clean(new), "metadata": merged(live["metadata"], new["metadata"])}
        if request.get("subResource") == "status":
            body["spec"] = live.get("spec", {})
            return self.cluster.call(actor, "PUT", f"{path}/status", body)
        body["status"] = live.get("status")
        return self.cluster.call(actor, "PUT", path, body)

    def set(self, kind: str, wanted: dict[str, Any]) -> dict[str, Any]:
        """Makes the live object what the recording had before the write, and returns it."""
        name = wanted["metadata"]["name"]
        path = f"{PATHS[kind]}/{name}"
        dying = "deletionTimestamp" in wanted["metadata"]
        level = wanted["metadata"].get("generation", 0) - dying if kind == "Skyhook" else 0
        live = self.get(path)
        if live is not None and not _can_become(live, wanted, level):
            self.remove(kind, name)
            live = None
        if live is None:
            live = self._make(kind, wanted, level)
        live = self._status(path, self._level(path, live, wanted, level), wanted)
        if dying and "deletionTimestamp" not in live["metadata"]:
            self._hand("DELETE", path)
            live = self._status(path, self.get(path), wanted)
        return live

    def _make(self, kind: str, wanted: dict[str, Any], level: int) -> dict[str, Any]:
        body = clean(wanted)
        body.pop("status", None)
        if level > 1:
            body["spec"] = _moved(body["spec"], level)
        return self._hand("POST", PATHS[kind], body)

    def _level(
        self, path: str, live: dict[str, Any], wanted: dict[str, Any], level: int
    ) -> dict[str, Any]:
        """The main resource as recorded, after so many changes that its generation is the recorded one."""
        while True:
            body = {**clean(wanted), "metadata": merged(live["metadata"], wanted["metadata"])}
            behind = level - live["metadata"].get("generation", 0)
            if "deletionTimestamp" in live["metadata"] and not body["metadata"].get("finalizers"):
                body["metadata"]["finalizers"] = live["metadata"].get("finalizers", [])
            if behind > 1:
                body["spec"] = _moved(body["spec"], behind)
            body["status"] = live.get("status")
            if not _as_is(live, body):
                live = self._hand("PUT", path, body)
            if behind <= 1:
                return live

    def _status(self, path: str, live: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
        if (live.get("status") or {}) == (wanted.get("status") or {}):
            return live
        body = {**live, "status": copy.deepcopy(wanted.get("status") or {})}
        return self._hand("PUT", f"{path}/status", body)

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

    def _hand(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """A write of the stage hand, which always goes through."""
        status, answer = self.cluster.request(HAND, method, path, body)
        assert status in WENT_THROUGH, answer
        return answer


def _as_is(live: dict[str, Any], body: dict[str, Any]) -> bool:
    """Whether a PUT to the main resource would change nothing that its writers write."""
    have, want = live["metadata"], body["metadata"]
    same = all((have.get(n) or None) == (want.get(n) or None) for n in _WRITTEN)
    return same and live.get("spec") == body.get("spec")


def _can_become(live: dict[str, Any], wanted: dict[str, Any], level: int) -> bool:
    """Whether a live object can be edited into the wanted one, its generation included.

    `level`: the generation before a deletion raises it once more; 0 where no rule reads it.
    """
    have, want = live.get("spec", {}), wanted.get("spec", {})
    if any(name in have and have[name] != want.get(name) for name in _SET_ONCE):
        return False
    reached = live["metadata"].get("generation", 0)
    if "deletionTimestamp" in live["metadata"]:
        dying = "deletionTimestamp" in wanted["metadata"]
        return dying and (not level or (reached == level + 1 and have == want))
    if not level:
        return True
    if have == want:
        return reached == level or reached < level - 1
    return reached < level


def _moved(spec: dict[str, Any], number: int) -> dict[str, Any]:
    """Another spec, told apart by the number; only Skyhooks of a later generation need one."""
    return {**spec, "priority": 1000 + number}


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
    for name in _WRITTEN:
        if wanted.get(name):
            new[name] = copy.deepcopy(wanted[name])
        else:
            new.pop(name, None)
    return new
