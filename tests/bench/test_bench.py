"""What the bench sends is legal, and what it prints says what was measured."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from bench import payloads, report
from bench.cases import CASES, Case
from bench.chart import chart
from webhook.building import engine_of
from webhook.reviews.conversion import convert, decode_conversion
from webhook.reviews.decode import decode_admission
from webhook.settings import load_settings

ENGINE = engine_of(load_settings({}), lambda: datetime(2026, 11, 29, tzinfo=UTC))
QUICK = [name for name in payloads.CASES if not name.startswith(("max", "conv100x", "n1000"))]


@pytest.mark.parametrize("name", QUICK)
def test_every_payload_is_answered_as_the_client_expects(name):
    body, kind = payloads.build(name), payloads.CASES[name]["kind"]
    if kind == "conversion":
        said = json.loads(convert(decode_conversion(body), ENGINE.converters, ENGINE.moment()))
        assert len(said["response"]["convertedObjects"]) == payloads.CASES[name]["count"]
    elif kind == "mutation":
        assert ENGINE.mutate_review(decode_admission(body)).mutation.patch is not None
    else:
        assert ENGINE.judge_body(body).verdict.allowed
    assert body.count(payloads.uid_for(0).encode()) == 1


def test_conversion_payloads_are_of_the_size_they_name():
    assert len(payloads.build("conv1x4k")) == pytest.approx(4_000, rel=0.06)
    assert len(payloads.build("conv1x100k")) == pytest.approx(100_000, rel=0.03)


def test_names_of_cases_are_theirs_alone():
    assert len({case.name for case in CASES}) == len(CASES)


def rounds(*ours: float) -> list[dict[str, dict[str, float]]]:
    return [{"peer": {"cpu_ms": 2.0}, "ours": {"cpu_ms": value}} for value in ours]


@pytest.mark.parametrize(
    ("ours", "said"),
    [((1.0, 1.2, 0.8), "0.50 [0.40..0.60] ≤ 0.8: reached"), ((1.4,) * 3, "0.70 [0.70..0.70] ≤ 0.8: met"),
     ((1.7,) * 3, "0.85 [0.85..0.85] ≤ 0.8: MISSED")],
)  # fmt: skip
def test_a_row_says_what_was_reached(ours, said):
    case = Case("x", "some case", lambda _servers, _seconds: iter(()), {"cpu_ms": (0.8, 0.6)})
    assert said in report.row(report.line(case, rounds(*ours)))


def test_a_round_without_an_answer_is_no_ratio():
    assert report.ratios([{"peer": {}, "ours": {"cpu_ms": 1.0}}], "cpu_ms", "ours", "peer") is None


def test_a_chart_is_drawn_for_each_curve():
    drawn = chart([("one", [(1, 0.1), (100, 2)], 0.65), ("a < b", [(1, 1), (10, 1)], 0.0)])
    assert drawn.count("<g ") == 2
    assert "a &lt; b" in drawn
