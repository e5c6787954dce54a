"""Fixtures of the certificate tests: clocks, a CA, a listener that shows what TLS presents."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from webhook.certs.authority import Authority, service_names
from webhook.certs.serving import ServingContext, peer_common_name

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NAMES = service_names("skyhook-webhook", "skyhook-webhook-system")


class Clock:
    """A clock that only the test moves; `sleep` moves it and lets everybody else run."""

    def __init__(self, start: datetime) -> None:
        self.time = start
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> Clock:
    # OpenSSL and Go check dates against the real clock, so certificates that are really served are
    # made around it.
    return Clock(datetime.now(UTC).replace(microsecond=0))


@pytest.fixture
def names() -> tuple[str, ...]:
    return NAMES


@pytest.fixture
def make_authority(clock):
    return lambda name="test CA", **kwargs: Authority.make(name, now=clock.now(), **kwargs)


@pytest.fixture
def make_bundle(clock, make_authority):
    def make(authority=None, **kwargs):
        return (authority or make_authority()).sign(NAMES, now=clock.now(), **kwargs)

    return make


@pytest.fixture
def listening():
    """A real TLS listener around a ServingContext: answers each line with the client's name."""

    @asynccontextmanager
    async def listen(context: ServingContext) -> AsyncIterator[int]:
        open_writers: set[asyncio.StreamWriter] = set()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            open_writers.add(writer)
            try:
                while line := await reader.readline():
                    name = peer_common_name(writer.get_extra_info("ssl_object"))
                    writer.write(line.strip() + b" " + str(name).encode() + b"\n")
                    await writer.drain()
            except (ConnectionError, OSError):
                pass
            finally:
                open_writers.discard(writer)
                writer.transport.abort()

        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context.outer)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for writer in open_writers:
                writer.transport.abort()
            await asyncio.sleep(0.01)  # both ends of what is still open see that it is over

    return listen


@pytest.fixture
def namespace(control_plane, request):
    """A namespace of the test's own on the session's API server."""
    name = f"certs-{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:8]}"
    body = {"metadata": {"name": name}}
    status, answer = control_plane.request("kubernetes-admin", "POST", "/api/v1/namespaces", body)
    assert status == 201, answer
    return name
