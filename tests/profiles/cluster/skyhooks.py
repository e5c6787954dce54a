"""Recorded writes of Skyhooks and Nodes, tried on a real API server from the state they were made in."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.kube.client import MERGE_PATCH
from tests.profiles.cluster.policies import SETUP, WRITER

if TYPE_CHECKING:
    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane

Object = dict[str, Any]
SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"
NODES = "/api/v1/nodes"
MOST_EDITS = 12
NUMBERS = count(1)  # of all stages together: they share one API server


@dataclass(slots=True)
class Stage:
    """Where recorded states are put up."""

    control_plane: ControlPlane
    made: int = 0

    def attempt(self, request: Object) -> Response | None:
        """The answer to a recorded update, not to be stored; None where its state cannot be put up."""
        self.made = next(NUMBERS)
        old, new, sub = request["oldObject"], request["object"], request.get("subResource") or ""
        if request["kind"]["kind"] == "Node":
            there = self._node(old)
            base, parts = NODES, ("labels", "annotations")
        else:
            if old["metadata"].get("generation", 1) > MOST_EDITS:
                return None
            there = self._skyhook(old)
            base, parts = SKYHOOKS, ("labels", "annotations")
        whole = copy.deepcopy(there)
        if sub:
            whole["status"] = {**(there.get("status") or {}), **(new.get("status") or {})}
            if base == SKYHOOKS:
                whole["status"] = new.get("status") or {}
        elif base == SKYHOOKS:
            whole["spec"] = new.get("spec", {})
        for part in parts:
            whole["metadata"][part] = new["metadata"].get(part)
        path = "/".join(p for p in (base, there["metadata"]["name"], sub) if p)
        return self.control_plane.call(WRITER, "PUT", f"{path}?dryRun=All", whole)

    def _node(self, old: Object) -> Object:
        metadata = {k: old["metadata"].get(k) for k in ("labels", "annotations")}
        name = f"n-{self.made}"
        there = self._done("POST", NODES, {"metadata": {**metadata, "name": name}})
        conditions = old.get("status", {}).get("conditions")
        if conditions:
            there["status"] = {**there.get("status", {}), "conditions": conditions}
            there = self._done("PUT", f"{NODES}/{name}/status", there)
        return there

    def _skyhook(self, old: Object) -> Object:
        """Edits the spec until the generation is the recorded one; a delete is one more."""
        deleted = "deletionTimestamp" in old["metadata"]
        edits = old["metadata"].get("generation", 1) - deleted
        metadata = {k: old["metadata"].get(k) for k in ("labels", "annotations")}
        name, spec = f"s-{self.made}", old.get("spec", {})
        path = f"{SKYHOOKS}/{name}"
        self._done(
            "POST",
            SKYHOOKS,
            {
                "apiVersion": "skyhook.nvidia.com/v1alpha1",
                "kind": "Skyhook",
                "metadata": {**metadata, "name": name, "finalizers": ["example.com/held"]},
                "spec": spec if edits <= 1 else {**spec, "edit": 1},
            },
        )
        for edit in range(2, edits + 1):
            patch = {"spec": {"edit": edit if edit < edits else None}}
            self._done("PATCH", path, patch, MERGE_PATCH)
        if old.get("status"):
            there = self._done("GET", path)
            self._done("PUT", f"{path}/status", {**there, "status": old["status"]})
        if deleted:
            self._done("DELETE", path)
        return self._done("GET", path)

    def _done(
        self, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> Object:
        status, answer = self.control_plane.request(SETUP, method, path, body, kind)
        assert status in (200, 201, 202), (status, answer)
        return answer
