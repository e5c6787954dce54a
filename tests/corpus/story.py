"""A recorded scenario as a story: what each Node held when a write was reviewed, and since when.

Stands in for the API server that a replica reads Nodes from, with managedFields as one keeps them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from tests.corpus.differences import NODE_STATE
from tests.planted.view import STATUS_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DECODE = msgspec.json.Decoder(dict[str, Any]).decode
_COPIED = (NODE_STATE, STATUS_KEY)


class Story:
    """One scenario, read in order.

    Attributes:
        time: of the write under review, in seconds since 1970.
        nodes: name -> annotation -> (value, when it was written); only annotations that are copied.
        gone: Nodes that were deleted.
        statuses: Skyhook -> when its status was last written.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.nodes: dict[str, dict[str, tuple[str, float]]] = {}
        self.gone: set[str] = set()
        self.statuses: dict[str, float] = {}

    def reviews(self, lines: Iterable[bytes]) -> Iterator[tuple[dict[str, Any], bytes]]:
        """(review, its line) while everything stands as it did before the write."""
        for line in lines:
            review = _DECODE(line)
            request = review["request"]
            self.time = review["ts"]
            if request["kind"]["kind"] == "Node" and request.get("oldObject"):
                self._hold(request["oldObject"])
            yield review, line
            if not request.get("dryRun") and review.get("outcome") in (200, 201):
                self._commit(request)

    def _commit(self, request: dict[str, Any]) -> None:
        if request["kind"]["kind"] == "Skyhook" and request.get("subResource") == "status":
            self.statuses[request["name"]] = self.time
        if request["kind"]["kind"] != "Node":
            return
        if request["operation"] == "DELETE":
            self.nodes.pop(request["name"], None)
            self.gone.add(request["name"])
        else:
            self._hold(request["object"])

    def _hold(self, node: dict[str, Any]) -> None:
        """What a Node holds; what it held already was written when it was, the rest by now."""
        name = node["metadata"]["name"]
        self.gone.discard(name)
        before = self.nodes.get(name, {})
        now = {}
        for key, value in (node["metadata"].get("annotations") or {}).items():
            if key.startswith(_COPIED):
                text, since = before.get(key, ("", self.time))
                now[key] = (value, since if text == value else self.time)
        self.nodes[name] = now

    async def get(self, name: str) -> bytes | None:
        """The Node's metadata as an API server answers it."""
        if name in self.gone:
            return None
        held = self.nodes.get(name, {})
        owners = [
            {"manager": key, "time": stamp(since), "fieldsV1": {"f:metadata": {"f:annotations": {f"f:{key}": {}}}}}
            for key, (_, since) in held.items()
        ]  # fmt: skip
        annotations = {key: value for key, (value, _) in held.items()}
        metadata = {"name": name, "annotations": annotations, "managedFields": owners}
        return msgspec.json.encode({"metadata": metadata})

    def with_owners(self, review: dict[str, Any], line: bytes) -> bytes:
        """The review of a status write as a real one is: the old object says when it was written."""
        request = review["request"]
        if request["kind"]["kind"] != "Skyhook" or not request.get("oldObject"):
            return line
        since = self.statuses.get(request["name"], 0.0)
        owner = {"manager": "operator", "subresource": "status", "time": stamp(since)}
        request["oldObject"]["metadata"]["managedFields"] = [owner]
        return msgspec.json.encode(review)


def stamp(seconds: float) -> str:
    """A time as API servers write it: whole seconds."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")
