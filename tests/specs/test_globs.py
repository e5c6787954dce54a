"""Globs match exactly what Go's filepath.Match matches."""

from __future__ import annotations

import time

from tests.specs.oracle.questions import ANSWERS, load
from webhook.specs.globs import matches


def test_globs_agree_with_gos_own() -> None:
    asked = load(ANSWERS, "match")
    for question in asked:
        assert matches(question["text"], question["other"]) == question["answer"]["ok"], question
    assert sum(q["answer"]["ok"] for q in asked) >= 50


def test_a_class_without_end_matches_nothing() -> None:
    assert not matches("[a-", "a")
    assert not matches("a\\", "a")


def test_many_stars_cost_no_more_than_the_product_of_the_lengths() -> None:
    start = time.perf_counter()
    assert not matches("*a" * 200 + "b", "a" * 400)
    assert time.perf_counter() - start < 1
