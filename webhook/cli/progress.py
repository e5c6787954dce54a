"""Progress on a terminal, for long input; silent everywhere else."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_T = TypeVar("_T")
_AFTER = 1.0
_EVERY = 256


@contextmanager
def counting(what: str, *, quiet: bool = False) -> Iterator[Counting]:
    """A counter that shows itself when the work takes longer than a second and a person looks."""
    counter = Counting(what, visible=not quiet and sys.stderr.isatty())
    try:
        yield counter
    finally:
        counter.stop()


class Counting:
    """Counts items; draws through rich once it is worth it."""

    def __init__(self, what: str, *, visible: bool) -> None:
        self._what = what
        self._visible = visible
        self._started = time.monotonic()
        self._count = 0
        self._status: object | None = None

    def each(self, items: Iterable[_T]) -> Iterator[_T]:
        """Passes items on and counts them."""
        for item in items:
            yield item
            self._count += 1
            if self._visible and self._count % _EVERY == 0:
                self._show()

    def add(self, count: int, more: str = "") -> None:
        """Counts many at once; ``more`` is shown behind."""
        self._count += count
        if self._visible:
            self._show(more)

    def _show(self, more: str = "") -> None:
        elapsed = time.monotonic() - self._started
        if elapsed < _AFTER:
            return
        text = f"{self._count:,} {self._what}, {self._count / elapsed:,.0f} a second{more}"
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(text)
            self._status.start()
        else:
            self._status.update(text)  # type: ignore[attr-defined]

    def stop(self) -> None:
        """Takes the line off the terminal."""
        if self._status is not None:
            self._status.stop()  # type: ignore[attr-defined]
