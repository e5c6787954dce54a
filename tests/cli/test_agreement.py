"""Server and command line say the same words for the same review."""

from __future__ import annotations

import json

import pytest

from tests.corpus import reading
from tests.lifecycle.skyhook import entry, node, ready, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, body
from tests.server.cases import body_of, cases
from tests.server.process import serving
from webhook.reviews.answer import MOST_CAUSES, MOST_WARNINGS


def pairs():
    step = [
        node({"foo|1.0": entry(p)})
        for p in ("apply/in_progress", "interrupt/skipped", "config/complete", "apply/complete")
    ]
    yield body(step[0], step[1], PERSON)
    yield body(step[2], step[0], PERSON)
    yield body(step[2], step[0], OPERATOR)
    yield body(step[0], step[3], OPERATOR)
    base = {
        "status": "in_progress",
        "nodeStatus": {"n1": "in_progress"},
        "nodeBootIds": {"n1": "a"},
        "conditions": [ready()],
    }
    for user in (OPERATOR, ACCOUNT, PERSON, None):
        yield body(
            skyhook(**base),
            skyhook(**{**base, "status": "complete", "nodeStatus": {"n1": "done"}}),
            user,
        )
    yield body(skyhook(**base), {**skyhook(**base), "spec": "x"}, PERSON)
    yield body(skyhook(**base), None, PERSON, operation="DELETE")


def recorded():
    names = [p.name for p in reading.files(reading.CHECKED_IN) if p.name != reading.REJECTED_FILE]
    lines = list(reading.lines(reading.CHECKED_IN, names=names))
    return lines[:: max(1, len(lines) // 40)]


CASES = [body_of(c["request"]) for c in cases("admission")]


@pytest.mark.parametrize("sent", [*pairs(), *recorded(), *CASES], ids=lambda b: f"{len(b)} bytes")
def test_verdict_and_words_are_the_same(server, cli, sent):
    done = cli("validate", "-o", "jsonl", "-", stdin=sent.replace(b"\n", b" ") + b"\n")
    (row,) = done.rows
    response = server.call(sent).json["response"]
    assert row["allowed"] is response["allowed"]
    assert done.code == (0 if response["allowed"] else 1)
    causes = response["status"]["details"]["causes"] if not response["allowed"] else []
    denied = [f for f in row["findings"] if f["severity"] == "deny"]
    assert [(f["field"], f["message"]) for f in denied[:MOST_CAUSES]] == [
        (c["field"], c["message"]) for c in causes[:MOST_CAUSES]
    ]
    told = response.get("warnings", [])
    assert len(told) <= MOST_WARNINGS
    if len(told) < MOST_WARNINGS and not _told_rarely(row):
        assert row["warnings"] == told


def _told_rarely(row):
    """What a service account is told once an hour, the server may have told it before."""
    return any(
        f["rule"]
        in ("skyhook.operator-only", "skyhook.node-state-copy", "skyhook.node-status-copy")
        for f in row["findings"]
    )


@pytest.mark.parametrize(
    "name", ["B07", "B15a", "B15b", "B15c", "B17c", "B20a", "B21b", "B21c", "B22a"]
)
def test_b54f_object_and_old_object_as_files_give_the_servers_verdict(server, cli, write, name):
    (one,) = [c for c in cases("admission") if c["id"] == name]
    request = one["request"]["body"]["request"]
    response = server.call(body_of(one["request"])).json["response"]
    write("old.json", request["oldObject"])
    write("new.json", request["object"])
    flags = ["--subresource", "status"] if request.get("subResource") == "status" else []
    done = cli(
        "validate",
        "--old",
        "old.json",
        "--user",
        request["userInfo"]["username"],
        *flags,
        "-o",
        "jsonl",
        "new.json",
    )
    (row,) = done.rows
    assert row["allowed"] is response["allowed"]
    causes = response["status"]["details"]["causes"] if not response["allowed"] else []
    said = {
        f["message"]
        for f in row["findings"]
        if f["severity"] == "deny" and not f["rule"].endswith(".schema")
    }
    assert said <= {c["message"] for c in causes}
    assert (
        said or response["allowed"] or any(f["rule"].endswith(".schema") for f in row["findings"])
    )


def test_modes_work_alike(tmp_path, cli, write):
    sent = next(iter(pairs()))
    write("c.yaml", "mode: warn\nmodes:\n- {mode: audit, writers: ['sre-*']}\n")
    with serving(tmp_path, "--config", str(tmp_path / "c.yaml")) as own:
        response = own.call(sent).json["response"]
        as_other = json.loads(sent)
        as_other["request"]["userInfo"]["username"] = "other"
        other = own.call(json.dumps(as_other).encode()).json["response"]
    (row,) = cli("validate", "--config", "c.yaml", "-o", "jsonl", "-", stdin=sent + b"\n").rows
    assert (
        (row["allowed"], row["warnings"])
        == (response["allowed"], response.get("warnings", []))
        == (True, [])
    )
    (row,) = cli(
        "validate", "--config", "c.yaml", "-o", "jsonl", "-", stdin=json.dumps(as_other).encode()
    ).rows
    assert row["warnings"] == other["warnings"] != []
