"""What replicas show is looked at by TLS dials, and nobody is waited for."""

from __future__ import annotations

import asyncio
import socket
from datetime import UTC, datetime

import pytest

from webhook.certs.authority import Authority, service_names
from webhook.certs.serving import ServingContext
from webhook.doctor import fetching, leaf

NAMES = service_names("skyhook-webhook", "skyhook-webhook-system")


def endpoint_slice(port: int, *addresses: str) -> dict[str, object]:
    endpoints = [
        {"addresses": [address], "conditions": {"ready": True}, "targetRef": {"name": f"pod-{n}"}}
        for n, address in enumerate(addresses)
    ]
    return {
        "kind": "EndpointSlice",
        "ports": [{"name": "https", "port": port}],
        "endpoints": endpoints,
    }


@pytest.mark.parametrize("names", [NAMES, ("other.svc",)], ids=["ours", "of-somebody"])
async def test_the_leaf_that_a_replica_shows_is_read_whatever_it_is(names: tuple[str, ...]):
    bundle = Authority.make("test", now=datetime.now(UTC)).sign(names, now=datetime.now(UTC))
    serving = ServingContext()
    serving.swap(bundle)
    server = await asyncio.start_server(lambda _r, w: w.close(), "127.0.0.1", 0, ssl=serving.outer)
    port = server.sockets[0].getsockname()[1]
    shown = await fetching._dialled([endpoint_slice(port, "127.0.0.1")])
    server.close()
    await server.wait_closed()
    assert set(shown) == {"pod-0"}
    assert set(leaf.names(shown["pod-0"])) == set(leaf.names(bundle.cert_pem))
    assert leaf.fault(shown["pod-0"], bundle.ca_pem, datetime.now(UTC)) is None


async def test_replicas_that_can_not_be_reached_are_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fetching, "DIAL_SECONDS", 0.2)
    with socket.socket() as silent, socket.socket() as closed:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        closed.bind(("127.0.0.1", 0))
        slices = [endpoint_slice(s.getsockname()[1], "127.0.0.1") for s in (silent, closed)]
        assert await fetching._dialled(slices) == {}
