"""Did you mean …? The known word that a wrong one resembles most."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_COMPARED: Final = 200
"""Known words looked at; nobody means the thousandth of a generated list."""
MOST_HINTS: Final = 20
_LONGEST: Final = 100
_ALIKE: Final = 0.6


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that differs only in case, else the most similar one, else None."""
    if len(word) > _LONGEST:
        return None
    folded: dict[str, str] = {}
    for name in islice(known, MOST_COMPARED):
        if len(name) <= _LONGEST and name != word:
            folded.setdefault(name.casefold(), name)
    found = get_close_matches(word.casefold(), folded, n=1, cutoff=_ALIKE)
    return folded[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean "<word>"?`` to end a message with, or nothing."""
    found = nearest(word, known)
    return "" if found is None else f'; did you mean "{found}"?'


class Hints:
    """``did_you_mean`` for many words at once: the first twenty get their hint, which is plenty."""

    __slots__ = ("_known", "_left")

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known
        self._left = MOST_HINTS

    def __call__(self, word: str) -> str:
        """As ``did_you_mean``; nothing once the hints are used up."""
        self._left -= 1
        return did_you_mean(word, self._known) if self._left >= 0 else ""
