"""JSON as kubectl reads it: fast by the standard library, and a second look only at texts that give cause."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from webhook.documents.aliases import MAX_DEPTH
from webhook.documents.jsonscan import scan
from webhook.documents.problem import ProblemKind, UnreadableError
from webhook.documents.scalars import INT64_MAX, INT64_MIN, whole

if TYPE_CHECKING:
    from webhook.documents.notes import Remark
    from webhook.documents.position import Lines
    from webhook.documents.scalars import Scalar

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # at least half a pair
_LONG_INTEGER = re.compile(r"[0-9]{4300}")  # int() refuses these: sys.set_int_max_str_digits
_SPACE = re.compile(r"[ \t\r\n]*")
_BEHIND = re.compile(
    r"[ \t\r\n]*+(?:#[^\n]*+[ \t\r\n]*+)*+"
)  # kubectl reads on as YAML: comments pass
_TOO_DEEP: Final = f"nested deeper than {MAX_DEPTH} levels"


@dataclass(frozen=True, slots=True)
class JsonValue:
    """One JSON value as read.

    Attributes:
        value: None where the API server could not read it either.
        end: offset behind the value and the white space and comments after it.
        remarks: what is wrong with it.
        readable: whether it is JSON.
    """

    value: Any
    end: int
    remarks: tuple[Remark, ...]
    readable: bool


class _Hooks:
    """Decoder hooks that notice what the decoder lets pass."""

    __slots__ = ("cause",)

    def __init__(self) -> None:
        self.cause = False

    def mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            self.cause = True
        return value

    def integer(self, text: str) -> int:
        value = int(text)
        if not INT64_MIN <= value <= INT64_MAX:
            self.cause = True
        return value

    def real(self, text: str) -> Scalar:
        value = float(text)
        if math.isinf(value):
            self.cause = True
        return whole(value)

    def constant(self, _: str) -> None:
        self.cause = True


def skip_space(text: str, offset: int) -> int:
    """Offset behind white space of JSON."""
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def read_json(lines: Lines, start: int) -> JsonValue:
    """The JSON value that begins at `start` of a text.

    Raises:
        UnreadableError: not JSON (NaN and Infinity are noted instead), or too deep.
    """
    text = lines.text
    hooks = _Hooks()
    decoder = json.JSONDecoder(
        object_pairs_hook=hooks.mapping,
        parse_int=hooks.integer,
        parse_float=hooks.real,
        parse_constant=hooks.constant,
    )
    try:
        value, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        message = f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise UnreadableError(error.pos, ProblemKind.SYNTAX, message) from None
    except RecursionError:
        raise UnreadableError(start, ProblemKind.DEPTH, _TOO_DEEP) from None
    except ValueError:
        match = _LONG_INTEGER.search(text, start)
        offset = match.start() if match else start
        message = "a number of thousands of digits; if it is text, put it in quotes"
        raise UnreadableError(offset, ProblemKind.NUMBER, message) from None
    if _too_deep(value):
        raise UnreadableError(start, ProblemKind.DEPTH, _TOO_DEEP)
    behind = _BEHIND.match(text, end)
    after = behind.end() if behind else end
    escape = text.find("\\u", start, end)  # far quicker than a search, and mostly there is none
    escaped = escape >= 0 and _SURROGATE.search(text, escape, end)
    if not hooks.cause and not escaped:
        return JsonValue(value, after, (), readable=True)
    _, notes = scan(lines, start)
    value = _without_surrogates(value) if notes.readable else None
    return JsonValue(value, after, tuple(notes.remarks), notes.readable)


def _too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _without_surrogates(value: Any) -> Any:
    """Lone surrogates become U+FFFD, as Go's decoder makes them: they have no UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(v) for key, v in value.items()}
    return value
