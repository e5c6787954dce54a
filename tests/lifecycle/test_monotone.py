"""Monotone fields: generations, counters, times, and what is set once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.lifecycle.small import guard, judge, said, texts
from webhook.core.finding import CauseType
from webhook.lifecycle.monotone import read_time

NOW = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
EARLY, LATE = "2026-05-01T10:00:00Z", "2026-05-01T10:00:01Z"


def found(old, new, *, order="int", generation=5, now=NOW, **rule):
    rules = guard(monotone=[{"id": "m", "path": "status.v", "order": order, **rule}])

    def root(value):
        return {
            "metadata": {"generation": generation},
            "status": {} if value is None else {"v": value},
        }

    return judge(rules, root(old), root(new), now=now)


def one(findings, rule, text, severity="deny", *, closed=False):
    assert said(findings) == [(severity, f"m.{rule}", "status.v")]
    (finding,) = findings
    assert finding.message == text
    assert finding.type is CauseType.INVALID
    assert finding.closed is closed


@pytest.mark.parametrize(
    ("order", "old", "new"),
    [
        ("int", 1, 2), ("int", 1, 1), ("int", None, 0), ("int", 1, None), ("int", "x", 1), ("int", 1.5, 1),
        ("int", "1", "2"), ("int", 1, "2"), ("int", "9", "10"),
        ("time", EARLY, LATE), ("time", EARLY, EARLY), ("time", None, EARLY), ("time", "x", EARLY), ("time", 5, EARLY),
        ("time", "2026-05-01T12:00:00+02:00", EARLY),
        ("latch", None, "a"), ("latch", "a", "a"), ("latch", 1, 1.0), ("latch", None, None),
    ],
)  # fmt: skip
def test_what_does_not_go_back_is_silent(order, old, new):
    assert found(old, new, order=order) == []


@pytest.mark.parametrize(
    ("order", "old", "new", "text"),
    [
        ("int", 2, 1, "2 -> 1 goes back; it stays or rises"),
        ("int", "10", "9", '"10" -> "9" goes back; it stays or rises'),
        ("time", LATE, EARLY, f'"{LATE}" -> "{EARLY}" goes back; it stays or rises'),
        ("latch", "a", "b", '"a" -> "b": set once, it stays as it is'),
        ("latch", "a", None, '"a" -> absent: set once, it stays as it is'),
        ("latch", True, 1, "true -> 1: set once, it stays as it is"),
    ],
)
def test_going_back_is_denied(order, old, new, text):
    one(found(old, new, order=order), "down", text)


@pytest.mark.parametrize("order", ["int", "latch"])
def test_going_back_may_be_less_or_nothing(order):
    assert said(found(2, 1, order=order, down="warn")) == [("warn", "m.down", "status.v")]
    assert found(2, 1, order=order, down="allow") == []


@pytest.mark.parametrize(
    ("old", "new", "denied"),
    [
        (True, False, True),
        (True, None, True),
        (False, True, False),
        (False, None, False),
        (1, 0, False),
    ],
)
def test_a_latch_may_have_a_value_at_which_it_is_set(old, new, denied):
    assert bool(found(old, new, order="latch", latch_on=True)) is denied


def test_removal_is_legal_unless_the_rule_says_otherwise():
    assert found(3, None) == []
    one(found(3, None, removal="deny"), "removal", "3 -> absent: once set it stays set")
    one(
        found("x", None, removal="warn"),
        "removal",
        '"x" -> absent: once set it stays set',
        "warn",
    )


@pytest.mark.parametrize(
    ("order", "new", "text"),
    [
        ("int", "x", '"x" is not an integer'),
        ("int", 1.5, "1.5 is not an integer"),
        ("int", True, "true is not an integer"),
        ("int", "-1", '"-1" is not an integer'),
        ("int", "", '"" is not an integer'),
        ("int", "٣", '"٣" is not an integer'),
        ("int", "9" * 19, f'"{"9" * 19}" is not an integer'),
        ("int", [1], "[1] is not an integer"),
        ("time", 5, "5 is not an RFC 3339 time"),
        ("time", "yesterday", '"yesterday" is not an RFC 3339 time'),
        ("time", "2026-05-01T10:00:00", '"2026-05-01T10:00:00" is not an RFC 3339 time'),
    ],
)
def test_a_value_of_the_wrong_form_is_denied_for_every_release(order, new, text):
    one(found(None, new, order=order), "format", text, closed=True)


def test_the_form_may_be_another_rules_business():
    assert found(None, "x", format="allow") == []
    assert said(found(None, "x", format="warn")) == [("warn", "m.format", "status.v")]


@pytest.mark.parametrize(
    ("new", "generation", "over"),
    [(5, 5, False), (6, 5, True), (6, None, False), (6, "x", False), (6, "5", True)],
)
def test_a_bound_is_the_most_it_may_be(new, generation, over):
    findings = found(None, new, generation=generation, bound="metadata.generation")
    assert said(findings) == ([("deny", "m.over", "status.v")] if over else [])


def test_over_the_bound_says_both_numbers():
    one(
        found(4, 9, bound="metadata.generation"),
        "over",
        "4 -> 9 is over metadata.generation, which is 5",
    )
    assert found(4, 9, bound="metadata.generation", over="allow") == []
    assert said(found(4, 9, bound="metadata.generation", over="audit")) == [
        ("audit", "m.over", "status.v")
    ]


@pytest.mark.parametrize(("new", "denied"), [(0, False), (-1, True), (1, False)])
def test_the_least_legal_value(new, denied):
    findings = found(None, new, least=0)
    if denied:
        one(findings, "least", "-1: it is never less than 0", closed=True)
    else:
        assert findings == []


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (1, 2, None),
        (1, 3, "1 -> 3 is too far for one write; legal from 1: 2, 1"),
        (5, 1, None),
        (5, 4, "5 -> 4 goes back; legal from 5: 6, 1"),
        (None, 7, None),
        (5, 5, None),
    ],
)
def test_a_counter_climbs_by_so_much_or_jumps_where_it_may(old, new, text):
    findings = found(old, new, climb={"up": 1, "to": [1]})
    assert texts(findings) == ([] if text is None else [text])


def test_a_climb_without_jumps():
    assert texts(found(1, 4, climb={"up": 2})) == [
        "1 -> 4 is too far for one write; legal from 1: 2, 3"
    ]
    assert said(found(1, 4, climb={"up": 2})) == [("deny", "m.climb", "status.v")]


@pytest.mark.parametrize(
    ("moment", "denied"),
    [(NOW, False), (NOW + timedelta(seconds=60), False), (NOW + timedelta(seconds=61), True)],
)
def test_a_time_lies_so_far_ahead_at_most(moment, denied):
    stamp = moment.isoformat()
    findings = found(None, stamp, order="time", ahead=60)
    if denied:
        one(
            findings,
            "ahead",
            f'"{stamp}" lies in the future; the clock here says 2026-11-29T20:00:00Z',
        )
    else:
        assert findings == []


def test_without_a_clock_nothing_lies_ahead():
    assert found(None, "2999-01-01T00:00:00Z", order="time", ahead=60, now=None) == []


def test_without_an_old_object_nothing_was_removed_or_set():
    rules = guard(
        monotone=[
            {"id": "m", "path": "status.v", "order": "int", "removal": "deny"},
            {"id": "n", "path": "status.v", "order": "latch"},
        ]
    )
    assert judge(rules, None, {"status": {"v": 1}}) == []


FLIP = {
    "id": "m", "path": "status.c[*].gen", "order": "int", "bound": "metadata.generation",
    "flip": {"path": "status.c[*].status", "severity": "warn"}, "over": "allow", "down": "allow",
}  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (("True", 4), ("False", 5), None),
        (("True", 4), ("False", 4),
         'changed to "False" with status.c[T].gen 4, while metadata.generation is 5'),
        (("True", 4), ("True", 4), None),
        (("True", 4), ("False", None), None),
        (("True", 4), (None, 4), None),
        ((None, None), ("True", 3),
         'changed to "True" with status.c[T].gen 3, while metadata.generation is 5'),
    ],
)  # fmt: skip
def test_a_flip_carries_the_newest_stamp(old, new, text):
    def root(status, gen):
        condition = {k: v for k, v in (("status", status), ("gen", gen)) if v is not None}
        return {"metadata": {"generation": 5}, "status": {"c": [{"type": "T", **condition}]}}

    findings = judge(guard(monotone=[FLIP]), root(*old), root(*new))
    assert texts(findings) == ([] if text is None else [text])
    assert said(findings) == ([] if text is None else [("warn", "m.flip", "status.c[T].status")])
    assert all(f.type is CauseType.INVALID for f in findings)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        (EARLY, datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00.123456Z", datetime(2026, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)),
        (
            "2026-05-01T10:00:00-02:00",
            datetime(2026, 5, 1, 10, tzinfo=timezone(timedelta(hours=-2))),
        ),
        ("2026-05-01T10:00:00", None),
        ("2026-13-01T10:00:00Z", None),
        ("", None),
        (None, None),
        (1777629600, None),
    ],
)
def test_a_time_needs_its_zone(text, moment):
    assert read_time(text) == moment
