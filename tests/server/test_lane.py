"""Connections in the plain form: cut anywhere, one call behind another, and odd calls in between."""

from __future__ import annotations

import json
import re

import pytest

from tests.server.process import head
from tests.server.test_contract import LEGAL
from webhook.server.head import LONGEST, Heads

BIG = LEGAL[:-1] + b" " * 100_000 + b"}"
PLAIN = head(len(LEGAL)) + LEGAL
LAST = head(len(LEGAL), "/validate", "Connection: close") + LEGAL


def answers(got: bytes) -> list[tuple[int, dict]]:
    """Codes and bodies of all answers in a stream."""
    found = []
    while got:
        top, _, rest = got.partition(b"\r\n\r\n")
        size = int(re.search(rb"(?i)content-length: (\d+)", top)[1])
        body = rest[:size]
        found.append((int(top[9:12]), json.loads(body) if body.startswith(b"{") else {}))
        got = rest[size:]
    return found


@pytest.mark.parametrize("at", [1, 10, len(head(1)) - 3, len(head(1)) - 1, len(head(1)) + 5, -1])
def test_a_call_in_two_pieces(server, at):
    assert [code for code, _ in answers(server.raw_call(LAST[:at], LAST[at:]))] == [200]


@pytest.mark.parametrize("bodies", [[LEGAL] * 3, [BIG, LEGAL], [LEGAL, BIG, LEGAL], [BIG, BIG]])
def test_calls_one_behind_another_are_answered_in_order(server, bodies):
    whole = b""
    for number, body in enumerate(bodies):
        named = body.replace(json.loads(body)["request"]["uid"].encode(), b"call-%d" % number, 1)
        whole += head(len(named)) + named
    *found, last = answers(server.raw_call(whole + LAST))
    assert last[0] == 200
    assert [code for code, _ in found] == [200] * len(bodies)
    assert [body["response"]["uid"] for _, body in found] == [
        f"call-{n}" for n in range(len(bodies))
    ]


def test_a_connection_that_turns_odd_goes_on(server):
    get = b"GET /validate HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert [code for code, _ in answers(server.raw_call(PLAIN + get + LAST))] == [200, 405, 200]


def test_a_conversion_beside_is_no_reason_to_wait(server):
    objects = [{"apiVersion": "skyhook.nvidia.com/v1alpha1", "kind": "Skyhook",
                "metadata": {"name": f"s-{n}", "annotations": {"x": "y" * 1000}}} for n in range(2000)]  # fmt: skip
    request = {"uid": "c", "desiredAPIVersion": "skyhook.nvidia.com/v1beta1", "objects": objects}
    body = json.dumps(
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
    ).encode()
    found = answers(server.raw_call(head(len(body), "/convert") + body + LAST))
    assert [code for code, _ in found] == [200, 200]
    assert len(found[0][1]["response"]["convertedObjects"]) == 2000


def test_a_peer_that_goes_away_in_the_middle_is_counted(server):
    before = server.metrics()
    with server.connect() as sock:
        sock.sendall(head(len(BIG)) + BIG[:50_000])
    sample = 'requests_total{code="400",webhook="/validate"}'

    def count(text: str) -> float:
        return sum(float(line.split()[1]) for line in text.splitlines() if sample in line)

    assert server.until(lambda: count(server.metrics()) > count(before))
    assert 'in_flight{webhook="/validate"} 0.0' in server.metrics()


def test_a_small_head_that_never_ends_is_aiohttps(server):
    got = server.raw_call(b"POST /validate HTTP/1.1\r\n" + b"x" * (LONGEST + 10))
    assert re.match(rb"HTTP/1.[01] 400 ", got)


class Route:
    limit = 1000


HEADS = Heads({"/validate": Route()})  # type: ignore[dict-item]
GOOD = (
    b"POST /validate?timeout=10s HTTP/1.1\r\nHost: a.b.svc:443\r\nUser-Agent: kube-apiserver-admission\r\n"
    b"Content-Length: 17\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\n"
    b"Accept-Encoding: gzip\r\n\r\n"
)


def test_an_api_servers_head_is_plain():
    call = HEADS.read(GOOD)
    assert call is not None
    assert (call.length, call.close) == (17, False)
    assert HEADS.read(GOOD) is call


def test_a_connection_that_is_to_end_ends():
    call = HEADS.read(GOOD.replace(b"Accept-Enc", b"Connection: close\r\nAccept-Enc"))
    assert call is not None
    assert call.close


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"POST", b"PUT"), (b"/validate", b"/validate/"), (b"/validate", b"/other"), (b"1.1", b"1.0"),
        (b"POST /", b"POST  /"), (b"?timeout=10s", b"?x=\xff"), (b"Host: a.b.svc:443\r\n", b""),
        (b"Host:", b"Host :"), (b"Host:", b"\tHost:"), (b"Host:", b"Host"), (b"a.b.svc:443", b"a\x00b"),
        (b"a.b.svc:443", b"a\r\n b"), (b"Length: 17", b"Length: 1001"), (b"Length: 17", b"Length: 0"),
        (b"Length: 17", b"Length: +17"), (b"Length: 17", b"Length: 17, 17"), (b"Length: 17", b"Length: 0x11"),
        (b"Length: 17", b"Length: 17\r\nContent-Length: 17"), (b"Length: 17", b"Length: 17\r\ncontent-length: 18"),
        (b"Content-Length: 17", b"Transfer-Encoding: chunked"),
        (b"Length: 17", b"Length: 17\r\nTransfer-Encoding: chunked"), (b"Length: 17", b"Length: 17\r\nTE: trailers"),
        (b"Length: 17", b"Length: 17\r\nExpect: 100-continue"), (b"Length: 17", b"Length: 17\r\nUpgrade: h2c"),
        (b"Length: 17", b"Length: 17\r\nConnection: upgrade"), (b"Length: 17", b"Length: 17\r\nContent-Encoding: gzip"),
        (b"application/json\r\n", b"text/plain\r\n"), (b"\r\n\r\n", b"\n\n"), (b"\r\nAccept:", b"\nAccept:"),
    ],
)  # fmt: skip
def test_whatever_is_odd_in_a_head_is_left_to_aiohttp(old, new):
    odd = GOOD.replace(old, new, 1)
    assert odd != GOOD
    assert HEADS.read(odd) is None


def test_heads_that_are_remembered_are_bounded():
    heads = Heads({"/validate": Route()})  # type: ignore[dict-item]
    for number in range(1, 900):
        assert heads.read(GOOD.replace(b"gzip", b"x" * number)) is not None
    assert len(heads._known) <= 512
