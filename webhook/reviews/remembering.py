"""Recorded writes judged in order, with what earlier ones showed of Nodes as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.reviews.crosscheck import Copies, Recalled
from webhook.reviews.memory import Bounds, Memory

if TYPE_CHECKING:
    from webhook.catalog import Catalog
    from webhook.reviews.verdict import Verdict
    from webhook.reviews.wire import AdmissionRequest

BOUNDS: Final = Bounds(lately=300.0)
"""Longer than a server waits: a recording is whole, so that patience costs nothing."""


class Remembering:
    """What one story told so far; a story is a file that holds every write, in order."""

    def __init__(self, catalog: Catalog) -> None:
        self._copies = Copies.of(catalog)
        self._memory = Memory(BOUNDS)
        self._source = ""

    def evidence(self, source: str, time: float | None) -> Recalled:
        """What is known when a write is reviewed; in another source nothing yet."""
        if source != self._source:
            self._source, self._memory = source, Memory(BOUNDS)
        return Recalled(self._memory, time or 0.0)

    def learn(
        self, request: AdmissionRequest, verdict: Verdict, time: float | None, *, made: bool = True
    ) -> None:
        """Takes note of the write; ``made``: not one that failed when it was recorded."""
        allowed = verdict.allowed and made
        self._copies.remember(self._memory, request, time or 0.0, allowed=allowed)
