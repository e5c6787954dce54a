"""Releases of the guarded system, and which of them a rule holds for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PART: Final = re.compile(r"(>=|<=|==|<|>)\s*v?(\d+(?:\.\d+)*)$")


class ReleaseError(ValueError):
    """A release, or a range of releases, that cannot be read."""


def parse_release(text: str) -> tuple[int, int]:
    """``v0.16.2`` -> (0, 16). Raises ReleaseError."""
    found = re.match(r"v?(\d+)\.(\d+)", text.strip())
    if found is None:
        raise ReleaseError(f"{text!r} is no release; write it as 0.16")
    return int(found[1]), int(found[2])


@lru_cache(256)
@lru_cache(maxsize=256)
def within(release: str, wanted: str | None) -> bool:
    """Whether ``release`` lies in a range such as ``>=0.16,<0.18``. Raises ReleaseError."""
    if not wanted:
        return True
    have = parse_release(release)
    return all(_holds(have, part.strip()) for part in wanted.split(","))


def _holds(have: tuple[int, int], part: str) -> bool:
    found = _PART.match(part)
    if found is None:
        raise ReleaseError(f"{part!r} is no range of releases; write it as >=0.16,<0.18")
    sign, bound = found[1], parse_release(found[2])
    return {
        ">=": have >= bound,
        "<=": have <= bound,
        "==": have == bound,
        "<": have < bound,
        ">": have > bound,
    }[sign]


ALL: Final = "*"
"""Under this name stands the release that counts for every profile of an operator."""
AUTO: Final = "auto"
"""Instead of a release: the one that the operator's Deployment shows."""


def parse_choice(text: str) -> tuple[bool, str]:
    """``auto``, ``auto:0.17`` or ``0.17`` -> whether to look, and the release where nothing is seen.

    Raises ReleaseError.
    """
    word, colon, otherwise = text.partition(":")
    looks = word == AUTO
    release = otherwise if looks else text
    if release or colon or not looks:
        parse_release(release)
    return looks, release
