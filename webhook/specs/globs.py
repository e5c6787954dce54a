"""Glob patterns as Go's filepath.Match reads them: ``*`` and ``?`` stop at ``/``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Token:
    """What one place of a pattern takes.

    Attributes:
        ranges: pairs of characters, the first to the last that it takes.
        negated: it takes every other character instead.
        star: it takes any run of characters without a ``/``.
    """

    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    star: bool = False

    def takes(self, char: str) -> bool:
        """Whether it takes this one character."""
        return any(low <= char <= high for low, high in self.ranges) is not self.negated


_STAR = Token(star=True)
_ANY = Token((("/", "/"),), negated=True)


def matches(pattern: str, name: str) -> bool:
    """Whether the pattern matches the whole name; a malformed pattern matches nothing.

    Costs at most len(pattern) * len(name) steps.
    """
    tokens = _tokens(pattern)
    if tokens is None:
        return False
    place = here = 0
    star, start = -1, 0
    while here < len(name):
        token = tokens[place] if place < len(tokens) else None
        if token is not None and token.star:
            star, start = place, here
            place += 1
        elif token is not None and token.takes(name[here]):
            place, here = place + 1, here + 1
        elif star >= 0 and name[start] != "/":
            start += 1
            place, here = star + 1, start
        else:
            return False
    return all(token.star for token in tokens[place:])


@lru_cache(maxsize=256)
def _tokens(pattern: str) -> tuple[Token, ...] | None:
    found: list[Token] = []
    end = 0
    while end < len(pattern):
        head = pattern[end]
        end += 1
        if head == "*":
            found.append(_STAR)
        elif head == "?":
            found.append(_ANY)
        elif head == "[":
            token, end = _group(pattern, end)
            if token is None:
                return None
            found.append(token)
        elif head == "\\":
            if end == len(pattern):
                return None
            found.append(Token(((pattern[end], pattern[end]),)))
            end += 1
        else:
            found.append(Token(((head, head),)))
    return tuple(found)


def _group(pattern: str, end: int) -> tuple[Token | None, int]:
    """The class of characters that starts at ``end``; None for a malformed one."""
    negated = pattern[end : end + 1] == "^"
    end += negated
    ranges: list[tuple[str, str]] = []
    while not (ranges and pattern[end : end + 1] == "]"):
        low, end = _member(pattern, end)
        high = low
        if pattern[end : end + 1] == "-":
            high, end = _member(pattern, end + 1)
        if not low or not high:
            return None, end
        ranges.append((low, high))
    return Token(tuple(ranges), negated), end + 1


def _member(pattern: str, end: int) -> tuple[str, int]:
    """One character of a class, never the pattern's last; empty for a malformed one."""
    head = pattern[end : end + 1]
    if head in ("-", "]"):
        return "", end
    end += head == "\\"
    char = pattern[end : end + 1]
    return (char, end + 1) if end + 1 < len(pattern) else ("", end)
