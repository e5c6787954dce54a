"""What is said of a value that a schema refuses."""

from __future__ import annotations

import json
from typing import Any, Final

from webhook.core.quantity import QuantityError, UnusualQuantityError, parse_quantity

LONGEST: Final = 60

_QUANTITY: Final = "[KMGTPE]i"
_PATTERNS: Final = {
    "^[a-z][-a-z0-9]{0,41}[a-z]$": (
        "must be 2 to 43 characters: small letters, digits and -, beginning and ending with a letter"
    ),
    "^\\S+$": "must not be empty or hold spaces",
    "^sha256:[0-9a-f]{64}$": "must be sha256: and 64 digits 0-9 or a-f",
    "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$": "must be one word, such as NodesConverged",
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$": (
        "must be one word, such as Ready, with a domain and a / before it at most"
    ),
}
INT_OR_STRING: Final = "integer or string"

_CALLED: Final = {
    INT_OR_STRING: 'a whole number, or a string such as "500m"',
    "string": "a string",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object of keys and values",
    "array": "a list",
}


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


def shown(value: Any) -> str:
    """A value in a message: one line, cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 3] + "..."


def wrong_type(value: Any, expected: str, written: str | None) -> str:
    """A value of the wrong type; ``written``: its text where it stands unquoted in a file.

    A number's value is never shown in place of a string: 1.10 has become 1.1 by then.
    """
    called = _CALLED.get(expected, expected)
    have = kind_of(value)
    scalar = isinstance(value, bool | int | float)
    if scalar and (expected == "string" or (expected == INT_OR_STRING and have == "a number")):
        if written is not None:
            return f'{written} is {have} here; write it as a quoted string: "{written}"'
        return f"{have} stands here; it must be a string, in quotes"
    if isinstance(value, str):
        quotes = ", without quotes" if _unquoted(value, expected) else ""
        return f"{shown(value)} must be {called}{quotes}"
    if scalar and expected in ("integer", "boolean", INT_OR_STRING):
        return f"{written if written is not None else shown(value)} must be {called}"
    return f"must be {called}, not {have}"


def _unquoted(text: str, expected: str) -> bool:
    """Whether the text would be right without its quotes."""
    if expected == "boolean":
        return text in ("true", "false")
    return expected == "integer" and text.lstrip("-").isdecimal()


def against_pattern(text: str, pattern: str) -> str:
    """A string that its pattern refuses."""
    if _QUANTITY in pattern:
        try:
            parse_quantity(text)
        except QuantityError as error:
            return f"{shown(text)} {error}"
        except UnusualQuantityError:
            pass
    return f"{shown(text)} {_PATTERNS.get(pattern, f'must match {pattern}')}"
