"""The deprecation window: words, dates, and the instant it closes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from webhook.core.window import CLOSED, OPEN, Window, WindowError

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


def test_open_and_closed_ask_no_clock():
    assert OPEN.is_open(NOON)
    assert not CLOSED.is_open(NOON)


@pytest.mark.parametrize(
    "setting",
    [
        "2027-03-01",
        "until 2027-03-01",
        "until: 2027-03-01",
        {"until": "2027-03-01"},
        {"until": date(2027, 3, 1)},
        "2027-03-01T00:00:00Z",
        "2027-03-01T01:00:00+01:00",
        datetime(2027, 3, 1),  # noqa: DTZ001 - as YAML gives a time without offset
        datetime(2027, 3, 1, 1, tzinfo=timezone(timedelta(hours=1))),
    ],
)
def test_a_date_closes_it_at_the_beginning_of_that_day(setting: object):
    window = Window.parse(setting)
    end = datetime(2027, 3, 1, tzinfo=UTC)
    assert window.is_open(end - timedelta(microseconds=1))
    assert not window.is_open(end)


def test_words():
    assert Window.parse("open") == OPEN
    assert Window.parse("closed") == CLOSED
    assert [str(w) for w in (OPEN, CLOSED, Window.parse("2027-03-01"))] == [
        "open",
        "closed",
        "until 2027-03-01",
    ]


@pytest.mark.parametrize(
    "setting", ["ajar", "until", "2027-13-01", 7, None, {"from": "x"}, {"until": 1}]
)
def test_anything_else_is_refused(setting: object):
    with pytest.raises(WindowError, match="a window is open, closed, or until"):
        Window.parse(setting)
