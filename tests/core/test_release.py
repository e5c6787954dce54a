"""Releases and ranges of them."""

from __future__ import annotations

import pytest

from webhook.core.release import ReleaseError, parse_choice, parse_release, within


@pytest.mark.parametrize(
    ("text", "release"),
    [("0.16", (0, 16)), ("v0.16.2", (0, 16)), (" 1.2 ", (1, 2)), ("10.20.30-rc1", (10, 20))],
)
def test_a_release_is_its_major_and_minor(text, release):
    assert parse_release(text) == release


@pytest.mark.parametrize("text", ["", "16", "dev", "v", "x0.16", ".16"])
def test_what_is_no_release_says_how_to_write_one(text):
    with pytest.raises(ReleaseError) as raised:
        parse_release(text)
    assert str(raised.value) == f"{text!r} is no release; write it as 0.16"


@pytest.mark.parametrize(
    ("wanted", "inside"),
    [
        (None, True),
        ("", True),
        (">=0.16", True),
        (">=0.17", False),
        ("<=0.16", True),
        ("<=0.15", False),
        ("==0.16", True),
        ("==0.15", False),
        ("<0.16", False),
        ("<0.17", True),
        (">0.15", True),
        (">0.16", False),
        (">=v0.16.9", True),
        (">=0.16,<0.18", True),
        (">=0.16 , <0.16", False),
        (">= 0.9", True),
    ],
)
def test_release_0_16_against_a_range(wanted, inside):
    assert within("v0.16.1", wanted) is inside


@pytest.mark.parametrize("wanted", ["0.16", "=0.16", ">=", ">=0.16,", "~0.16", ">=a"])
def test_a_range_that_cannot_be_read_says_how_to_write_one(wanted):
    with pytest.raises(ReleaseError, match=r"write it as >=0\.16,<0\.18"):
        within("0.16", wanted)


def test_minors_compare_as_numbers():
    assert within("0.9", "<0.16")
    assert not within("0.16", "<0.9")


def test_a_range_without_a_release_is_not_read():
    with pytest.raises(ReleaseError):
        within("dev", ">=0.16")
    assert within("dev", None)


@pytest.mark.parametrize(
    ("text", "choice"),
    [("auto", (True, "")), ("auto:0.17", (True, "0.17")), ("v0.18.1", (False, "v0.18.1"))],
)
def test_a_choice_is_a_release_or_a_look_and_what_counts_without_it(text, choice):
    assert parse_choice(text) == choice


@pytest.mark.parametrize("text", ["", "auto:", "auto:newest", "automatic", "latest"])
def test_what_is_no_choice_says_so(text):
    with pytest.raises(ReleaseError):
        parse_choice(text)
