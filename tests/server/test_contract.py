"""What the server answers, over real TLS: verdicts as the engine's, refusals as a Status."""

from __future__ import annotations

import json
import time

import pytest

from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, UID, body, review
from tests.server.process import JSON_TYPE, ask, chunk, drained, head

ILLEGAL = body(
    node({"foo|1.0": entry("apply/in_progress")}),
    node({"foo|1.0": entry("interrupt/skipped")}),
    PERSON,
)
LEGAL = body(
    node({"foo|1.0": entry("apply/in_progress")}),
    node({"foo|1.0": entry("apply/complete")}),
    OPERATOR,
)
ODD = body(
    node({"foo|1.0": entry("config/complete")}),
    node({"foo|1.0": entry("apply/in_progress")}),
    PERSON,
)


def refused(answer, code, reason, message=None):
    assert answer.status == code
    assert answer.headers["Content-Type"].startswith("application/json")
    assert "Retry-After" not in answer.headers
    status = answer.json
    assert (status["kind"], status["apiVersion"], status["status"]) == ("Status", "v1", "Failure")
    assert (status["code"], status["reason"]) == (code, reason)
    if message is not None:
        assert status["message"] == message


@pytest.mark.parametrize("sent", [ILLEGAL, LEGAL, ODD], ids=["illegal", "legal", "odd"])
def test_the_answer_is_the_engines_byte_for_byte(server, engine, sent):
    answer = server.call(sent)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.body == engine.judge_body(sent).encode()
    assert answer.json["response"]["uid"] == UID


def test_a_denial_is_200_with_a_422_inside(server):
    response = server.call(ILLEGAL).json["response"]
    assert (response["allowed"], response["status"]["code"]) == (False, 422)
    assert "patch" not in response
    assert "patchType" not in response


def test_a_query_is_the_api_servers_business(server):
    assert server.call(LEGAL, "/validate?timeout=10s").json["response"]["allowed"]


@pytest.mark.parametrize(
    ("method", "path", "code", "reason", "allow"),
    [
        ("GET", "/validate", 405, "MethodNotAllowed", "POST"),
        ("PUT", "/validate", 405, "MethodNotAllowed", "POST"),
        ("HEAD", "/validate", 405, None, "POST"),
        ("POST", "/", 404, "NotFound", None),
        ("POST", "/validate/", 404, "NotFound", None),
        ("POST", "/validate-skyhook", 404, "NotFound", None),
        ("GET", "/healthz", 404, "NotFound", None),
        ("GET", "/metrics", 404, "NotFound", None),
    ],
)
def test_other_methods_and_paths_are_refused(server, method, path, code, reason, allow):
    answer = server.call(None, path, method, {})
    assert answer.status == code
    assert answer.headers.get("Allow") == allow
    if reason is not None:
        refused(answer, code, reason)


@pytest.mark.parametrize(
    "media",
    [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        " application/json ;x=y",
    ],
)
def test_json_is_json_with_parameters_and_in_any_case(server, media):
    assert server.call(LEGAL, headers={"Content-Type": media}).status == 200


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"Content-Type": "text/plain"}, "Content-Type must be application/json"),
        ({"Content-Type": "application/yaml"}, "Content-Type must be application/json"),
        ({"Content-Type": ""}, "Content-Type must be application/json"),
        ({}, "Content-Type must be application/json"),
        ({**JSON_TYPE, "Content-Encoding": "gzip"}, "Content-Encoding is not supported"),
        ({**JSON_TYPE, "Content-Encoding": "deflate"}, "Content-Encoding is not supported"),
    ],
)
def test_another_media_type_or_encoding_is_refused(server, headers, message):
    refused(server.call(LEGAL, headers=headers), 415, "UnsupportedMediaType", message)


def test_an_encoding_that_changes_nothing_is_fine(server):
    assert server.call(LEGAL, headers={**JSON_TYPE, "Content-Encoding": "identity"}).status == 200


DEEP = b"[" * 100_000 + b"]" * 100_000


def around(value):
    whole = review(node({}), node({}), PERSON)
    return (
        json.dumps(whole)
        .replace('"annotations": {', '"annotations": {"x": @, ', 1)
        .encode()
        .replace(b"@", value)
    )


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "the body is empty"),
        (b'{"a":', None),
        (b"[]", None),
        (b"null", None),
        (b'{"apiVersion":"v1","kind":"Pod"}', "not an AdmissionReview of admission.k8s.io/v1"),
        (
            b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}',
            "an AdmissionReview without request or uid",
        ),
        (b"\xff\xfe" + LEGAL, "not UTF-8 at byte 0"),
        (around(b"NaN"), None),
        (around(b"-Infinity"), None),
        (around(b'"\\ud800"'), None),
        (around(b'"\xed\xa0\x80"'), None),
        (around(DEEP), None),
        (DEEP, None),
        (b"\x00" * 1000, None),
        (b"\x1f\x8b\x08\x00", None),
    ],
    ids=lambda v: repr(v[:20]) if isinstance(v, bytes) else "",
)
def test_what_is_no_review_is_a_clean_400(server, sent, message):
    refused(server.call(sent), 400, "BadRequest", message)
    assert server.call(LEGAL).status == 200


def test_a_review_without_a_body_at_all_is_a_400(server):
    answer = server.raw_call(
        b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"the body is empty" in answer


def test_many_calls_share_a_connection(server):
    with server.session() as connection:
        first = ask(connection, LEGAL)
        sock = connection.sock
        for sent, allowed in ((ILLEGAL, False), (b"[]", None), (LEGAL, True), (ODD, True)):
            answer = ask(connection, sent)
            if allowed is not None:
                assert answer.json["response"]["allowed"] is allowed
            assert connection.sock is sock
        assert first.headers.get("Connection", "keep-alive").lower() != "close"


def test_pipelined_calls_are_answered_in_order(server):
    calls = [head(len(b)) + b for b in (ILLEGAL, LEGAL)]
    last = head(len(LEGAL), "/validate", "Connection: close") + LEGAL
    got = server.raw_call(b"".join([*calls, last]))
    answers = got.split(b"HTTP/1.1 200 OK")[1:]
    assert [b'"allowed":true' in a for a in answers] == [False, True, True]


def test_a_body_in_chunks_is_a_body(server):
    pieces = [chunk(LEGAL[i : i + 100]) for i in range(0, len(LEGAL), 100)]
    got = server.raw_call(head("chunked", "/validate", "Connection: close"), *pieces, chunk(b""))
    assert got.startswith(b"HTTP/1.1 200 ")
    assert b'"allowed":true' in got


def test_a_body_in_small_pieces_is_a_body(server):
    with server.connect() as sock:
        sock.sendall(head(len(LEGAL), "/validate", "Connection: close"))
        for start in range(0, len(LEGAL), 200):
            sock.sendall(LEGAL[start : start + 200])
            time.sleep(0.005)
        assert b'"allowed":true' in drained(sock)


def test_expect_100_continue_is_understood(server):
    with server.connect() as sock:
        sock.sendall(head(len(LEGAL), "/validate", "Expect: 100-continue", "Connection: close"))
        assert sock.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(LEGAL)
        assert drained(sock).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("more", "length", "status"),
    [("100-continue", 64 * 2**20, b"413"), ("200-maybe", 10, b"417")],
)
def test_a_body_that_would_be_refused_is_never_asked_for(server, more, length, status):
    got = server.raw_call(head(length, "/validate", f"Expect: {more}", "Connection: close"))
    assert got.startswith(b"HTTP/1.1 " + status)
    assert b"100 Continue" not in got


@pytest.mark.parametrize(
    "sent",
    [
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345",
        b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n",
        b"POST /validate HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 9_000 + b"\r\n\r\n",
        head("chunked") + b"zz\r\nabc\r\n0\r\n\r\n",
    ],
    ids=lambda v: repr(v[:40]),
)
def test_what_is_no_http_is_a_400_without_a_trace(server, sent):
    assert b" 400 " in server.raw_call(sent).split(b"\r\n")[0]
    assert server.raw == []


def test_a_client_that_goes_away_leaves_no_trace(server):
    before = len(server.lines)
    for pieces in (
        [head(1000), b"abc"],
        [head("chunked"), chunk(b"abc")],
        [head(1000)],
        [b"POST /val"],
        [b""],
    ):
        with server.connect() as sock:
            for piece in pieces:
                sock.sendall(piece)
    assert server.until(lambda: len(server.lines) >= before + 3)
    assert server.call(LEGAL).status == 200
    assert server.raw == []
    assert {line["event"] for line in server.lines[before:]} <= {"refused", "review"}


def test_another_service_account_is_told_once_an_hour(server):
    conditions = [{"type": "X", "status": s} for s in ("True", "False")]
    sent = [body(skyhook(conditions=[]), skyhook(conditions=[c]), ACCOUNT) for c in conditions]
    first, second = (server.call(s).json["response"] for s in sent)
    assert (first["allowed"], second["allowed"]) == (True, True)
    assert len(first["warnings"]) == 1
    assert "warnings" not in second
    assert second["auditAnnotations"]["rules"] == "skyhook.operator-only"


@pytest.mark.parametrize("probe", ["/healthz", "/readyz"])
def test_probes_answer_in_plain_text_on_their_own_port(server, probe):
    answer = server.get(server.health_port, probe)
    assert (answer.status, answer.body) == (200, b"ok\n")
    assert answer.headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("port", "path"),
    [("health_port", "/validate"), ("metrics_port", "/validate"), ("metrics_port", "/healthz")],
)
def test_plain_ports_serve_nothing_else(server, port, path):
    refused(server.get(getattr(server, port), path), 404, "NotFound", "not found")
