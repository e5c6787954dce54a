"""Tracks: a closed value that moves along edges (the draft's form: edges, skips, entry)."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import guard, judge, said, texts
from webhook.core.finding import CauseType, Severity

PHASE = {
    "id": "phase",
    "path": "status.phase",
    "values": ["Pending", "Running", "Done", "Failed"],
    "reserved": ["Paused"],
    "entry": ["Pending"],
    "entry_skips": ["Running"],
    "terminal": ["Done"],
    "edges": {"Pending": ["Running"], "Running": ["Done"], "Failed": ["Pending"], "*": ["Failed"]},
    "skips": {"Pending": ["Done"]},
    "notes": {"running": "phases begin with a capital letter"},
}


def phase(value):
    return {"status": {} if value is None else {"phase": value}}


def found(old, new, **track):
    return judge(guard(tracks=[{**PHASE, **track}]), phase(old), phase(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Pending", "Running"),
        ("Running", "Done"),
        ("Pending", "Failed"),
        ("Failed", "Pending"),
        (None, "Pending"),
    ],
)
def test_an_edge_is_silent(old, new):
    assert found(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "rule", "text"),
    [
        (
            "Pending",
            "Done",
            "phase.skip",
            "Pending -> Done is unusual; usual from Pending: Running, Failed",
        ),
        (None, "Running", "phase.entry", "absent -> Running is unusual"),
    ],
)
def test_a_skip_warns_and_says_what_is_usual(old, new, rule, text):
    findings = found(old, new)
    assert said(findings) == [("warn", rule, "status.phase")]
    assert texts(findings) == [text]


@pytest.mark.parametrize(
    ("old", "new", "rule", "text"),
    [
        ("Running", "Pending", "phase.edge",
         "cannot go from Running to Pending; legal from Running: Done, Failed; step by step it is Running -> Failed -> Pending"),
        ("Failed", "Done", "phase.edge",
         "cannot go from Failed to Done; legal from Failed: Pending; step by step it is Failed -> Pending -> Running -> Done"),
        ("Done", "Failed", "phase.edge", "cannot go from Done to Failed; legal from Done: nothing"),
        (None, "Done", "phase.entry", "cannot start at Done; legal to start at: Pending"),
    ],
)  # fmt: skip
def test_any_other_step_is_denied_and_says_what_is_legal_from_here(old, new, rule, text):
    (finding,) = found(old, new)
    assert (finding.rule, finding.severity, finding.message) == (f"p.{rule}", Severity.DENY, text)
    assert finding.type is CauseType.FORBIDDEN
    assert not finding.closed


def test_what_a_step_outside_the_table_becomes_can_be_set():
    assert said(found("Running", "Pending", otherwise="warn")) == [
        ("warn", "phase.edge", "status.phase")
    ]
    assert said(found(None, "Done", otherwise="audit")) == [
        ("audit", "phase.entry", "status.phase")
    ]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "Pending",
            "Gone",
            '"Pending" -> "Gone" is not a phase; legal: Pending, Running, Done, Failed; did you mean "Done"?',
        ),
        (
            None,
            "Gone",
            '"Gone" is not a phase; legal: Pending, Running, Done, Failed; did you mean "Done"?',
        ),
        (
            "Pending",
            "running",
            (
                '"Pending" -> "running" is not a phase; legal: Pending, Running, Done, Failed;'
                " phases begin with a capital letter"
            ),
        ),
        (
            "Pending",
            5,
            '"Pending" -> 5 is not a phase; legal: Pending, Running, Done, Failed',
        ),
        (
            "Pending",
            ["Done"],
            '"Pending" -> ["Done"] is not a phase; legal: Pending, Running, Done, Failed',
        ),
    ],
)
def test_a_word_outside_the_closed_set_is_denied_whoever_writes_it(old, new, text):
    (finding,) = found(old, new)
    assert (finding.rule, finding.severity, finding.message) == (
        "p.phase.value",
        Severity.DENY,
        text,
    )
    assert finding.type is CauseType.NOT_SUPPORTED
    assert finding.closed


def test_a_reserved_word_only_warns():
    findings = found("Pending", "Paused")
    assert said(findings) == [("warn", "phase.reserved", "status.phase")]
    assert texts(findings) == ['"Paused" is a known phase that nobody writes']


@pytest.mark.parametrize("old", ["Gone", "Paused", 5, [1]])
@pytest.mark.parametrize("new", ["Pending", "Done", None])
def test_from_an_illegal_value_every_legal_one_is_a_repair(old, new):
    assert found(old, new) == []


@pytest.mark.parametrize(
    ("removal", "severity"), [(None, "deny"), ("warn", "warn"), ("audit", "audit")]
)
def test_removal_is_denied_unless_the_track_says_otherwise(removal, severity):
    (finding,) = found("Done", None, **({} if removal is None else {"removal": removal}))
    assert (finding.rule, finding.severity.value) == ("p.phase.removal", severity)
    assert finding.message == '"Done" -> absent: a phase, once set, stays set'
    assert finding.type is CauseType.REQUIRED


def test_removal_may_be_legal():
    assert found("Done", None, removal="allow") == []


def test_a_track_without_edges_lets_every_legal_value_follow_every_other():
    track = {"id": "phase", "path": "status.phase", "values": ["a", "b"]}
    rules = guard(tracks=[track])
    for old, new in (("a", "b"), ("b", "a"), (None, "b")):
        assert judge(rules, phase(old), phase(new)) == []
    assert said(judge(rules, phase("a"), phase(None))) == [
        ("deny", "phase.removal", "status.phase")
    ]
    assert said(judge(rules, phase("a"), phase("c"))) == [("deny", "phase.value", "status.phase")]


def test_on_create_only_the_word_itself_is_judged():
    rules = guard(tracks=[PHASE])
    assert judge(rules, None, phase("Done")) == []
    assert said(judge(rules, None, phase("Gone"))) == [("deny", "phase.value", "status.phase")]


def test_without_entry_every_value_may_come_first():
    track = {k: v for k, v in PHASE.items() if k not in ("entry", "entry_skips")}
    assert judge(guard(tracks=[track]), phase(None), phase("Done")) == []


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        (True, False, "edge"),
        (True, 1, "value"),
        (False, 0, "value"),
        ("true", True, None),
        (1, True, None),
    ],
)
def test_true_is_not_1(old, new, word):
    track = {
        "id": "on",
        "path": "status.phase",
        "values": [True, False],
        "edges": {},
        "entry": [True],
    }
    assert [f.rule for f in judge(guard(tracks=[track]), phase(old), phase(new))] == (
        [f"p.on.{word}"] if word else []
    )


def test_the_noun_names_the_value_and_defaults_to_the_id():
    assert texts(found("Pending", "x", noun="colour"))[0].startswith(
        '"Pending" -> "x" is not a colour;'
    )
    assert texts(found("Pending", "x", id="node-phase"))[0].startswith(
        '"Pending" -> "x" is not a node phase;'
    )


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [("Pending", "x", "Pending -> x: it is never written"), (None, "x", "x: it is never written")],
)
def test_a_note_may_stand_in_place_of_all_values(old, new, text):
    assert texts(found(old, new, note="it is never written")) == [text]


def test_a_note_does_not_replace_the_values_for_what_is_no_word():
    assert "legal: Pending" in texts(found("Pending", 5, note="never written"))[0]


@pytest.mark.parametrize(
    ("release", "values"), [("0.15", "a, b"), ("0.16", "a, b, c"), ("0.18", "a, c")]
)
def test_words_may_belong_to_some_releases_only(release, values):
    words = ["a", {"word": "b", "releases": "<0.18"}, {"word": "c", "releases": ">=0.16"}]
    rules = guard(tracks=[{"id": "w", "path": "status.phase", "values": words}], release=release)
    assert texts(judge(rules, phase("a"), phase("z"))) == [
        f'"a" -> "z" is not a w; legal: {values}'
    ]


def test_unless_excuses_a_step_and_never_a_word():
    unless = [[{"path": "status.restored", "present": True}]]
    rules = guard(tracks=[{**PHASE, "unless": unless}])
    restored = {"status": {"phase": "Done", "restored": True}}
    assert judge(rules, phase(None), restored) == []
    assert judge(rules, phase("Failed"), restored) == []
    assert judge(rules, phase("Failed"), phase("Done")) != []
    word = {"status": {"phase": "Gone", "restored": True}}
    assert said(judge(rules, phase(None), word)) == [("deny", "phase.value", "status.phase")]
