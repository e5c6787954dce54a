"""Our own files are read strictly."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.documents import DocumentError, load_yaml

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
PROFILES = sorted([*SHARED.glob("profiles/*.yaml"), *SHARED.glob("skyhook/*.yaml")])


def test_only_true_false_and_null_are_words() -> None:
    text = "mode: off\nx: yes\ny: on\nn: [true, False, null, ~, , no]\n".replace(", ,", ",")
    value = load_yaml(text, "settings.yaml")
    assert value == {"mode": "off", "x": "yes", "y": "on", "n": [True, False, None, None, "no"]}


def test_numbers_and_times_are_read_as_in_manifests() -> None:
    assert load_yaml("a: [1.10, 010, 1e3, 2026-01-01, 12:30]", "s") == {
        "a": [1.1, 8, 1000, "2026-01-01", "12:30"]
    }


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", b"\xef\xbb\xbf", "~"])
def test_an_empty_file_is_none(text: str | bytes) -> None:
    assert load_yaml(text, "s") is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\nb: 2\na: 3\n", "2:1"),
        ("0.16: x\n", "0:1"),
        ("~: x\n", "0:1"),
        ("a: .inf\n", "0:4"),
        ("a: !!binary x\n", "0:4"),
        ("a: [\n", "1:1"),
        ("a: 1\n---\nb: 2\n", "1:1"),
        ("a: 1\n...\nb\n", "2:1"),
        ("a:\n  b: &x {c: 1}\n  d: {c: 2, <<: *x}\n", "2:13"),
    ],
)
def test_every_problem_is_an_error_with_its_place(text: str, place: str) -> None:
    row, column = map(int, place.split(":"))
    with pytest.raises(DocumentError) as caught:
        load_yaml(text, "profile.yaml")
    assert (caught.value.line, caught.value.column) == (row + 1, column)
    assert str(caught.value).startswith(f"profile.yaml:{row + 1}:{column}: ")


def test_bytes_that_are_no_utf8_are_an_error_with_their_line() -> None:
    with pytest.raises(DocumentError, match="s:2: the file is not UTF-8"):
        load_yaml(b"a: 1\nb: \xff\n", "s")


@settings(deadline=None)
@given(st.binary(max_size=100) | st.text(max_size=100))
def test_nothing_but_a_document_error_is_raised(text: bytes | str) -> None:
    with contextlib.suppress(DocumentError):
        load_yaml(text, "s")


@pytest.mark.skipif(not PROFILES, reason="the shared folder is not here")
def test_the_shared_profiles_are_read_as_by_pyyaml() -> None:
    for path in PROFILES:
        for part in path.read_text().split("\n---\n"):
            assert load_yaml(part, path.name) == yaml.safe_load(part)
