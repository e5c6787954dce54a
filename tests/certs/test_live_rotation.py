"""A real API server calls two real TLS listeners by Service while everything about certificates changes.

An ExternalName Service makes an API server without a network dial localhost; the name that it
verifies is the Service's. Both webhooks are `failurePolicy: Fail`: a call that fails, fails a write.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.certs.objects import bundles
from webhook.certs.apiclient import ApiCluster
from webhook.certs.cluster import Kind, Target
from webhook.certs.replicas import ServiceRoll
from webhook.certs.secret import PHASE
from webhook.certs.selfsigned import Pace
from webhook.certs.serving import ServingContext
from webhook.certs.shared import SECRET, self_signed

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane

ADMIN, SERVICE, MERGE = "kubernetes-admin", "skyhook-webhook", "application/merge-patch+json"
SETTLE, RETIRE = timedelta(seconds=1), timedelta(seconds=2)


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Allow one review and close: each call is a handshake, none hides behind a kept connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        [length] = [
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ]
        review = json.loads(await reader.readexactly(length))
        review["response"] = {"uid": review.pop("request")["uid"], "allowed": True}
        body = json.dumps(review).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        writer.write(b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
    except (asyncio.IncompleteReadError, OSError):
        pass
    finally:
        writer.close()


class Replica:
    """One of them looks at the Secret seldom: nothing may go on without it."""

    def __init__(self, interval: float) -> None:
        self.pace = Pace(timedelta(seconds=interval), SETTLE, RETIRE)
        self.context = ServingContext()
        self.served = 0
        self.port = 0

    async def serve(self, parts) -> None:
        async for bundle in parts.source.bundles():
            parts.owner.want(bundle.ca_pem)
            self.context.swap(bundle)
            self.served += 1


class Slices:
    """The API server refuses loopback addresses in EndpointSlices, so who is there comes from here."""

    def __init__(self, namespace: str, replicas: list[Replica]) -> None:
        self.namespace, self.replicas = namespace, replicas

    async def endpoint_slices(self, _service: str) -> list[dict]:
        return [
            {"ports": [{"port": each.port}], "endpoints": [{"addresses": ["127.0.0.1"]}]}
            for each in self.replicas
        ]


class Live:
    def __init__(self, control_plane: ControlPlane, namespace: str) -> None:
        self.control_plane, self.namespace = control_plane, namespace
        self.replicas = [Replica(0.2), Replica(2.5)]
        self.writes = 0
        self.failed: list[str] = []
        self.path = f"{Kind.VALIDATING.path}/{namespace}"
        self.secret_path = f"/api/v1/namespaces/{namespace}/secrets/{SECRET}"
        self.map_path = f"/api/v1/namespaces/{namespace}/configmaps"

    async def request(self, *args) -> dict:
        status, body = await asyncio.to_thread(self.control_plane.request, ADMIN, *args)
        assert status in (200, 201), body
        return body

    def configuration(self) -> dict:
        return {
            "metadata": {"name": self.namespace},
            "webhooks": [
                {
                    "name": f"replica-{number}.guard.skyhook.nvidia.com",
                    "clientConfig": {
                        "service": {
                            "name": SERVICE,
                            "namespace": self.namespace,
                            "path": "/validate",
                            "port": replica.port,
                        }
                    },
                    "rules": [
                        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"],
                         "resources": ["configmaps"]}
                    ],
                    "namespaceSelector": {
                        "matchLabels": {"kubernetes.io/metadata.name": self.namespace}
                    },
                    "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                    "failurePolicy": "Fail",
                    "timeoutSeconds": 3,
                }
                for number, replica in enumerate(self.replicas)
            ],
        }  # fmt: skip

    async def write(self) -> None:
        """One writer, as fast as it goes, until cancelled."""
        for number in itertools.count():
            status, body = await asyncio.to_thread(
                self.control_plane.request,
                ADMIN, "PATCH", f"{self.map_path}/m", {"data": {"n": str(number)}}, MERGE,
            )  # fmt: skip
            self.writes += 1
            if status != 200:
                self.failed.append(body["message"])

    async def until(self, condition, seconds: float = 20) -> None:
        async with asyncio.timeout(seconds):
            while not await condition():  # noqa: ASYNC110 - the condition is the server's state
                await asyncio.sleep(0.05)

    async def published(self) -> bool:
        return len(bundles(await self.request("GET", self.path))) == len(self.replicas)

    async def ca(self) -> bytes:
        return set(bundles(await self.request("GET", self.path)).values()).pop()


@pytest.fixture
async def live(control_plane: ControlPlane, namespace: str):
    installed = Live(control_plane, namespace)
    async with running(installed):
        yield installed
    await installed.request("DELETE", installed.path)


@asynccontextmanager
async def running(live: Live):
    config = live.control_plane.kubeconfig(ADMIN)
    clients = [
        await ApiCluster.connect(namespace=live.namespace, kubeconfig=config) for _ in live.replicas
    ]
    listeners, tasks = [], []
    roll = ServiceRoll(Slices(live.namespace, live.replicas), SERVICE)
    for replica, client in zip(live.replicas, clients, strict=True):
        listener = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=replica.context.outer)
        listeners.append(listener)
        replica.port = listener.sockets[0].getsockname()[1]
        parts = self_signed(
            client, service=SERVICE, targets=[Target(Kind.VALIDATING, live.namespace)],
            probe=never, pace=replica.pace, roll=roll,
        )  # fmt: skip
        replica.store = parts.store
        tasks += [asyncio.create_task(replica.serve(parts)), asyncio.create_task(parts.owner.run())]
    service = {
        "metadata": {"name": SERVICE},
        "spec": {"type": "ExternalName", "externalName": "localhost"},
    }
    await live.request("POST", f"/api/v1/namespaces/{live.namespace}/services", service)  # fmt: skip
    await live.request("POST", live.map_path, {"metadata": {"name": "m"}})
    await live.request("POST", Kind.VALIDATING.path, live.configuration())
    await live.until(live.published)
    try:
        yield
        assert not any(task.done() for task in tasks)
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        for listener in listeners:
            listener.close()
        for client in clients:
            await client.close()
        await asyncio.sleep(0.05)


async def never(_ca_pem: bytes) -> bool:
    return False


@asynccontextmanager
async def writing(live: Live):
    """Two writers, from the first write that a webhook has let through."""
    await live.until(lambda: admitted(live))
    tasks = [asyncio.create_task(live.write()) for _ in range(2)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def admitted(live: Live) -> bool:
    status, _ = await asyncio.to_thread(
        live.control_plane.request, ADMIN, "PATCH", f"{live.map_path}/m", {"data": {"a": "b"}}, MERGE
    )  # fmt: skip
    return status == 200


@pytest.mark.nightly  # tests/e2e/test_rollout.py has one rotation each day
async def test_two_rotations_a_lost_and_a_corrupted_secret_fail_no_write(live):
    async with writing(live):
        seen = [await live.ca()]
        for _ in range(2):
            await live.replicas[0].store.rotate()
            await live.until(lambda: is_steady(live))
            seen.append(await live.ca())
        await live.request("DELETE", live.secret_path)
        await asyncio.sleep(3)
        broken = {"data": {"tls.key": "", "signing-ca.key": "", "ca.crt": "Cg=="}}
        await live.request("PATCH", live.secret_path, broken, MERGE)
        await asyncio.sleep(3)
        assert await is_steady(live)
        assert await live.ca() == seen[-1]
    assert len(set(seen)) == 3
    assert all(replica.served >= 5 for replica in live.replicas)
    assert live.writes > 100
    assert live.failed == []


async def is_steady(live: Live) -> bool:
    """The rotation is over, and the API server has what the Secret says."""
    secret = await live.request("GET", live.secret_path)
    trust = base64.b64decode(secret["data"]["ca.crt"])
    return secret["metadata"]["annotations"][PHASE] == "steady" and await live.ca() == trust


async def test_an_emptied_bundle_is_back_before_five_seconds_are_over(live):
    async with writing(live):
        configuration = await live.request("GET", live.path)
        for each in configuration["webhooks"]:
            each["clientConfig"].pop("caBundle")
        del configuration["metadata"]["managedFields"]
        await live.request("PUT", live.path, configuration)
        await live.until(live.published, 5)
        before = len(live.failed)
        # From here on nothing fails: what failed did while the bundle was gone.
        await live.until(lambda: admitted(live), 5)
        await asyncio.sleep(0.3)
        settled = len(live.failed)
        await asyncio.sleep(1)
        assert len(live.failed) == settled
    assert settled - before <= 4
    assert all("certificate" in message for message in live.failed)
