"""Kubernetes quantities (500m, 1.5Gi, 1e3), read and compared exactly as apimachinery does."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Context, Decimal
from functools import lru_cache
from typing import Final

_PARTS: Final = re.compile(
    r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))"
    r"(?P<unit>[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,10}|)",
    re.ASCII,
)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_FRACTIONS: Final = "num"
_WRITTEN: Final = re.compile(r"\s*([+-]?[0-9.]+)\s*([A-Za-z]{1,5})\s*", re.ASCII)
_LONGEST: Final = 100
_FARTHEST: Final = 100
_EXACT: Final = Context(prec=400)
_NANO: Final = -9
_SMALLEST: Final = Decimal(1).scaleb(_NANO)
_MOST_BINARY: Final = Decimal(2**63 - 1)


class QuantityError(ValueError):
    """A text that is no quantity; says why, to be read behind the text."""


class UnusualQuantityError(ValueError):
    """A quantity so long or so far from 1 that nobody means it: not compared."""


@lru_cache(1024)
def parse_quantity(text: str) -> Decimal:
    """The exact value of a quantity (resource.ParseQuantity).

    What is finer than a nano is rounded up to one, and binary quantities end at 2^63 - 1.
    Raises QuantityError, UnusualQuantityError.
    """
    if len(text) > _LONGEST:
        raise UnusualQuantityError(f"{len(text)} characters")
    found = _PARTS.fullmatch(text)
    if found is None:
        legal = 'write a number with at most one unit, such as "500m", "2" or "1.5Gi"'
        raise QuantityError(f"is no quantity; {legal}{_meant(text)}")
    return _value(Decimal(found["number"]), found["unit"])


def _value(number: Decimal, unit: str) -> Decimal:
    if unit in _BINARY:
        value = _EXACT.multiply(number, Decimal(2 ** _BINARY[unit]))
    else:
        exponent = _DECIMAL[unit] if unit in _DECIMAL else int(unit[1:] or "0")
        if abs(exponent) > _FARTHEST:
            raise UnusualQuantityError(f"exponent {exponent}")
        value = number.scaleb(exponent, _EXACT)
    digits = value.as_tuple().exponent
    if isinstance(digits, int) and digits < _NANO:
        value = value.quantize(_SMALLEST, rounding=ROUND_UP, context=_EXACT)
    if unit in _BINARY:
        value = max(min(value, _MOST_BINARY), -_MOST_BINARY)
    return value


def _meant(text: str) -> str:
    """What somebody who writes 1GB or 2gi may mean."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return ""
    in_bytes = len(found[2]) > 1 and found[2][-1] in "bB"
    unit = (found[2][:-1] if in_bytes else found[2]).casefold()
    known = [u for u in (*_DECIMAL, *_BINARY) if u.casefold() in (unit, f"{unit}i")]
    if in_bytes:
        known = [u for u in known if u not in _FRACTIONS]
    words = [f'"{found[1]}{u}"' for u in known]
    return f"; did you mean {' or '.join(words)}?" if words else ""
