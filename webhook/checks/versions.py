"""Package versions, compared as the operator compares them (semver, ``v`` optional)."""

from __future__ import annotations

import re
from functools import total_ordering
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from webhook.core.view import View

_NUMBER: Final = r"0|[1-9]\d*"
_PART: Final = rf"(?:(?:{_NUMBER})(?![0-9A-Za-z-])|\d*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER: Final = re.compile(
    rf"v?({_NUMBER})(?:\.({_NUMBER})(?:\.({_NUMBER})"
    rf"(?:-({_PART}(?:\.{_PART})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)?",
    re.ASCII,
)

_Digits = tuple[int, str]
"""A number of any length, ordered as a number: how many digits, then the digits."""


def _digits(text: str | None) -> _Digits:
    return (len(text), text) if text else (1, "0")


@total_ordering
class Version:
    """A semantic version as golang.org/x/mod/semver reads it behind a ``v`` (internal/version).

    "1" and "1.2" are versions; a pre-release or a build needs all three numbers.
    """

    __slots__ = ("numbers", "pre")

    def __init__(self, numbers: tuple[_Digits, _Digits, _Digits], pre: tuple[str, ...]) -> None:
        self.numbers = numbers
        self.pre = pre

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """The version, or None when the text is none."""
        found = _SEMVER.fullmatch(text)
        if found is None:
            return None
        numbers = (_digits(found[1]), _digits(found[2]), _digits(found[3]))
        return cls(numbers, tuple(found[4].split(".")) if found[4] else ())

    def _order(self) -> tuple[object, ...]:
        pre = tuple((0, *_digits(p)) if p.isdigit() else (1, 0, p) for p in self.pre)
        return (self.numbers, not self.pre, pre)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._order() == other._order()

    def __lt__(self, other: Version) -> bool:
        return self._order() < other._order()

    def __hash__(self) -> int:
        return hash(self._order())


def split_key(key: str) -> tuple[str, str] | None:
    """``name|version`` -> its parts; None for a key without version."""
    name, bar, version = key.partition("|")
    return (name, version) if bar and name and version else None


def lower_version(container: View | None, key: str) -> bool:
    """Whether the map holds an entry of the same package with a lower version (I52).

    Versions that are not semver are never known to be higher or lower: then any other version
    of the package counts.
    """
    parts = split_key(key)
    if container is None or parts is None:
        return False
    name, version = parts
    mine = Version.parse(version)
    for other_key in container.members:
        other = split_key(other_key)
        if other is None or other[0] != name or other[1] == version:
            continue
        theirs = Version.parse(other[1])
        if mine is None or theirs is None or theirs < mine:
            return True
    return False
