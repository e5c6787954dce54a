"""What Go's encoding/json makes of a nodeState text: `map[string]PackageStatus`, said a second time and on its own."""

from __future__ import annotations

import json
from typing import Any

TEXTS = ("name", "version", "image", "stage", "state", "containerSHA")
NUMBERS = ("restarts",)
_FOLDED = {name.casefold(): name for name in (*TEXTS, *NUMBERS)}


class GoError(ValueError):
    """json.Unmarshal returns an error: the operator stops."""


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def node_state(text: str) -> dict[str, dict[str, Any]]:
    """The entries that the operator reads. Raises GoError; RecursionError for what is nested too deeply here."""
    try:
        pairs = json.loads(
            text,
            object_pairs_hook=_Pairs,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_no,
        )
    except ValueError as error:
        raise GoError(str(error)) from None
    if pairs is None:
        return {}
    if not isinstance(pairs, _Pairs):
        raise GoError("not a map")
    return {key: _entry(value) for key, value in pairs}


class _Pairs(list[tuple[str, Any]]):
    """An object's members, as often as they stand there."""


def _no(word: str) -> Any:
    raise ValueError(word)


def _entry(value: Any) -> dict[str, Any]:
    """A struct, begun empty: null leaves it so, and so does null for a field."""
    found: dict[str, Any] = {**dict.fromkeys(TEXTS, ""), "restarts": 0}
    if value is None:
        return found
    if not isinstance(value, _Pairs):
        raise GoError("not an object")
    for key, said in value:
        name = _FOLDED.get(key.casefold())
        if name is not None and said is not None:
            found[name] = _field(name, said)
    return found


def _field(name: str, said: Any) -> Any:
    if name in NUMBERS:
        try:
            number = int(said) if isinstance(said, _Number) and len(said) < 20 else None
        except ValueError:
            number = None
        if number is None or not -(2**31) <= number < 2**31:
            raise GoError(name)
        return number
    if isinstance(said, _Number) or not isinstance(said, str):
        raise GoError(name)
    return said
