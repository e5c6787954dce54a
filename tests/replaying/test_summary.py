"""Summaries of parts add up to that of the whole, whatever the parts, in bounded memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import reading
from webhook.replaying.judging import Judging, Line, Wanted
from webhook.replaying.series import MOST_BUCKETS, Series
from webhook.replaying.summary import MOST_NAMES, OTHERS, Summary, most
from webhook.replaying.write import Unjudged, Why, Write
from webhook.reviews.verdict import Verdict
from webhook.reviews.wire import AdmissionRequest, UserInfo

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

TIMES = st.lists(st.floats(0, 4e9), max_size=60)


def test_parts_add_up_to_the_whole(engine: Engine) -> None:
    lines = [
        Line("x", number, body)
        for number, body in enumerate(reading.lines(reading.CHECKED_IN, names=[reading.EXCEPTION_FILE]))
    ]  # fmt: skip
    judging = Judging(replace(engine, clock=None), Wanted())
    whole, total = judging.part(lines).summary, Summary()
    for start in range(0, len(lines), 3):
        total.merge(judging.part(lines[start : start + 3]).summary)
    assert msgspec.to_builtins(total) == msgspec.to_builtins(whole)
    assert whole.denied >= 11
    assert sum(effects.deny for effects in whole.rules.values()) >= whole.denied
    assert sum(b.writes for b in whole.writers.values()) == whole.writes == len(lines)


@given(TIMES, TIMES)
def test_series_keep_every_count_however_wide_they_grow(one: list[float], two: list[float]) -> None:
    first, second, both = Series(), Series(), Series()
    for time in one:
        first.count(time, True, False)
        both.count(time, True, False)
    for time in two:
        second.count(time, False, True)
        both.count(time, False, True)
    first.merge(second)
    for series in (first, both, first.fit(10)):
        rows = (
            [bucket for _, bucket in series.rows()]
            if series.width > 1000
            else series.buckets.values()
        )
        assert sum(b.writes for b in rows) == len(one) + len(two)
        assert sum(b.denied for b in rows) == len(one)
        assert sum(b.warned for b in rows) == len(two)
    assert len(first.fit(10).rows()) <= 10


def test_a_year_of_writes_each_second_apart_stays_small() -> None:
    series = Series()
    for number in range(0, 365 * 86400, 3571):
        series.count(1.79e9 + number, False, False)
        assert len(series.buckets) <= MOST_BUCKETS
    assert sum(b.writes for b in series.buckets.values()) == len(range(0, 365 * 86400, 3571))
    assert series.width == 86400


def test_very_many_writers_share_one_row_and_kubelets_always_do() -> None:
    summary = Summary()
    for number in range(MOST_NAMES + 50):
        for name in (f"user-{number}", f"system:node:n{number}"):
            request = AdmissionRequest("u", "UPDATE", user_info=UserInfo(name))
            summary.add(Write(request, "x", 1), Verdict(writer="person"))  # type: ignore[arg-type]
    assert len(summary.writers) <= MOST_NAMES + 1
    assert summary.writers["system:node:*"].writes == MOST_NAMES + 50
    assert summary.writers[OTHERS].writes >= 50
    assert next(iter(most(summary.writers)))[0] == "system:node:*"


def test_what_was_not_judged_is_counted_by_reason() -> None:
    summary = Summary()
    for why in (Why.FIRST, Why.FIRST, Why.METADATA):
        summary.skip(Unjudged(why, "x", 1, said=("skyhook.a",) if why is Why.METADATA else ()))
    assert summary.unjudged == {Why.FIRST.value: 2, Why.METADATA.value: 1}
    assert summary.said == {"skyhook.a": 1}
