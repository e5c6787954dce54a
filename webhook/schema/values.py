"""Types, bounds, patterns and formats of single values, as kube-openapi checks them."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from math import isclose
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from webhook.schema.store import Schema

_MOST_INT: Final = 2**63 - 1
_MOST_EXACT: Final = 2.0**53 - 1
_ALMOST: Final = 1e-9
_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[tT](\d\d):(\d\d):(\d\d)(?:.\d+)?(?:[zZ]|[+-]\d\d:\d\d)", re.ASCII
)


def has_type(value: Any, schema: Schema) -> bool:
    """Whether the value is of the schema's type; whole floats are integers (swag)."""
    if schema.get("x-kubernetes-int-or-string"):
        return isinstance(value, str) or is_whole(value)
    match schema.get("type"):
        case "string":
            return isinstance(value, str)
        case "integer":
            return is_whole(value)
        case "boolean":
            return isinstance(value, bool)
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
    return True


def is_whole(value: Any) -> bool:
    """An int64, or a float that is whole and small enough to be exact in JSON."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return -_MOST_INT - 1 <= value <= _MOST_INT
    return (
        isinstance(value, float)
        and abs(value) <= _MOST_EXACT
        and isclose(value, round(value), rel_tol=_ALMOST)
    )


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern in Python's words: Go's ``$`` is the very end, and its classes are ASCII."""
    end = pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern
    return re.compile(end, re.ASCII)


def is_time(text: str) -> bool:
    """RFC 3339's date-time, as strfmt.IsDateTime takes it."""
    found = _TIME.fullmatch(text)
    if found is None or found[2] > "23" or found[3] > "59" or found[4] > "59":
        return False
    try:
        date.fromisoformat(found[1])
    except ValueError:
        return False
    return True
