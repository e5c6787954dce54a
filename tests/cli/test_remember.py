"""`replay --remember`, `validate --remember`: what a file showed of a Node is what its copies are held against."""

from __future__ import annotations

import json

import pytest

from tests.lifecycle.skyhook import entry, node, ready, skyhook
from tests.reviews.builders import OPERATOR, PERSON, review

COPY = "skyhook.node-state-copy"
BASE = {
    "status": "in_progress", "nodeStatus": {"n1": "in_progress"}, "nodeBootIds": {"n1": "a"},
    "conditions": [ready()],
}  # fmt: skip


def seen(old, new, **extra):
    """A Node's review."""
    sides = (node({"foo|1.0": entry(pair)}, status="in_progress") for pair in (old, new))
    dry = extra.pop("dryRun", False)
    return {**review(*sides, OPERATOR, dryRun=dry), "outcome": 200, **extra}


def copied(old, new, user=OPERATOR, **extra):
    """A review of the Skyhook's status."""
    sides = (skyhook(nodeState={"n1": {"foo|1.0": entry(pair)}}, **BASE) for pair in (old, new))
    return {**review(*sides, user), "outcome": 200, **extra}


STORY = [
    seen("apply/in_progress", "apply/complete", ts=1000.0),
    copied("apply/in_progress", "apply/complete", ts=1001.0),
    seen("apply/complete", "config/in_progress", ts=1002.0),
    copied("apply/complete", "config/in_progress", ts=1003.0),
]
LIE = copied("config/in_progress", "config/erroring", ts=1004.0)


@pytest.fixture
def told(cli, write):
    """(verb, reviews, flags) -> lines of the copies that were found untrue, by file."""

    def run(verb, *files, flags=("--remember",)):
        names = [
            write(f"{number}.jsonl", "".join(json.dumps(one) + "\n" for one in reviews))
            for number, reviews in enumerate(files)
        ]
        done = cli(verb, *flags, "--fail-on", "nothing", "-o", "jsonl", *names)
        assert done.code == 0, done.err
        return [
            (f["severity"], f["field"])
            for row in done.rows
            for f in row.get("findings", ())
            if f["rule"] == COPY
        ]

    return run


VERBS = pytest.mark.parametrize("verb", ["replay", "validate"])
PLACE = "status.nodeState[n1][foo|1.0]"


@VERBS
def test_a_lie_is_found_and_true_copies_are_not(told, verb):
    assert told(verb, [*STORY, LIE]) == [("warn", PLACE)]
    assert told(verb, STORY) == []


@VERBS
def test_a_person_who_lies_would_be_denied(told, verb):
    lie = copied("config/in_progress", "config/erroring", PERSON, ts=1004.0)
    assert told(verb, [*STORY, lie]) == [("deny", PLACE)]


@VERBS
def test_nothing_is_remembered_unless_asked_for(told, verb):
    assert told(verb, [*STORY, LIE], flags=()) == []


@VERBS
def test_another_file_is_another_story(told, verb):
    assert told(verb, STORY, [LIE]) == []
    assert told(verb, STORY, [*STORY, LIE]) == [("warn", PLACE)]


@VERBS
def test_what_was_only_tried_never_was(told, verb):
    tried = seen("config/in_progress", "config/erroring", dryRun=True, ts=1003.5)
    assert told(verb, [*STORY, tried, LIE]) == [("warn", PLACE)]
    made = seen("config/in_progress", "config/erroring", ts=1003.5)
    assert told(verb, [*STORY, made, LIE]) == []


def test_what_was_refused_when_it_was_recorded_never_was(told):
    refused = seen("config/in_progress", "config/erroring", ts=1003.5, outcome=403)
    assert told("replay", [*STORY, refused, LIE]) == [("warn", PLACE)]
    conflict = seen("config/in_progress", "config/erroring", ts=1003.5, outcome=409)
    assert told("replay", [*STORY, conflict, LIE]) == []


def test_one_source_of_nodes_is_enough(cli, write):
    nodes = write("nodes.json", json.dumps(node(status="waiting")))
    done = cli("validate", "--remember", "--nodes", nodes, nodes)
    assert done.code == 2
    assert "--remember and --nodes" in done.err
