"""Findings that would repeat on every write are told to their writer once an hour."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.reviews.verdict import Verdict

HOUR: Final = 3600.0
MOST_REMEMBERED: Final = 4096


class Rarely:
    """Remembers who was told what, bounded; the oldest is forgotten first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: OrderedDict[tuple[str, str], float] = OrderedDict()

    def hush(self, verdict: Verdict, user: str) -> Verdict:
        """The verdict, with what this user was told within the hour audited instead of warned."""
        if not verdict.warned or not any(f.rarely for f in verdict.warned):
            return verdict
        now = self._clock()
        fresh = {f.rule for f in verdict.warned if f.rarely and self._first(user, f.rule, now)}
        kept = tuple(f for f in verdict.warned if not f.rarely or f.rule in fresh)
        rest = tuple(f for f in verdict.warned if f not in kept)
        return replace(verdict, warned=kept, audited=(*verdict.audited, *rest))

    def _first(self, user: str, rule: str, now: float) -> bool:
        key = (user, rule)
        last = self._told.get(key)
        if last is not None and now - last < HOUR:
            return False
        self._told[key] = now
        self._told.move_to_end(key)
        while len(self._told) > MOST_REMEMBERED:
            self._told.popitem(last=False)
        return True
