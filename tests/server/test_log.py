"""The log: JSON lines that say who wrote what and which rules spoke, never what was written."""

from __future__ import annotations

import json
import logging

import msgspec
import pytest

from tests.lifecycle.skyhook import entry, node
from tests.reviews.builders import OPERATOR, PERSON, UID, body
from webhook.server.log import MOST_HELD, Bridge, Log, short

CANARY = "canary-4711"


def logged(level="info"):
    lines = []
    return Log(level, lambda line: lines.append(json.loads(line))), lines


class Line(msgspec.Struct):
    event: str


def gathering():
    """A log that gathers, what it has written, and what it wants to be done later."""
    written, later = [], []
    log = Log("info", written.append)
    log.gather(lambda _, do: later.append(do))
    return log, written, later


def test_lines_that_come_thick_and_fast_are_written_together_and_in_order():
    log, written, later = gathering()
    for name in "abc":
        log.line(Line(name), urgent=False)
    assert [json.loads(x)["event"] for x in written] == ["a"], "the first one waits for nothing"
    (release,) = later
    release()
    assert written[1:] == [b'{"event":"b"}\n{"event":"c"}\n']


def test_what_is_urgent_comes_at_once_behind_what_was_held():
    log, written, later = gathering()
    log.line(Line("a"), urgent=False)
    log.line(Line("b"), urgent=False)
    log.line(Line("denied"))
    log.line(Line("c"), urgent=False)
    log("info", "ended")
    found = [json.loads(x)["event"] for x in b"".join(written).splitlines()]
    assert found == ["a", "b", "denied", "c", "ended"]
    assert len(later) == 1, "one timer at a time"


def test_what_is_held_is_bounded():
    log, written, _ = gathering()
    for _ in range(MOST_HELD + 1):
        log.line(Line("x"), urgent=False)
    assert sum(x.count(b"\n") for x in written) == MOST_HELD + 1


def test_a_review_is_one_line_with_uid_user_object_and_rules(server):
    old, new = (
        node({"foo|1.0": entry(p)}, secret=CANARY)
        for p in ("apply/in_progress", "interrupt/skipped")
    )
    new["metadata"]["labels"] = {"token": CANARY}
    before = len(server.lines)
    server.call(body(old, new, PERSON))
    (line,) = [
        x
        for x in (server.event("review", before), *server.lines[before + 1 :])
        if x["event"] == "review"
    ]
    assert (line["uid"], line["user"], line["kind"], line["name"], line["operation"]) == (
        UID,
        PERSON,
        "Node",
        "n1",
        "UPDATE",
    )
    assert (line["allowed"], line["level"], line["deny"]) == (
        False,
        "warning",
        ["skyhook.node-package-step.edge"],
    )
    assert line["ms"] >= 0
    assert CANARY not in json.dumps(server.lines)


@pytest.mark.parametrize("place", ["object", "oldObject", "options"])
def test_nothing_of_an_object_is_ever_logged(server, place):
    """Legal, illegal and unreadable: in every value of the annotation that rules quote in their answers."""
    before = len(server.lines)
    for field in ("stage", "state", "name", "version", "image", "x"):
        state = {"foo|1.0": {**entry("apply/in_progress"), field: CANARY}}
        whole = json.loads(body(node({"foo|1.0": entry("apply/in_progress")}), node({}), OPERATOR))
        whole["request"][place] = node(state) if place != "options" else {"x": CANARY}
        server.call(json.dumps(whole).encode())
        server.call(json.dumps(whole).encode()[:-40])
        server.call(json.dumps(whole).replace(f'"{CANARY}"', f"{CANARY}").encode())
    assert server.until(
        lambda: len([x for x in server.lines[before:] if x["event"] in ("review", "refused")]) >= 15
    )
    assert CANARY not in json.dumps(server.lines)


def test_every_line_has_time_level_and_event(server):
    for line in server.lines:
        assert {"time", "level", "event"} <= line.keys()
        assert line["level"] in ("debug", "info", "warning", "error")


def test_starting_says_which_release_is_assumed(server):
    events = [line["event"] for line in server.lines[:5]]
    assert "profile skyhook: release 0.16 (assumed)" in events
    assert (
        "profile nodewright: release 0.18 (assumed; not recorded, so only closed values deny)"
        in events
    )


@pytest.mark.parametrize(
    ("level", "written"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_lines_below_the_level_are_not_written(level, written):
    log, lines = logged(level)
    for name in ("debug", "info", "warning", "error"):
        log(name, "x", of=name)
    assert [line["of"] for line in lines] == written


def test_a_fault_says_its_type_and_place_and_not_its_text():
    log, lines = logged()
    try:
        json.loads(CANARY)
    except ValueError as error:
        log.fault("fault", error, path="/validate")
    (line,) = lines
    assert (line["event"], line["level"], line["error"], line["path"]) == (
        "fault",
        "error",
        "JSONDecodeError",
        "/validate",
    )
    assert line["at"].startswith("decoder.py:")
    assert CANARY not in json.dumps(line)


def test_a_clients_text_is_cut():
    assert short(None) == ""
    assert short("x" * 1000) == "x" * 300


def bridged(name, level, message, error=None):
    log, lines = logged("debug")
    info = None if error is None else (type(error), error, error.__traceback__)
    Bridge(log).emit(logging.LogRecord(name, level, "/x/file.py", 7, message, None, info))
    (line,) = lines
    return {k: v for k, v in line.items() if k != "time"}


def test_what_our_own_modules_say_through_logging_is_an_event():
    assert bridged("webhook.certs.folder", logging.WARNING, "it is late") == {
        "level": "warning", "event": "it is late", "logger": "webhook.certs.folder",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "level"),
    [(logging.CRITICAL, "error"), (logging.ERROR, "error"), (25, "info"), (5, "debug")],
)
def test_of_a_library_its_name_and_place_are_told_and_no_text(number, level):
    assert bridged("urllib3.pool", number, CANARY) == {
        "level": level, "event": "library", "logger": "urllib3.pool", "at": "file.py:7",
    }  # fmt: skip


def test_of_a_librarys_error_its_type_is_told():
    got = bridged("asyncio", logging.ERROR, CANARY, KeyError(CANARY))
    assert (got["event"], got["level"], got["error"], got["logger"]) == (
        "library",
        "error",
        "KeyError",
        "asyncio",
    )
    assert CANARY not in json.dumps(got)
