"""Versions are valid, and ordered, exactly as golang.org/x/mod/semver has them."""

from __future__ import annotations

import pytest

from tests.specs.oracle.questions import ANSWERS, load
from webhook.checks.versions import Version


def order(one: Version, other: Version) -> int:
    return (one > other) - (one < other)


def test_versions_agree_with_gos_own_semver() -> None:
    asked = load(ANSWERS, "version")
    compared = 0
    for question in asked:
        answer = question["answer"]
        one, other = Version.parse(question["text"]), Version.parse(question["other"])
        assert (one is not None) == answer["ok"], question
        if one is not None and other is not None:
            assert order(one, other) == answer["compare"], question
            compared += 1
    assert len(asked) >= 400
    assert compared >= 100


@pytest.mark.parametrize("text", ["1", "1.2", "v1.2.3", "1.2.3-rc.1+build.5", "1.0.0-" + "a" * 64])
def test_what_the_operator_takes_is_a_version(text: str) -> None:
    assert Version.parse(text) is not None


@pytest.mark.parametrize("text", ["", "v", "1.2-rc", "1.02", "1.0.0-01", "latest", "1.2.3\n", "V1"])
def test_what_the_operator_refuses_is_none(text: str) -> None:
    assert Version.parse(text) is None


def test_a_number_of_any_length_is_compared_without_making_it_a_number() -> None:
    long = "9" * 10_000
    one, other = Version.parse(f"1.{long}.0"), Version.parse(f"1.1{long}.0")
    assert one is not None
    assert other is not None
    assert one < other
