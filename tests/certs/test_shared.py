"""The self-signed mode on a real API server: real Secrets, real caBundles, real watches."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.certs.objects import bundles, crd, mutating, validating, with_bundle
from webhook.certs.apiclient import ApiCluster
from webhook.certs.cluster import Kind, Target
from webhook.certs.selfsigned import Pace
from webhook.certs.shared import SECRET, self_signed

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane
    from webhook.certs.bundle import CertBundle

ADMIN, WEBHOOK = "kubernetes-admin", "webhook"
SERVICE = "skyhook-webhook"
# What a replica needs, and the manifests have to grant.
ROLE = [
    {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [SECRET], "verbs": ["get", "update"]},
    {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list"]},
]  # fmt: skip


def cluster_role(configuration: str, crd_name: str) -> list[dict]:
    admission, extensions = "admissionregistration.k8s.io", "apiextensions.k8s.io"
    kinds = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"]
    return [
        {"apiGroups": [admission], "resources": kinds, "verbs": ["list", "watch"]},
        {"apiGroups": [admission], "resources": kinds, "resourceNames": [configuration], "verbs": ["patch"]},
        {"apiGroups": [extensions], "resources": ["customresourcedefinitions"], "resourceNames": [crd_name],
         "verbs": ["list", "watch", "patch"]},
    ]  # fmt: skip


class Installation:
    """Our objects in a namespace of their own, and replicas with nothing but the rights above."""

    def __init__(self, control_plane: ControlPlane, namespace: str) -> None:
        self.control_plane, self.namespace = control_plane, namespace
        self.crd = f"{namespace.replace('-', '')}s.skyhook.example.com"
        self.names = {Kind.VALIDATING: namespace, Kind.MUTATING: namespace, Kind.CRD: self.crd}
        self.converts = True
        for kind in Kind:
            self._put_in_place("POST", kind.path, self.fresh(kind))
        self._grant("Role", ROLE)
        self._grant("ClusterRole", cluster_role(namespace, self.crd))

    def fresh(self, kind: Kind, pem: bytes | None = None) -> dict:
        obj = {Kind.VALIDATING: validating, Kind.MUTATING: mutating, Kind.CRD: crd}[kind](
            self.names[kind]
        )
        configs = (
            [obj["spec"]["conversion"]["webhook"]["clientConfig"]]
            if kind is Kind.CRD
            else [each["clientConfig"] for each in obj["webhooks"]]
        )
        with_bundle(obj, pem)
        for config in configs:
            if config["service"]["namespace"] == "skyhook-webhook-system":
                config["service"]["namespace"] = self.namespace
        return obj

    def _put_in_place(self, method: str, path: str, obj: dict) -> dict:
        status, answer = self.control_plane.request(ADMIN, method, path, obj)
        assert status in (200, 201), answer
        return answer

    def _grant(self, kind: str, rules: list[dict]) -> None:
        scope = f"namespaces/{self.namespace}/" if kind == "Role" else ""
        path = f"/apis/rbac.authorization.k8s.io/v1/{scope}{kind.lower()}s"
        name = {"name": f"certs-{self.namespace}"}
        self._put_in_place("POST", path, {"metadata": name, "rules": rules})
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, **name}
        user = "system:serviceaccount:skyhook-webhook:skyhook-webhook"
        subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
        binding = {"metadata": name, "roleRef": reference, "subjects": [subject]}
        self._put_in_place("POST", path.replace("roles", "rolebindings"), binding)

    def stored(self, kind: Kind) -> dict:
        path = f"{kind.path}/{self.names[kind]}"
        status, answer = self.control_plane.request(ADMIN, "GET", path)
        assert status == 200, answer
        return answer

    def replace(self, kind: Kind, pem: bytes | None) -> None:
        """As `helm upgrade` does: a PUT of what the chart renders."""
        obj = self.fresh(kind, pem)
        version = self.stored(kind)["metadata"]["resourceVersion"]
        obj["metadata"]["resourceVersion"] = version
        self._put_in_place("PUT", f"{kind.path}/{self.names[kind]}", obj)

    def versions(self) -> dict[Kind, str]:
        return {kind: self.stored(kind)["metadata"]["resourceVersion"] for kind in Kind}

    def right(self, pem: bytes, kinds=tuple(Kind)) -> bool:
        wanted = {Kind.VALIDATING: 2, Kind.MUTATING: 1, Kind.CRD: 1}
        return all(
            list(bundles(self.stored(kind)).values()) == [pem] * wanted[kind] for kind in kinds
        )

    def secret(self) -> dict:
        path = f"/api/v1/namespaces/{self.namespace}/secrets/{SECRET}"
        return self.control_plane.request(ADMIN, "GET", path)[1]

    async def until_right(self, pem: bytes, kinds=tuple(Kind)) -> float:
        """Seconds until every bundle is `pem`."""
        start = time.monotonic()
        while not await asyncio.to_thread(self.right, pem, kinds):
            assert time.monotonic() - start < 15, "not repaired"
            await asyncio.sleep(0.02)
        return time.monotonic() - start

    async def probe(self, _ca_pem: bytes) -> bool:
        return self.converts

    @asynccontextmanager
    async def replicas(self, count: int, served: list[list[CertBundle]]):
        clients = [
            await ApiCluster.connect(
                namespace=self.namespace, kubeconfig=self.control_plane.kubeconfig(WEBHOOK)
            )
            for _ in range(count)
        ]
        tasks = []
        for client in clients:
            parts = self_signed(
                client,
                service=SERVICE,
                targets=(
                    Target(Kind.VALIDATING),
                    Target(Kind.MUTATING),
                    Target(Kind.CRD, self.crd),
                ),
                probe=self.probe,
                pace=Pace(look=timedelta(seconds=0.2)),
            )
            seen: list[CertBundle] = []
            served.append(seen)
            tasks += [
                asyncio.create_task(self._serve(parts, seen)),
                asyncio.create_task(parts.owner.run()),
            ]
        try:
            yield
            for task in tasks:
                assert not task.done(), task.exception()
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            for client in clients:
                await client.close()

    async def _serve(self, parts, seen: list[CertBundle]) -> None:
        async for bundle in parts.source.bundles():
            parts.owner.want(bundle.ca_pem)
            seen.append(bundle)


@pytest.fixture
def installation(control_plane: ControlPlane, namespace: str):
    yield (installed := Installation(control_plane, namespace))
    for kind, name in installed.names.items():  # the API server is the whole session's
        control_plane.request(ADMIN, "DELETE", f"{kind.path}/{name}")


async def all_serve(served: list[list[CertBundle]]) -> None:
    async with asyncio.timeout(20):
        while not all(served):  # noqa: ASYNC110 - filled by the replicas
            await asyncio.sleep(0.02)


async def test_three_starters_share_one_ca_and_publish_it(installation):
    served: list[list[CertBundle]] = []
    async with installation.replicas(3, served):
        await all_serve(served)
        [pem] = {seen[0].ca_pem for seen in served}
        assert len({seen[0].cert_pem for seen in served}) == 1
        await installation.until_right(pem)
        # One create, and nobody wrote over it.
        managers = installation.secret()["metadata"]["managedFields"]
        assert [each["operation"] for each in managers] == ["Update"]
        assert installation.secret()["type"] == "kubernetes.io/tls"
    again: list[list[CertBundle]] = []
    async with installation.replicas(1, again):
        await all_serve(again)
        assert again[0][0].cert_pem == served[0][0].cert_pem


@pytest.mark.parametrize("damage", ["emptied", "newline", "foreign", "twice"])
async def test_a_damaged_bundle_is_repaired_within_five_seconds(
    installation, make_authority, damage
):
    served: list[list[CertBundle]] = []
    async with installation.replicas(2, served):
        await all_serve(served)
        pem = served[0][0].ca_pem
        await installation.until_right(pem)
        content = {
            "emptied": None,
            "newline": b"\n",
            "foreign": make_authority().cert_pem,
            "twice": pem * 2,
        }[damage]
        for kind in Kind:
            if kind is Kind.CRD and damage == "newline":
                continue  # the API server refuses it for a CRD: 422
            await asyncio.to_thread(installation.replace, kind, content)
        assert await installation.until_right(pem) < 5


async def test_a_right_bundle_is_never_written(installation):
    served: list[list[CertBundle]] = []
    async with installation.replicas(1, served):
        await all_serve(served)
        pem = served[0][0].ca_pem
        await installation.until_right(pem)
    versions = installation.versions()
    async with installation.replicas(3, served):
        await all_serve(served)
        await asyncio.sleep(2)
        assert await asyncio.to_thread(installation.versions) == versions


async def test_a_crd_is_written_only_after_the_probe_and_read_through_conversion(installation):
    installation.converts = False
    served: list[list[CertBundle]] = []
    async with installation.replicas(1, served):
        await all_serve(served)
        pem = served[0][0].ca_pem
        await installation.until_right(pem, (Kind.VALIDATING, Kind.MUTATING))
        await asyncio.sleep(1)
        assert bundles(installation.stored(Kind.CRD)) == {}
        installation.converts = True
        await installation.until_right(pem)


async def test_a_deleted_and_a_corrupted_secret_come_back_as_they_were(installation):
    served: list[list[CertBundle]] = []
    path = f"/api/v1/namespaces/{installation.namespace}/secrets/{SECRET}"
    async with installation.replicas(2, served):
        await all_serve(served)
        before = installation.secret()["data"]
        await asyncio.to_thread(installation.control_plane.request, ADMIN, "DELETE", path)
        await _data_is(installation, before)
        patch = {"data": {"tls.key": "", "signing-ca.key": ""}}
        status, answer = await asyncio.to_thread(
            installation.control_plane.request,
            ADMIN, "PATCH", path, patch, "application/merge-patch+json",
        )  # fmt: skip
        assert status == 200, answer
        await _data_is(installation, before)
    assert [len(seen) for seen in served] == [1, 1]


async def _data_is(installation: Installation, data: dict) -> None:
    async with asyncio.timeout(10):
        while (await asyncio.to_thread(installation.secret)).get("data") != data:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_put_back_leaves_both_versions_readable(installation):
    served: list[list[CertBundle]] = []
    async with installation.replicas(1, served):
        await all_serve(served)
        await installation.until_right(served[0][0].ca_pem)
    client = await ApiCluster.connect(
        namespace=installation.namespace,
        kubeconfig=installation.control_plane.kubeconfig(WEBHOOK),
    )
    parts = self_signed(
        client, service=SERVICE, targets=(Target(Kind.CRD, installation.crd),), probe=installation.probe
    )  # fmt: skip
    assert await parts.owner.put_back() == (installation.crd,)
    assert await parts.owner.put_back() == ()
    await client.close()
    assert installation.stored(Kind.CRD)["spec"]["conversion"] == {"strategy": "None"}
    plural, _, group = installation.crd.partition(".")
    for version in ("v1alpha1", "v1beta1"):
        path = f"/apis/{group}/{version}/{plural}"
        async with asyncio.timeout(15):
            while installation.control_plane.request(ADMIN, "GET", path)[0] != 200:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
