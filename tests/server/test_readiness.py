"""Ready means that a TLS request of our own has just been answered."""

from __future__ import annotations

import asyncio

import pytest

from webhook.server import readiness
from webhook.server.readiness import FRESH, LONGEST_WAIT, Readiness


class Clock:
    time = 100.0

    def __call__(self):
        return self.time


@pytest.fixture
def asked(monkeypatch):
    """Answers that the own request gets, in order; the last one stays."""
    calls, answers = [], [None]

    async def ask(*args):
        calls.append(args)
        await asyncio.sleep(0)
        return answers[min(len(calls), len(answers)) - 1]

    monkeypatch.setattr(readiness, "ask", ask)
    return calls, answers


def of(clock, host="0.0.0.0"):
    return Readiness(host, 9443, lambda: b"PEM", clock)


async def test_it_asks_its_own_listener_with_its_own_ca(asked):
    assert await of(Clock())() is None
    ((host, port, path, body, ca, name),) = asked[0]
    assert (host, port, path, ca, name) == ("127.0.0.1", 9443, "/validate", b"PEM", "localhost")
    assert b"AdmissionReview" in body


async def test_a_good_answer_counts_for_a_while_so_that_probes_are_no_load(asked):
    clock = Clock()
    ready = of(clock)
    for _ in range(10):
        assert await ready() is None
    assert len(asked[0]) == 1
    clock.time += FRESH
    assert await ready() is None
    assert len(asked[0]) == 2


async def test_probes_at_the_same_time_share_one_answer(asked):
    ready = of(Clock())
    assert await asyncio.gather(*(ready() for _ in range(20))) == [None] * 20
    assert len(asked[0]) == 1


async def test_a_bad_answer_says_why_and_is_asked_for_again(asked):
    asked[1][:] = ["SSLError", None]
    ready = of(Clock())
    assert await ready() == "own TLS request failed: SSLError"
    assert await ready() is None


async def test_while_draining_it_is_never_ready(asked):
    ready = of(Clock())
    assert await ready() is None
    ready.draining = True
    assert await ready() == "shutting down"


async def test_a_start_waits_for_the_ca_bundle_but_not_for_ever(asked):
    clock = Clock()
    ready = of(clock)
    ready.trusted = asyncio.Event()
    assert await ready() == "the caBundle has not been seen right yet"
    assert asked[0] == []
    clock.time += LONGEST_WAIT
    assert await ready() is None
    ready.trusted.set()
    ready.trusted.clear()
    clock.time = 100.0
    ready.trusted.set()
    assert await ready() is None


async def test_a_listener_that_is_not_there_is_said(unused_tcp_port):
    ready = Readiness("127.0.0.1", unused_tcp_port, lambda: None, Clock())
    assert await ready() == "own TLS request failed: ConnectionRefusedError"


async def test_a_listener_that_speaks_no_tls_is_said():
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert (await Readiness("127.0.0.1", port, lambda: None, Clock())()).startswith(
            "own TLS request failed: "
        )
