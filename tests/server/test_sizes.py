"""Large and slow bodies: capped before they are held, refused in time, memory bounded."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from tests.lifecycle.skyhook import entry, skyhook
from tests.reviews.builders import OPERATOR, body
from tests.server.process import chunk, drained, head, serving

MIB = 2**20
LIMIT = 20 * MIB


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A server of their own: its peak of memory is theirs, and it waits for a body one second."""
    folder = tmp_path_factory.mktemp("sizes")
    config = folder / "config.yaml"
    config.write_text("body_timeout: 1\n")
    with serving(folder, "--config", str(config)) as running:
        yield running
        assert running.raw == []


def test_a_32_mib_body_with_a_length_is_refused_unread(fresh):
    fresh.call(body(skyhook(), skyhook()))
    fresh.call(None, "/", "GET")  # aiohttp is loaded for the first call that is not plain
    before = fresh.memory()
    with fresh.connect() as sock:
        started = time.monotonic()
        sock.sendall(head(32 * MIB))
        got = sock.recv(65536)
        assert time.monotonic() - started < 5
        assert got.startswith(b"HTTP/1.1 413 ")
        assert (
            json.loads(got.partition(b"\r\n\r\n")[2])["message"]
            == f"the body is larger than {LIMIT} bytes"
        )
        assert b"connection: close" in got.lower()
    assert fresh.memory() - before < MIB


def test_a_32_mib_body_in_chunks_is_refused_at_the_limit(fresh):
    before, sent = fresh.memory(), 0
    piece = chunk(b" " * 65536)
    with fresh.connect() as sock:
        sock.sendall(head("chunked"))
        try:
            for _ in range(32 * MIB // 65536):
                sock.sendall(piece)
                sent += 65536
        except OSError:
            pass  # closed by the server, which has read enough
        got = drained(sock, 5)
    assert got.startswith(b"HTTP/1.1 413 ") or sent < 32 * MIB
    assert fresh.memory() - before < 2 * LIMIT
    assert fresh.event("refused")["code"] == 413


@pytest.mark.parametrize("length", [LIMIT, LIMIT + 1])
def test_the_limit_is_exact(fresh, length):
    review = body(skyhook(), skyhook())
    answer = fresh.call(review + b" " * (length - len(review)))
    assert answer.status == (200 if length == LIMIT else 413)


@pytest.mark.parametrize("kind", ["length", "chunked"])
def test_a_body_that_does_not_arrive_in_time_is_a_408(fresh, kind):
    with fresh.connect() as sock:
        sock.sendall(head(100) if kind == "length" else head("chunked") + chunk(b"{"))
        got = drained(sock, 20)
    assert got.startswith(b"HTTP/1.1 408 ")
    assert b"the body did not arrive in time" in got
    assert b"connection: close" in got.lower()


def test_a_slow_body_has_its_time_as_a_whole(fresh):
    started = time.monotonic()
    with fresh.connect() as sock:
        sock.sendall(head(1000))
        try:
            for _ in range(200):
                sock.sendall(b" ")
                time.sleep(0.05)
        except OSError:
            pass
        got = drained(sock, 5)
    assert got.startswith(b"HTTP/1.1 408 ") or time.monotonic() - started < 9


def large(nodes: int, pair: str) -> dict:
    state = {
        f"node-{i:05d}": {
            "foo|1.0": entry("config/in_progress", image="registry.example/" + "x" * 220)
        }
        for i in range(nodes)
    }
    state["node-00042"] = {"foo|1.0": entry(pair)}
    return skyhook(status="in_progress", nodeState=state)


def test_a_review_of_2_9_mib_costs_little_where_one_node_changed(fresh):
    sent = body(large(4000, "config/in_progress"), large(4000, "config/complete"), OPERATOR)
    assert 2.4 * MIB < len(sent) < 4 * MIB
    fresh.call(sent)
    before = fresh.cpu()
    answer = fresh.call(sent)
    assert answer.json["response"]["allowed"]
    assert fresh.cpu() - before < 1.0


def test_while_one_body_is_slow_others_are_served(fresh):
    with fresh.connect() as sock:
        sock.sendall(head(100))
        assert fresh.call(body(skyhook(), skyhook())).status == 200
        assert fresh.ready().status == 200


def test_many_large_bodies_at_once_leave_room_for_small_ones(tmp_path):
    """Five of 63 MiB: the fifth is told so at once, and a review of a few KB is judged."""
    part = b" " * MIB
    with serving(tmp_path) as running:
        held = [running.connect() for _ in range(5)]
        try:
            for sock in held[:4]:
                sock.sendall(head(64 * MIB, "/convert"))
                for _ in range(63):
                    sock.sendall(part)
            held[4].sendall(head(64 * MIB, "/convert"))
            with contextlib.suppress(OSError):
                for _ in range(63):
                    held[4].sendall(part)
            assert running.event("refused")["code"] == 503
            assert running.call(body(skyhook(), skyhook())).status == 200
        finally:
            for sock in held:
                sock.close()
        assert running.event("refused")["why"] == "too many large bodies at once"
