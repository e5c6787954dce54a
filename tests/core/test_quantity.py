"""Quantities read and compare as apimachinery's resource.Quantity."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from tests.specs.oracle.questions import ANSWERS, load
from webhook.core.quantity import QuantityError, UnusualQuantityError, parse_quantity

_HAS_DIGITS = re.compile(r"[+-]?(\d|\.\d)")
"""Go reads "k" as 0, but the CRD's pattern never lets it through."""


def read(text: str) -> Decimal | None:
    try:
        return parse_quantity(text)
    except QuantityError:
        return None


def test_quantities_agree_with_gos_own() -> None:
    asked = [q for q in load(ANSWERS, "quantity") if _HAS_DIGITS.match(q["text"])]
    compared = 0
    for question in asked:
        answer, value = question["answer"], read(question["text"])
        assert (value is not None) == answer["ok"], question
        if value is None:
            continue
        assert (value > 0) - (value < 0) == answer["sign"], question
        other = read(question["other"])
        if "compare" in answer and other is not None:
            assert (value > other) - (value < other) == answer["compare"], question
            compared += 1
    assert len(asked) >= 400
    assert compared >= 100


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500m", "0.5"),
        ("1e3", "1000"),
        ("1E", "1e18"),
        ("1.5Gi", str(1536 * 2**20)),
        ("0.0000000001", "1e-9"),
        ("999Ei", str(2**63 - 1)),
        ("-2u", "-0.000002"),
    ],
)
def test_the_value_is_exact(text: str, value: str) -> None:
    assert parse_quantity(text) == Decimal(value)


def test_every_unit_has_its_worth() -> None:
    decimal = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
    for unit, exponent in decimal.items():
        assert parse_quantity(f"2{unit}") == Decimal(f"2e{exponent}")
    for at, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1):
        assert parse_quantity(f"2{unit}") == 2 * 1024**at


@pytest.mark.parametrize(
    ("text", "meant"),
    [("1GB", '"1G" or "1Gi"'), ("2gi", '"2Gi"'), ("5 K", '"5k" or "5Ki"'), ("100Mb", '"100M"')],
)
def test_a_unit_of_other_habits_is_recognised(text: str, meant: str) -> None:
    with pytest.raises(QuantityError, match=f"did you mean {meant}"):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["1" * 101, "1e101", "1e-2000000000"])
def test_what_nobody_means_is_not_worked_out(text: str) -> None:
    with pytest.raises(UnusualQuantityError):
        parse_quantity(text)
