"""Package versions, compared as the operator compares them (semver, ``v`` optional)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, total_ordering
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

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


@dataclass(frozen=True, slots=True)
class _Versions:
    """The versions of one package in a map of entries.

    Attributes:
        texts: as written.
        lowest: of those that are semver; None when none is.
        odd: those that are not.
    """

    texts: frozenset[str]
    lowest: Version | None
    odd: frozenset[str]


@lru_cache(maxsize=4)
def _packages(container: View) -> Mapping[str, _Versions]:
    """By name; read once for a map, which may hold thousands that all ask."""
    texts: dict[str, dict[str, Version | None]] = {}
    for key in container.members:
        parts = split_key(key)
        if parts is not None:
            texts.setdefault(parts[0], {})[parts[1]] = Version.parse(parts[1])
    found = {}
    for name, versions in texts.items():
        known = [version for version in versions.values() if version is not None]
        odd = frozenset(text for text, version in versions.items() if version is None)
        found[name] = _Versions(frozenset(versions), min(known, default=None), odd)
    return found


def lower_version(container: View | None, key: str) -> bool:
    """Whether the map holds an entry of the same package with a lower version (I52).

    Versions that are not semver are never known to be higher or lower: then any other version
    of the package counts.
    """
    parts = split_key(key)
    if container is None or parts is None:
        return False
    name, version = parts
    there = _packages(container).get(name)
    if there is None:
        return False
    mine = Version.parse(version)
    if mine is None:
        return bool(there.texts - {version})
    return bool(there.odd) or (there.lowest is not None and there.lowest < mine)
