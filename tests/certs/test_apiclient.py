"""The client on a real API server: Secrets with versions, watches, apply, what goes wrong."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.certs.fake_cluster import SERVICE
from tests.certs.objects import bundles, crd, mutating, validating
from webhook.certs.apiclient import ApiCluster
from webhook.certs.cabundle import ServiceKey, applied
from webhook.certs.cluster import ClusterError, Kind, Target, in_cluster, own_namespace

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane

ADMIN = "kubernetes-admin"
# Clients of one API server: each test in a namespace and with names of its own.
CONFIGURATIONS = {Kind.VALIDATING: validating, Kind.MUTATING: mutating}


@pytest.fixture
async def client(control_plane: ControlPlane, namespace: str):
    cluster = await ApiCluster.connect(
        namespace=namespace, kubeconfig=control_plane.kubeconfig(ADMIN)
    )
    yield cluster
    await cluster.close()
    names = {kind: namespace if kind is not Kind.CRD else crd_name(namespace) for kind in Kind}
    for kind, name in names.items():  # the API server is the whole session's
        control_plane.request(ADMIN, "DELETE", f"{kind.path}/{name}")


def crd_name(namespace: str) -> str:
    return f"{namespace.replace('-', '')}s.skyhook.example.com"


async def test_a_secret_is_created_once_and_updated_over_its_version(client):
    assert await client.get_secret("s") is None
    made = await client.create_secret(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "YQ=="}}
    )
    with pytest.raises(ClusterError) as refused:
        await client.create_secret({"metadata": {"name": "s"}})
    assert refused.value.conflict
    await client.update_secret({**made, "data": {"a": "Yg=="}})
    with pytest.raises(ClusterError) as refused:
        await client.update_secret({**made, "data": {"a": "Yw=="}})
    assert refused.value.conflict
    assert (await client.get_secret("s"))["data"] == {"a": "Yg=="}


@pytest.mark.parametrize("kind", CONFIGURATIONS, ids=str)
async def test_a_watch_shows_each_change_by_name(client, control_plane, namespace, kind):
    target = Target(kind, namespace)
    seen = client.watch(target)
    assert await anext(seen) == {}
    obj = {**CONFIGURATIONS[kind](namespace), "metadata": {"name": namespace}}
    path = kind.path
    assert control_plane.request(ADMIN, "POST", path, obj)[0] == 201
    assert list(await asyncio.wait_for(anext(seen), 5)) == [namespace]
    assert control_plane.request(ADMIN, "DELETE", f"{path}/{namespace}")[0] == 200
    assert await asyncio.wait_for(anext(seen), 5) == {}
    await seen.aclose()


async def test_an_apply_of_the_bundle_owns_that_field_and_no_other(
    client, control_plane, namespace, make_authority
):
    ca_pem = make_authority().cert_pem
    objects = {
        Kind.VALIDATING: validating(namespace),
        Kind.MUTATING: mutating(namespace),
        Kind.CRD: crd(crd_name(namespace)),
    }
    for kind, obj in objects.items():
        assert control_plane.request(ADMIN, "POST", kind.path, obj)[0] == 201
        [stored] = await client.read(Target(kind, obj["metadata"]["name"]))
        body = applied(kind, stored, ServiceKey("skyhook-webhook-system", SERVICE), ca_pem)
        after = await client.apply(kind, body, field_manager="skyhook-webhook-cabundle")
        assert set(bundles(after).values()) == {ca_pem}
        [fields] = [
            each["fieldsV1"]
            for each in after["metadata"]["managedFields"]
            if each["manager"] == "skyhook-webhook-cabundle"
        ]
        assert leaves(fields) == {"f:caBundle"}
        # The same again: the API server itself finds nothing to write.
        again = await client.apply(kind, body, field_manager="skyhook-webhook-cabundle")
        assert again["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"]


def leaves(fields: dict) -> set[str]:
    """The names of managed fields that hold nothing further, but for list keys."""
    found = set()
    for key, value in fields.items():
        if key.startswith("k:") or value:
            found |= leaves(value)
        elif key not in (".", "f:name"):
            found.add(key)
    return found


async def test_an_apply_never_makes_an_object_of_a_deleted_one(client, control_plane, namespace):
    assert control_plane.request(ADMIN, "POST", Kind.MUTATING.path, mutating(namespace))[0] == 201
    [stored] = await client.read(Target(Kind.MUTATING, namespace))
    body = applied(Kind.MUTATING, stored, ServiceKey("skyhook-webhook-system", SERVICE), b"-----")
    control_plane.request(ADMIN, "DELETE", f"{Kind.MUTATING.path}/{namespace}")
    with pytest.raises(ClusterError) as refused:
        await client.apply(Kind.MUTATING, body, field_manager="skyhook-webhook-cabundle")
    assert refused.value.status in (409, 422)
    assert await client.read(Target(Kind.MUTATING, namespace)) == []


async def test_endpoint_slices_are_those_of_the_service(client, control_plane, namespace):
    path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    for name, service in (("mine", SERVICE), ("theirs", "another")):
        endpoint_slice = {
            "metadata": {"name": name, "labels": {"kubernetes.io/service-name": service}},
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.1.2.3"]}],
            "ports": [{"name": "https", "port": 9443}],
        }
        status, answer = control_plane.request(ADMIN, "POST", path, endpoint_slice)
        assert status == 201, answer
    found = await client.endpoint_slices(SERVICE)
    assert [each["metadata"]["name"] for each in found] == ["mine"]


async def test_a_refusal_keeps_the_api_servers_words(control_plane, namespace):
    client = await ApiCluster.connect(
        namespace=namespace, kubeconfig=control_plane.kubeconfig("webhook")
    )
    with pytest.raises(ClusterError, match='secrets "s" is forbidden') as refused:
        await client.get_secret("s")
    assert refused.value.status == 403
    with pytest.raises(ClusterError, match="forbidden"):
        await anext(client.watch(Target(Kind.CRD)))
    await client.close()


async def test_an_api_server_that_is_not_there_is_a_cluster_error(tmp_path, control_plane):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = control_plane.kubeconfig(ADMIN).read_text()
        port = control_plane.url.rpartition(":")[2]
        dead = config.replace(f":{port}", f":{listener.getsockname()[1]}")
    (tmp_path / "config").write_text(dead)
    client = await ApiCluster.connect(namespace="n", kubeconfig=tmp_path / "config")
    with pytest.raises(ClusterError) as failed:
        await client.get_secret("s")
    assert failed.value.status == 0
    with pytest.raises(ClusterError):
        await anext(client.watch(Target(Kind.CRD)))
    await client.close()


async def test_no_configuration_is_a_cluster_error(tmp_path):
    with pytest.raises(ClusterError, match="no way to the API server"):
        await ApiCluster.connect(namespace="n", kubeconfig=tmp_path / "none")
    with pytest.raises(ClusterError, match="no way to the API server"):
        await ApiCluster.connect(namespace="n")


def test_outside_a_cluster_nothing_is_claimed():
    assert not in_cluster()
    assert own_namespace() is None


def test_kubernetes_is_imported_only_with_a_cluster():
    code = (
        "import sys, webhook.certs.apiclient, webhook.certs.shared, webhook.certs.folder;"
        "sys.exit('kubernetes' in sys.modules or 'aiohttp' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


async def test_in_a_pod_the_mounted_token_and_ca_are_used(control_plane, tmp_path, monkeypatch):
    from kubernetes.aio.config import incluster_config

    headers = dict(control_plane._credentials.headers(ADMIN))
    token, ca = tmp_path / "token", control_plane.ca_file
    token.write_text(headers["Authorization"].removeprefix("Bearer "))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", control_plane.url.rpartition(":")[2])
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(token))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(ca))
    client = await ApiCluster.connect(namespace="kube-system")
    assert await client.get_secret("none") is None
    await client.close()
