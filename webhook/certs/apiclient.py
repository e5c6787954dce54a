"""The Cluster on the `kubernetes` package: raw JSON through its asynchronous client.

Objects stay raw, so that a field which the package does not know survives a Secret's update. The
package is imported in `connect` only: it costs a second and 40 MB that `--cert-dir` need not pay.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from typing import TYPE_CHECKING, Any

from webhook.certs.cluster import ClusterError, Kind, Object, Target

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping
    from pathlib import Path

TIMEOUT_SECONDS = 10.0
# The API server ends a watch after this; a connection that died in silence is noticed a little later.
WATCH_SECONDS = 300
JSON, MERGE, APPLY = (
    "application/json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
)
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class ApiCluster:
    """An API server, by in-cluster configuration or by kubeconfig; made by `connect`."""

    def __init__(self, client: Any, errors: tuple[type[Exception], ...], namespace: str) -> None:
        """`errors` are what the transport raises when there is no answer."""
        self.namespace = namespace
        self._client = client
        self._errors = errors

    @classmethod
    async def connect(
        cls, *, namespace: str, kubeconfig: Path | None = None, context: str | None = None
    ) -> ApiCluster:
        """A client with this pod's own identity, or with that of a kubeconfig.

        Raises:
            ClusterError: the configuration can't be read.
        """
        # Off the event loop: the import alone takes a second.
        api = await asyncio.to_thread(importlib.import_module, "kubernetes.aio.client")
        config = await asyncio.to_thread(importlib.import_module, "kubernetes.aio.config")
        configuration = api.Configuration()
        try:
            if kubeconfig is None:
                config.load_incluster_config(configuration)
            else:
                await config.load_kube_config(
                    config_file=str(kubeconfig), context=context, client_configuration=configuration
                )
        except (config.ConfigException, OSError) as error:
            raise ClusterError(0, f"no way to the API server: {error}") from None
        errors = (api.rest.aiohttp.ClientError, TimeoutError, OSError, config.ConfigException)
        return cls(api.ApiClient(configuration), errors, namespace)

    async def get_secret(self, name: str) -> Object | None:
        """The Secret in our namespace, or None where there is none."""
        try:
            return await self._call("GET", f"{self._secrets}/{name}")
        except ClusterError as error:
            if error.status == 404:
                return None
            raise

    async def create_secret(self, secret: Object) -> Object:
        """Create it; a conflict when there is one of that name."""
        return await self._call("POST", self._secrets, body=secret)

    async def update_secret(self, secret: Object) -> Object:
        """Replace it; a conflict when its `resourceVersion` is no longer the stored one."""
        return await self._call("PUT", f"{self._secrets}/{secret['metadata']['name']}", body=secret)

    async def read(self, target: Target) -> list[Object]:
        """The target's objects as they are stored now (a quorum read, not the watch cache)."""
        return (await self._list(target))[0]

    async def deployments(self, names: Iterable[str]) -> list[Object]:
        """Deployments of all namespaces by their ``app.kubernetes.io/name``."""
        query = {"labelSelector": f"app.kubernetes.io/name in ({','.join(names)})"}
        answer = await self._call("GET", "/apis/apps/v1/deployments", query)
        return list(answer.get("items") or ())

    async def watch(self, target: Target) -> AsyncIterator[Mapping[str, Object]]:
        """The target's objects by name, at first and after each change, for some minutes."""
        objects, version = await self._list(target)
        known = {item["metadata"]["name"]: item for item in objects}
        yield known
        query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": str(WATCH_SECONDS)}
        async for event in self._stream(target.kind.path, query | _selector(target)):
            item = event["object"]
            if event["type"] == "ERROR":
                raise ClusterError(item.get("code", 0), f"watch ended: {item.get('message')}")
            if event["type"] == "DELETED":
                known.pop(item["metadata"]["name"], None)
            else:
                known[item["metadata"]["name"]] = item
            yield known

    async def apply(self, kind: Kind, body: Object, *, field_manager: str) -> Object:
        """Server-side apply with force: what is returned is what is stored."""
        query = {"fieldManager": field_manager, "force": "true"}
        path = f"{kind.path}/{body['metadata']['name']}"
        return await self._call("PATCH", path, query, body, APPLY)

    async def merge(self, kind: Kind, name: str, patch: Object) -> Object:
        """JSON merge patch."""
        return await self._call("PATCH", f"{kind.path}/{name}", {}, patch, MERGE)

    async def endpoint_slices(self, service: str) -> list[Object]:
        """The EndpointSlices of a Service in our namespace."""
        path = f"/apis/discovery.k8s.io/v1/namespaces/{self.namespace}/endpointslices"
        query = {"labelSelector": f"kubernetes.io/service-name={service}"}
        return list((await self._call("GET", path, query)).get("items") or ())

    async def node_metadata(self, name: str) -> bytes | None:
        """A Node without spec and status, as it is stored now; None where there is none."""
        return await self.stored(f"/api/v1/nodes/{name}", METADATA)

    async def stored(self, path: str, accept: str = JSON) -> bytes | None:
        """The object at a path, as it is stored now; None where there is none."""
        try:
            return await self._bytes("GET", path, accept=accept)
        except ClusterError as error:
            if error.status == 404:
                return None
            raise

    async def close(self) -> None:
        """End every connection."""
        await self._client.close()

    @property
    def _secrets(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/secrets"

    async def _list(self, target: Target) -> tuple[list[Object], str]:
        answer = await self._call("GET", target.kind.path, _selector(target))
        return list(answer.get("items") or ()), answer["metadata"]["resourceVersion"]

    async def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = JSON,
    ) -> Object:
        return dict(json.loads(await self._bytes(method, path, query, body, content_type)))

    async def _bytes(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = JSON,
        *,
        accept: str = JSON,
    ) -> bytes:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                response = await self._send(method, path, query or {}, body, content_type, accept)
                raw: bytes = await response.read()
        except self._errors as error:
            raise ClusterError(0, f"{method} {path}: {_words(error)}") from None
        if response.status >= 400:
            raise ClusterError(response.status, f"{method} {path}: {_message(response, raw)}")
        return raw

    async def _stream(self, path: str, query: Mapping[str, str]) -> AsyncIterator[Object]:
        """Each line of a watch as it comes."""
        try:
            async with asyncio.timeout(WATCH_SECONDS + TIMEOUT_SECONDS):
                response = await self._send("GET", path, query, None, JSON)
                try:
                    if response.status >= 400:
                        message = _message(response, await response.read())
                        raise ClusterError(response.status, f"watch {path}: {message}")
                    async for line in response.response.content:
                        yield json.loads(line)
                finally:
                    response.response.close()
        except self._errors as error:
            raise ClusterError(0, f"watch {path}: {_words(error)}") from None

    async def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Object | None,
        content_type: str,
        accept: str = JSON,
    ) -> Any:
        request = await self._client.param_serialize(
            method,
            path,
            query_params=list(query.items()),
            header_params={"Accept": accept, "Content-Type": content_type},
            body=body,
            auth_settings=["BearerToken"],
        )
        return await self._client.call_api(*request)


def _selector(target: Target) -> dict[str, str]:
    return {"fieldSelector": f"metadata.name={target.name}"} if target.name else {}


def _words(error: Exception) -> str:
    return "no answer in time" if isinstance(error, TimeoutError) else str(error) or repr(error)


def _message(response: Any, raw: bytes) -> str:
    """What the API server says: its Status's message, or the reason phrase."""
    try:
        return str(json.loads(raw)["message"])
    except (ValueError, KeyError, TypeError):
        return f"{response.status} {response.reason}"
