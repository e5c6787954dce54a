"""Words and numbers of unquoted YAML; that they are kubectl's is shown in test_kubectl.py."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.documents.scalars import key_text, resolve, resolve_core, whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True), ("Yes", True), ("y", True), ("on", True), ("ON", True), ("yEs", "yEs"),
        ("n", False), ("off", False), ("No", False), ("true", True), ("tRUE", "tRUE"),
        ("", None), ("~", None), ("null", None), ("nULL", "nULL"),
        ("010", 8), ("0o10", 8), ("08", 8), ("0x1F", 31), ("0b11", 3), ("-0b11", -3), ("-010", -8),
        ("1_000", 1000), ("0_7", 7), ("+5", 5), ("-0", 0), ("1__0", 10), ("_1", "_1"),
        ("1.10", 1.1), ("1.", 1), (".5", 0.5), ("-.5", -0.5), ("1e3", 1000), ("1e400", "1e400"),
        ("1.2.3", "1.2.3"), ("12:30:45", "12:30:45"), ("2026-05-01", "2026-05-01"),
        ("0b12", "0b12"), ("0x", "0x"), ("-", "-"), ("1,000", "1,000"), ("=", "="), ("<<", "<<"),
        ("nan", "nan"), (".Nan", ".Nan"), ("-.inf", -math.inf), ("1e21", 1e21), ("1e20", 10**20),
        ("0xFFFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFFFF"), ("18446744073709551616", 2**64),
        ("0777777777777777777777777", 777777777777777777777777.0), ("9" * 400, "9" * 400),
        ("9" * 309, "9" * 309), ("0" * 500 + "1", "0" * 500 + "1"), ("\u0661", "\u0661"), ("1²", "1²"),
    ],
)  # fmt: skip
def test_an_unquoted_scalar_means_what_go_yaml_2_makes_of_it(text: str, value: object) -> None:
    if text == "0" * 500 + "1":
        assert resolve(text) == 1
    else:
        assert resolve(text) == value
        assert type(resolve(text)) is type(value)


@pytest.mark.parametrize("text", ["yes", "no", "on", "off", "y", "n", "Off"])
def test_our_own_files_have_no_words_but_true_false_and_null(text: str) -> None:
    assert resolve_core(text) == text


@given(
    st.text(max_size=20)
    | st.from_regex(r"[-+]?[0-9._xob]{1,12}(e[-+]?[0-9]{1,3})?", fullmatch=True)
)
@settings(deadline=None)
def test_every_text_has_a_meaning(text: str) -> None:
    for read in (resolve, resolve_core):
        assert isinstance(read(text), str | int | float | bool | None)
    assert isinstance(key_text(text), str | None)


@given(st.floats())
def test_whole_changes_no_value(number: float) -> None:
    assert whole(number) == number or math.isnan(number)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_text_of_a_float_key_is_that_float(number: float) -> None:
    text = key_text(f"{number:.12e}")
    assert text is not None
    assert float(text) == pytest.approx(number, rel=1e-7)
    assert len(text.strip("-").replace(".", "").split("e")[0].strip("0")) <= 9
