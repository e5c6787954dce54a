"""An API server in memory, as far as certificates go: versions, conflicts, watches, apply, faults."""

from __future__ import annotations

import asyncio
import copy
import itertools
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from webhook.certs.cluster import ClusterError, Kind, Object, Target

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

NAMESPACE = "skyhook-webhook-system"
SERVICE = "skyhook-webhook"


class FakeApiServer:
    """Objects by kind and name; `writes` holds what changed something, in order.

    `faults[method]` is a list of errors: each call of that method raises the next one first.
    """

    def __init__(self) -> None:
        self.secrets: dict[str, Object] = {}
        self.objects: dict[tuple[Kind, str], Object] = {}
        self.slices: list[Object] = []
        self.writes: list[tuple[str, str]] = []
        self.requests: list[tuple[str, str]] = []
        self.faults: dict[str, list[Exception]] = defaultdict(list)
        self.before: Callable[[str], None] = lambda _method: None
        self._versions = itertools.count(1)
        self._watchers: list[tuple[Target, asyncio.Queue[None]]] = []

    def client(self, namespace: str = NAMESPACE) -> FakeClient:
        return FakeClient(self, namespace)

    def put(self, kind: Kind, obj: Object) -> Object:
        """What kubectl, Helm or anybody else stores."""
        stored = copy.deepcopy(obj)
        name = stored["metadata"]["name"]
        known = self.objects.get((kind, name), {"metadata": {"uid": f"uid-{name}"}})
        stored["metadata"]["uid"] = known["metadata"]["uid"]
        self._stamp(stored)
        self.objects[kind, name] = stored
        self.notify(kind, name)
        return stored

    def remove(self, kind: Kind, name: str) -> None:
        del self.objects[kind, name]
        self.notify(kind, name)

    def notify(self, kind: Kind, name: str) -> None:
        for target, queue in self._watchers:
            if target.kind is kind and target.name in (None, name):
                queue.put_nowait(None)

    def _stamp(self, obj: Object) -> None:
        obj["metadata"]["resourceVersion"] = str(next(self._versions))

    def matching(self, target: Target) -> list[Object]:
        return [
            copy.deepcopy(obj)
            for (kind, name), obj in self.objects.items()
            if kind is target.kind and target.name in (None, name)
        ]

    def put_secret(self, secret: Object) -> Object:
        stored = copy.deepcopy(secret)
        self._stamp(stored)
        self.secrets[stored["metadata"]["name"]] = stored
        return copy.deepcopy(stored)


class FakeClient:
    """One process's way in; `cut` makes every call fail as if the network were gone."""

    def __init__(self, server: FakeApiServer, namespace: str) -> None:
        self.namespace = namespace
        self.server = server
        self.cut = False

    async def _enter(self, method: str, name: str) -> None:
        await asyncio.sleep(0)
        self.server.requests.append((method, name))
        if self.cut:
            raise ClusterError(0, f"{method}: no answer")
        if self.server.faults[method]:
            raise self.server.faults[method].pop(0)
        self.server.before(method)

    async def get_secret(self, name: str) -> Object | None:
        await self._enter("get_secret", name)
        return copy.deepcopy(self.server.secrets.get(name))

    async def create_secret(self, secret: Object) -> Object:
        name = secret["metadata"]["name"]
        await self._enter("create_secret", name)
        if name in self.server.secrets:
            raise ClusterError(409, f'secrets "{name}" already exists')
        self.server.writes.append(("create_secret", name))
        return self.server.put_secret(secret)

    async def update_secret(self, secret: Object) -> Object:
        name = secret["metadata"]["name"]
        await self._enter("update_secret", name)
        stored = self.server.secrets.get(name)
        if stored is None:
            raise ClusterError(404, f'secrets "{name}" not found')
        version = secret["metadata"].get("resourceVersion")
        if version != stored["metadata"]["resourceVersion"]:
            raise ClusterError(409, "the object has been modified")
        self.server.writes.append(("update_secret", name))
        return self.server.put_secret(secret)

    async def read(self, target: Target) -> list[Object]:
        await self._enter("read", str(target.kind))
        return self.server.matching(target)

    async def watch(self, target: Target) -> AsyncIterator[Mapping[str, Object]]:
        await self._enter("watch", str(target.kind))
        queue: asyncio.Queue[None] = asyncio.Queue()
        registered = (target, queue)
        self.server._watchers.append(registered)
        try:
            while True:
                yield {obj["metadata"]["name"]: obj for obj in self.server.matching(target)}
                await queue.get()
                if self.cut:
                    raise ClusterError(0, "watch: connection lost")
        finally:
            self.server._watchers.remove(registered)

    async def apply(self, kind: Kind, body: Object, *, field_manager: str) -> Object:
        name = body["metadata"]["name"]
        await self._enter("apply", name)
        stored = self.server.objects.get((kind, name))
        if stored is None or stored["metadata"]["uid"] != body["metadata"]["uid"]:
            raise ClusterError(409, f"no {name} of that uid")
        merged = copy.deepcopy(stored)
        _merge(merged, body)
        if merged != stored:
            self.server._stamp(merged)
            self.server.writes.append(("apply", name))
            self.server.objects[kind, name] = merged
            self.server.notify(kind, name)
        return copy.deepcopy(merged)

    async def merge(self, kind: Kind, name: str, patch: Object) -> Object:
        await self._enter("merge", name)
        stored = self.server.objects[kind, name]
        if patch["metadata"]["resourceVersion"] != stored["metadata"]["resourceVersion"]:
            raise ClusterError(409, "the object has been modified")
        merged = copy.deepcopy(stored)
        _merge(merged, patch)
        self.server._stamp(merged)
        self.server.objects[kind, name] = merged
        self.server.notify(kind, name)
        return copy.deepcopy(merged)

    async def endpoint_slices(self, service: str) -> list[Object]:
        await self._enter("endpoint_slices", service)
        return copy.deepcopy(self.server.slices)

    async def close(self) -> None:
        return


def _merge(into: dict[str, Any], patch: Mapping[str, Any]) -> None:
    """Merge maps; lists of webhooks by name, as their schema says."""
    for key, value in patch.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict):
            _merge(into.setdefault(key, {}), value)
        elif key == "webhooks":
            by_name = {item["name"]: item for item in into.get(key, [])}
            for item in value:
                _merge(by_name[item["name"]], item)
        else:
            into[key] = value
