"""What an unquoted YAML scalar means to kubectl: the rules of go-yaml 2, which sigs.k8s.io/yaml uses."""

from __future__ import annotations

import math
import re
import struct
from functools import lru_cache
from typing import TypeAlias

Scalar: TypeAlias = "str | int | float | bool | None"

_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")
_NULL = ("", "~", "null", "Null", "NULL")
_CORE_WORDS: dict[str, Scalar] = (
    dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False) | dict.fromkeys(_NULL)
)
_KUBECTL_WORDS: dict[str, Scalar] = (
    _CORE_WORDS
    | dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True)
    | dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False)
)
_NON_FINITE = {
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_STARTS = frozenset("0123456789+-.")
_STARTS = dict.fromkeys((word[:1] for word in _KUBECTL_WORDS), False) | dict.fromkeys(
    _NUMBER_STARTS, True
)

_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_BASED = re.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_POINTED = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?\Z")
_FLOAT_DIGITS = (
    400  # no decimal integer of more digits fits a double; int() would need quadratic time
)

INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
_INTEGER_FLOATS = 1e21  # encoding/json writes whole floats below this without an exponent


@lru_cache(maxsize=8192)
def resolve(text: str) -> Scalar:
    """Value of an unquoted scalar as kubectl reads it (go-yaml 2 `resolve`; times stay text).

    `yes`, `on`, `y` and their kin are booleans, 010 and 0o10 are 8, 1e3 is 1000, 12:30:45 is text. A whole
    float becomes an integer, because kubectl sends it as one. Integers beyond 64 bits stay exact here.
    """
    numeric = _STARTS.get(text[:1])
    if numeric is None:
        return text
    return whole(_number(text)) if numeric else _KUBECTL_WORDS.get(text, text)


def resolve_core(text: str) -> Scalar:
    """The same for our own files, where only true, false and null are words: `mode: off` is text."""
    if text[:1] in _NUMBER_STARTS:
        return whole(_number(text))
    return _CORE_WORDS.get(text, text)


def _number(text: str) -> str | int | float:
    if text in _NON_FINITE:
        return _NON_FINITE[text]
    if text[0] == ".":
        return float(text) if _POINTED.match(text) else text
    plain = text.replace("_", "")
    if _DECIMAL.match(plain) and len(plain) < _FLOAT_DIGITS:
        return _in_range(int(plain), text)
    based = _BASED.match(plain)
    if based:
        sign, hexadecimal, binary, octal = based.groups()
        digits, base = (hexadecimal, 16) if hexadecimal else (binary, 2) if binary else (octal, 8)
        number = -int(digits, base) if sign == "-" else int(digits, base)
        if INT64_MIN <= number <= (INT64_MAX if sign else UINT64_MAX):
            return number
    if _FLOAT.match(plain):
        value = float(plain)
        return text if math.isinf(value) else value
    return text


def _in_range(number: int, text: str) -> str | int:
    # Go turns what exceeds 64 bits into a double, and into text where even that overflows.
    if INT64_MIN <= number <= UINT64_MAX:
        return number
    try:
        float(number)
    except OverflowError:
        return text
    return number


def whole(value: Scalar) -> Scalar:
    """The integer that kubectl sends for a whole float (`3.0` goes out as 3); else the value itself."""
    if value.__class__ is float and abs(value) < _INTEGER_FLOATS and value.is_integer():
        return int(value)
    return value


def key_text(text: str) -> str | None:
    """The string that sigs.k8s.io/yaml makes of an unquoted key (`yes` is "true"); None if it refuses it."""
    key = _number(text) if text[:1] in _NUMBER_STARTS else resolve(text)
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int):
        if INT64_MIN <= key <= INT64_MAX:
            return str(key)
        return None if 0 < key <= UINT64_MAX else _float_key(float(key))
    return _float_key(key) if isinstance(key, float) else key


def _float_key(key: float) -> str:
    # strconv.FormatFloat(key, 'g', -1, 32): the fewest digits that give the same 32-bit float.
    narrow = _narrow(key)
    if math.isnan(narrow):
        return ".nan"
    if math.isinf(narrow):
        return ".inf" if narrow > 0 else "-.inf"
    tries = (f"{narrow:.{digits}e}" for digits in range(9))
    short = next(text for text in tries if _narrow(float(text)) == narrow)
    mantissa, _, exponent = short.partition("e")
    power = int(exponent)
    if -4 <= power < 6:
        digits = sum(map(str.isdigit, mantissa))
        return f"{float(short):.{max(digits - 1 - power, 0)}f}"
    return f"{mantissa}e{exponent}"


def _narrow(value: float) -> float:
    try:
        narrow: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return narrow
