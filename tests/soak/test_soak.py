"""The soak itself: what it draws, what it calls bad, and a short one."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.soak.plot import Panel, drawn
from tests.soak.run import MIB, Tally, main, summary

if TYPE_CHECKING:
    from pathlib import Path

ARGS = Namespace(callers=1, seed=1)


def samples(rss: list[float], descriptors: int = 10) -> list[dict[str, float]]:
    return [
        {"seconds": n, "rss": one * MIB, "descriptors": descriptors, "calls": n, "p50": 1, "p99": 2}
        for n, one in enumerate(rss)
    ]


def test_a_picture_is_whole_and_has_a_line_for_each_series() -> None:
    text = drawn([Panel("a < b", [0, 1, 2], {"x": [1, 2, 3], "y": [0, 0, 0]})], "minutes")
    root = ET.fromstring(text)
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 2


@pytest.mark.parametrize(
    ("rss", "failures", "lines", "good"),
    [
        ([60, 70, 70, 71, 70, 71, 70, 71], [], [], True),
        ([60, 70, 80, 90, 100, 110, 120, 130], [], [], False),
        ([70] * 8, ["/validate: 500"], [], False),
        ([70] * 8, [], [{"event": "fault"}], False),
        ([70] * 8, [], [{"event": "settings refused"}], True),
    ],
)
def test_growth_failures_and_faults_are_bad(
    rss: list[float], failures: list[str], lines: list[dict[str, str]], good: bool
) -> None:
    text, found = summary(samples(rss), Tally(failures=failures), lines, ARGS)  # type: ignore[arg-type]
    assert found is good
    assert text.startswith("| | |")


@pytest.mark.nightly
def test_a_short_soak_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["soak", "--minutes", "0.5", "--out", str(tmp_path)])
    assert main() == 0
    assert {p.name for p in tmp_path.iterdir()} == {"samples.csv", "soak.svg", "summary.md"}
