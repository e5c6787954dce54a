"""Did you mean: the likeliest known word, quickly, and none when nothing is like it."""

from __future__ import annotations

import time

from webhook.core.nearest import MOST_HINTS, Hints, did_you_mean, nearest


def test_another_case_is_the_nearest() -> None:
    assert nearest("nodeselectors", ["nodeSelectors", "nodeSelector"]) == "nodeSelectors"


def test_a_slip_is_recognised() -> None:
    assert did_you_mean("verison", ["image", "version"]) == '; did you mean "version"?'


def test_nothing_alike_gives_no_hint() -> None:
    assert did_you_mean("zzz", ["image", "version"]) == ""
    assert did_you_mean("x" * 1000, ["image"]) == ""


def test_hints_end_so_that_many_wrong_words_stay_cheap() -> None:
    hints = Hints([f"package-{n}" for n in range(10_000)])
    start = time.perf_counter()
    said = [hints(f"packaeg-{n}") for n in range(10_000)]
    assert time.perf_counter() - start < 2
    assert all(said[:MOST_HINTS])
    assert not any(said[MOST_HINTS:])


def test_a_word_of_a_hundred_letters_is_still_compared():
    assert nearest("x" * 99 + "y", ["x" * 100]) == "x" * 100
    assert nearest("x" * 101, ["x" * 100]) is None
    assert nearest("x" * 100, ["x" * 101]) is None
