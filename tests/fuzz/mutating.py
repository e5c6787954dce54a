"""Damage done to inputs: bytes flipped, and JSON changed where it is JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

_MARK = "\ue000"
"""A string that begins so is written without quotes: JSON that no Python value prints as."""
RAW = ("1e400", "-0", "1.0", "1E2", "9" * 25, "-1", "NaN", "1e-400", "0.1", "-9223372036854775809")
WORDS = (
    "", "complete", "in_progress", "erroring", "skipped", "apply", "config", "interrupt", "COMPLETE",
    "complete ", "foo|1.0", "foo|1.0\n", "{version}|1", "|", "a|b|c", "null", "True", "Ready", "stage",
    "Stage", "\u017ftate", "\u212a", "\x00", "\u2028", "\U0001f600", "</script>", "~1/~0", "x" * 400,
    "2026-11-29T20:00:00Z", "9999-12-31T23:59:59-23:59", "skyhook.nvidia.com/Ready", "1.2.3", "v1beta1",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 10**30, 0.5, [], {}, [None], {"": None}, [[]], {"type": None},
    *(_MARK + raw for raw in RAW), *WORDS,
)  # fmt: skip
SCRAPS = (b'"', b"{", b"}", b"[", b"]", b",", b":", b"null", b"\\u0000", b"\\ud800", b"\\", b"\xff", b" ",
          b"\n", b"1e999", b"-", b"0", b'"a":1,', b"\xef\xbb\xbf", b"\r\n", b"&a ", b"*a", b"<<: ", b"# ")  # fmt: skip


def mutated(data: bytes, chance: Random) -> bytes:
    """The same with some damage."""
    if chance.random() < 0.65:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return _bytes(data, chance)
        for _ in range(chance.randint(1, 4)):
            value = _changed(value, chance)
        return _written(value, chance)
    return _bytes(data, chance)


def _bytes(data: bytes, chance: Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(5):
            case 0:
                del out[at : at + chance.randint(1, 12)]
            case 1:
                out[at:at] = chance.choice(SCRAPS) * chance.choice((1, 1, 1, 2, 40))
            case 2 if out:
                out[min(at, len(out) - 1)] = chance.randrange(256)
            case 3:
                end = at + chance.randint(1, 200)
                out[at:at] = out[at:end]
            case _:
                out[at : at + 1] = chance.choice(SCRAPS)
    return bytes(out)


def _written(value: Any, chance: Random) -> bytes:
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    for raw in RAW:
        for mark in (_MARK, "\\ue000"):
            text = text.replace(f'"{mark}{raw}"', raw)
    if chance.random() < 0.1:
        text = text.replace(", ", ",\n \t", chance.randint(1, 20))
    return text.encode(errors="surrogatepass")


def _changed(value: Any, chance: Random, depth: int = 0) -> Any:
    """One place somewhere below is something else; JSON inside of strings is entered too."""
    if isinstance(value, dict) and value and chance.random() < 0.92:
        return _in_map(dict(value), chance, depth)
    if isinstance(value, list) and value and chance.random() < 0.92:
        return _in_list(list(value), chance, depth)
    if isinstance(value, str) and value[:1] in "{[" and chance.random() < 0.9:
        inside = mutated(value.encode(errors="surrogatepass"), chance)
        return inside.decode(errors="replace")
    return chance.choice(VALUES)


def _in_map(fields: dict[str, Any], chance: Random, depth: int) -> Any:
    key = chance.choice(list(fields))
    match chance.randrange(12):
        case 0:
            del fields[key]
        case 1:
            fields[chance.choice(WORDS)] = fields.pop(key)
        case 2:
            fields[key.swapcase()] = chance.choice(VALUES)
        case 3:
            fields[chance.choice(WORDS)] = chance.choice(VALUES)
        case _:
            fields[key] = _changed(fields[key], chance, depth + 1)
    return fields


def _in_list(items: list[Any], chance: Random, depth: int) -> Any:
    at = chance.randrange(len(items))
    match chance.randrange(8):
        case 0:
            del items[at]
        case 1:
            items.insert(at, items[chance.randrange(len(items))])
        case 2:
            items.insert(at, chance.choice(VALUES))
        case 3:
            items.reverse()
        case _:
            items[at] = _changed(items[at], chance, depth + 1)
    return items
