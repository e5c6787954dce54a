"""Public bug reports of this field, asked of the real server."""

from __future__ import annotations

import json
import time

import pytest

from tests.conftest import SHARED
from tests.server.cases import FOLDER, at, body_of, case, cases, path_of, wrong
from tests.server.process import Answer, chunk, drained, head

ADMISSION = cases("admission")


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not beside this clone")
def test_the_cases_here_are_the_shared_ones():
    there = {p.name: p.read_text() for p in (SHARED / "cases").glob("*.json")}
    assert {p.name: p.read_text() for p in FOLDER.glob("*.json")} == there


def test_there_are_cases():
    assert len(ADMISSION) >= 18
    assert {c["id"] for c in cases("http")} == {"B40a", "B40b", "B41"}


@pytest.mark.parametrize("one", ADMISSION, ids=lambda c: c["id"])
def test_an_admission_case_is_answered_as_expected(server, one):
    sent = body_of(one["request"])
    server.call(sent)
    started = time.monotonic()
    answer = server.call(sent, path_of(one))
    assert list(wrong(one["expect"], answer, time.monotonic() - started)) == []
    assert server.raw == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("B04", ["spec must be an object", "status.nodeState must be an object"]),
        ("B07", ["node-a", "tuning|1.2.3", "apply/", "post-interrupt/", "legal from"]),
        ("B15a", ["status.nodeStatus[node-a]", "finished", "complete, blocked, waiting"]),
        ("B15b", ["apply/", "interrupt/", "config"]),
        ("B21b", ["nodeState_", "is not JSON"]),
        ("B22a", ["version", "tuning"]),
    ],
)
def test_a_denial_names_the_place_the_value_and_what_is_legal(server, name, words):
    response = server.call(body_of(case(name)["request"])).json["response"]
    causes = " ".join(
        f"{c['field']}: {c['message']}" for c in response["status"]["details"]["causes"]
    )
    said = response["status"]["message"] + " " + causes
    assert [word for word in words if word not in said] == []


def test_sixty_warnings_stay_within_the_limits(server):
    whole = json.loads(body_of(case("B08")["request"]))
    assert (
        "warnings" not in server.call(json.dumps(whole).encode()).json["response"]
    )  # the operator logs each
    whole["request"]["userInfo"] = {"username": "platform-admin"}
    warnings = server.call(json.dumps(whole).encode()).json["response"]["warnings"]
    assert len(warnings) <= 15
    assert max(map(len, warnings)) <= 256
    assert sum(map(len, warnings)) <= 4096
    assert all(w.isprintable() and not w.startswith("Warning:") for w in warnings)
    assert warnings[-1] == "46 more warnings were left out"


@pytest.mark.parametrize("headers", case("B40a")["request"]["headers_variants"], ids=str)
def test_b40a_content_types(server, headers):
    one = case("B40a")
    answer = server.call(
        body_of(one["request"]), f"{path_of(one)}?{one['request']['query']}", headers=headers
    )
    assert list(wrong(one["expect"], answer)) == []


@pytest.mark.parametrize(
    "variant", case("B40b")["request"]["variants"], ids=lambda v: v["raw"][:30]
)
def test_b40b_junk_is_one_clean_4xx_and_one_short_line(server, variant):
    before = len(server.lines)
    answer = server.call(variant["raw"].encode(), headers=variant["headers"])
    assert list(wrong(case("B40b")["expect"], answer)) == []
    assert server.event("refused", before)
    lines = [line for line in server.lines[before:] if line["event"] == "refused"]
    assert len(lines) == 1
    assert len(json.dumps(lines[0])) < 400
    assert server.call(None, "/validate", "GET", {}).status == 405


def test_b41_body_sizes(server):
    large, fixed, chunked = case("B41")["request"]["variants"]
    sent = body_of(large)
    assert 2.5 * 2**20 < len(sent) < 3.5 * 2**20
    server.call(sent)
    before = server.cpu()
    assert server.call(sent).status == 200
    assert server.cpu() - before < 2
    for variant in (fixed, chunked):
        by_chunks = "chunked" in variant["generate"]["recipe"]
        with server.connect() as sock:
            sock.sendall(head("chunked" if by_chunks else 32 * 2**20))
            try:
                for _ in range(512 if by_chunks else 0):
                    sock.sendall(chunk(b" " * 65536))
            except OSError:
                pass
            assert drained(sock, 3).startswith(b"HTTP/1.1 413 ") or by_chunks


@pytest.mark.parametrize(
    ("expect", "answer", "count"),
    [
        ({"http_status": 200}, Answer(200, {}, b"{}"), 0),
        ({"http_status": [400, 415]}, Answer(200, {}, b"{}"), 1),
        ({"json": {"/a/b~1c": 1}}, Answer(200, {}, b'{"a":{"b/c":1}}'), 0),
        ({"json": {"/a": 2}}, Answer(200, {}, b'{"a":1}'), 1),
        (
            {"json_in": {"/a": [1, 2]}, "present": ["/a"], "absent": ["/b"]},
            Answer(200, {}, b'{"a":1}'),
            0,
        ),
        (
            {"json_in": {"/a": [2]}, "present": ["/b"], "absent": ["/a"]},
            Answer(200, {}, b'{"a":1}'),
            3,
        ),
        ({"any_of": [{"http_status": 400}, {"http_status": 200}]}, Answer(200, {}, b""), 0),
        ({"any_of": [{"http_status": 400}]}, Answer(200, {}, b""), 1),
        ({"new_word": 1}, Answer(200, {}, b""), 1),
        ({"max_seconds": 0.1}, Answer(200, {}, b""), 1),
    ],
)
def test_the_runner_can_fail(expect, answer, count):
    assert len(list(wrong(expect, answer, 0.2))) == count


def test_a_pointer_into_nothing_is_nothing():
    assert at({"a": [1]}, "/a/0") is None
    assert at(None, "/a") is None
