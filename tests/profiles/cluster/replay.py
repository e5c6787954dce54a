"""Lives from the simulators, lived again on a real API server, with a write tried in each state."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

from tests.kube.client import MERGE_PATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane
    from webhook.lifecycle.model import Match

Object = dict[str, Any]
FINALIZER = "example.com/held"
_NUMBERS = count(1)


@dataclass(slots=True)
class Store:
    """Objects of one kind in one namespace of a real API server.

    Attributes:
        setup: who brings objects into a state; policies let him be.
        writer: who tries a write.
    """

    control_plane: ControlPlane
    match: Match
    setup: str
    writer: str

    def path(self, name: str = "", sub: str = "") -> str:
        group, version = self.match.group, self.match.versions[0]
        parts = [f"/apis/{group}/{version}/namespaces/default/{self.match.plural}", name, sub]
        return "/".join(part for part in parts if part)

    def create(self, first: Object) -> str:
        """A new object with the metadata and spec of the first state; a finalizer holds it."""
        name = f"o-{next(_NUMBERS)}"
        metadata = {k: v for k, v in first["metadata"].items() if k in ("labels", "annotations")}
        body = {
            "apiVersion": f"{self.match.group}/{self.match.versions[0]}",
            "kind": self.match.kind,
            "metadata": {**metadata, "name": name, "finalizers": [FINALIZER]},
            "spec": first.get("spec", {}),
        }
        self._expect(201, "POST", self.path(), body)
        if first.get("status"):
            self._put(name, {"status": first["status"]}, "status", self.setup)
        return name

    def walk(self, name: str, old: Object, new: Object) -> None:
        """Makes the write that leads from one state to the next."""
        if "deletionTimestamp" in new["metadata"] and "deletionTimestamp" not in old["metadata"]:
            self._expect(200, "DELETE", self.path(name), None)
        elif old.get("status") != new.get("status"):
            answer = self._put(name, new, "status", self.setup)
            assert answer.status == 200, answer.body
        else:
            answer = self._put(name, new, "", self.setup)
            assert answer.status == 200, answer.body

    def attempt(self, name: str, old: Object, new: Object) -> Response:
        """Tries a write as the writer, without storing it."""
        sub = "status" if old.get("status") != new.get("status") else ""
        return self._put(name, new, sub, self.writer, "?dryRun=All")

    def read(self, name: str) -> Object:
        """What is stored."""
        return self.control_plane.request(self.setup, "GET", self.path(name))[1]

    def release(self, name: str) -> None:
        """Lets the object go."""
        body = {"metadata": {"finalizers": None}}
        self.control_plane.request(self.setup, "PATCH", self.path(name), body, MERGE_PATCH)
        self.control_plane.request(self.setup, "DELETE", self.path(name))

    def _put(self, name: str, state: Object, sub: str, who: str, query: str = "") -> Response:
        whole = self.read(name)
        if sub:
            whole["status"] = state.get("status", {})
        else:
            whole["spec"] = state.get("spec", {})
            for part in ("labels", "annotations"):
                whole["metadata"][part] = state["metadata"].get(part) or None
        return self.control_plane.call(who, "PUT", self.path(name, sub) + query, whole)

    def _expect(self, status: int, method: str, path: str, body: Any) -> None:
        got, answer = self.control_plane.request(self.setup, method, path, body)
        assert got == status, answer


def states(history: list[Object]) -> Iterator[tuple[Object, Object]]:
    """Each state of a life with the one before."""
    for old, new in pairwise(history):
        yield copy.deepcopy(old), copy.deepcopy(new)
