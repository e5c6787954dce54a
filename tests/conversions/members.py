"""JSON objects taken apart by the standard library, keeping each value's own text: the tests' own eyes."""

from __future__ import annotations

import json
import re

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODE = json.JSONDecoder()


def members(text: str) -> list[tuple[str, str]] | None:
    """Keys and the raw text of their values, in order; None for what is no object."""
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        return None
    found: list[tuple[str, str]] = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _DECODE.raw_decode(text, at)
        at = _skip(text, at)
        assert text[at] == ":"
        start = _skip(text, at + 1)
        _, end = _DECODE.raw_decode(text, start)
        found.append((key, text[start:end]))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def elements(text: str) -> list[str]:
    """The raw text of each element of an array."""
    found: list[str] = []
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "]":
        _, end = _DECODE.raw_decode(text, at)
        found.append(text[at:end])
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()
