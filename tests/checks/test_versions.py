"""Versions are valid, and ordered, exactly as golang.org/x/mod/semver has them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.specs.oracle.questions import ANSWERS, load
from webhook.checks.versions import Version, lower_version, split_key
from webhook.core.view import View


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


def test_parts_of_a_pre_release_are_compared_one_by_one() -> None:
    rising = [
        "1.0.0-1",
        "1.0.0-2",
        "1.0.0-10",
        "1.0.0-a.2",
        "1.0.0-a.10",
        "1.0.0-a.b",
        "1.0.0-ab",
        "1.0.0",
    ]
    versions = [Version.parse(text) for text in rising]
    for one, other in pairwise(versions):
        assert one is not None
        assert other is not None
        assert one < other


@pytest.mark.parametrize(
    ("key", "lower"),
    [
        ("foo|2.0", True),
        ("foo|1.0", False),
        ("foo|nonsense", True),
        ("bar|9.0", False),
        ("odd|3.0", True),
        ("none|1.0", False),
        ("foo", False),
    ],
)
def test_a_lower_version_is_found_wherever_it_stands(key: str, lower: bool) -> None:
    keys = ("bar|9.0", "foo", "foo|2.0", "foo|1.0", "odd|x", "odd|3.0")
    assert lower_version(View.of({each: {} for each in keys}), key) is lower
    assert lower_version(None, key) is False


def test_a_key_has_a_name_and_a_version() -> None:
    assert [split_key(k) for k in ("a|1", "a|1|2", "a", "a|", "|1", "")] == [
        ("a", "1"), ("a", "1|2"), None, None, None, None,
    ]  # fmt: skip
