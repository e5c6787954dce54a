from __future__ import annotations

import asyncio

import pytest

from tests.certs.fake_cluster import SERVICE, FakeApiServer
from webhook.certs.replicas import Replica, ServiceRoll, replicas
from webhook.certs.serving import ServingContext


def endpoint(host: str, name: str | None = None, **conditions: bool) -> dict:
    each = {"addresses": [host], "conditions": conditions}
    return each | ({"targetRef": {"kind": "Pod", "name": name}} if name else {})


def endpoint_slice(port: int, *endpoints: dict, port_name: str = "https") -> dict:
    return {
        "addressType": "IPv4",
        "ports": [{"name": port_name, "port": port, "protocol": "TCP"}],
        "endpoints": list(endpoints),
    }


def test_endpoints_are_read_with_their_conditions():
    slices = [
        endpoint_slice(
            9443,
            endpoint("10.0.0.1", "a", ready=True),
            endpoint("10.0.0.2", "b", ready=False),
            endpoint("10.0.0.3", "c"),
            endpoint("10.0.0.4", "d", ready=False, serving=True, terminating=True),
        ),
        endpoint_slice(9443, endpoint("10.0.0.5"), endpoint("10.0.0.1", "a", ready=True)),
        {"ports": None, "endpoints": [endpoint("10.0.0.6")]},
        {"ports": [{"name": "https", "port": 9443}], "endpoints": None},
    ]
    assert replicas(slices, None) == (
        Replica("a", "10.0.0.1", 9443, ready=True),
        Replica("b", "10.0.0.2", 9443, ready=False),
        Replica("c", "10.0.0.3", 9443, ready=True),
        Replica("10.0.0.5", "10.0.0.5", 9443, ready=True),
    )


def test_the_port_is_picked_by_name():
    several = endpoint_slice(8080, endpoint("10.0.0.1"), port_name="metrics")
    several["ports"].append({"name": "https", "port": 9443})
    assert [each.port for each in replicas([several], "https")] == [9443]
    assert replicas([several], "else") == ()


@pytest.fixture
def roll():
    server = FakeApiServer()
    return server, ServiceRoll(server.client(), SERVICE)


async def test_replicas_are_told_apart_by_what_they_show(
    listening, make_authority, make_bundle, roll, unused_tcp_port_factory
):
    server, roll = roll
    old, new = make_authority(), make_authority()
    old_context, new_context = ServingContext(), ServingContext()
    old_context.swap(make_bundle(old))
    new_context.swap(make_bundle(new))
    async with listening(old_context) as old_port, listening(new_context) as new_port:
        server.slices = [
            endpoint_slice(old_port, endpoint("127.0.0.1", "pod-old")),
            endpoint_slice(new_port, endpoint("127.0.0.1", "pod-new")),
            endpoint_slice(
                unused_tcp_port_factory(), endpoint("127.0.0.1", "pod-dead", ready=True)
            ),
            endpoint_slice(
                unused_tcp_port_factory(), endpoint("127.0.0.1", "pod-starting", ready=False)
            ),
        ]
        dead, shows_old = await roll.missing(new.cert_pem)
        assert dead.startswith("pod-dead can't be reached")
        assert shows_old.startswith("pod-old shows another certificate")
        server.slices = server.slices[1:2]
        assert await roll.missing(new.cert_pem) == ()


async def test_an_unready_replica_that_answers_with_the_old_leaf_counts(
    listening, make_authority, make_bundle, roll
):
    server, roll = roll
    old, new = make_authority(), make_authority()
    contexts = ServingContext(), ServingContext()
    for context, authority in zip(contexts, (old, new), strict=True):
        context.swap(make_bundle(authority))
    async with listening(contexts[0]) as old_port, listening(contexts[1]) as new_port:
        server.slices = [
            endpoint_slice(old_port, endpoint("127.0.0.1", "pod-old", ready=False)),
            endpoint_slice(new_port, endpoint("127.0.0.1", "pod-new")),
        ]
        [line] = await roll.missing(new.cert_pem)
        assert line.startswith("pod-old shows another")


async def test_nobody_ready_is_no_confirmation(roll, make_authority):
    _, roll = roll
    assert await roll.missing(make_authority().cert_pem) == (
        f"no replica behind Service {SERVICE} is ready",
    )


async def test_a_peer_that_never_answers_is_given_up(roll, make_authority, monkeypatch):
    monkeypatch.setattr("webhook.certs.replicas.DIAL_SECONDS", 0.2)
    server, roll = roll
    gone = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await gone.wait()
        writer.transport.abort()

    listener = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    server.slices = [endpoint_slice(port, endpoint("127.0.0.1", "pod-silent"))]
    assert await roll.missing(make_authority().cert_pem) == (
        "pod-silent can't be reached: no answer",
    )
    gone.set()
    listener.close()
    await asyncio.sleep(0.01)
