"""The recorder: takes reviews from the server without ever waiting, and writes them elsewhere."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.recording.line import Review
    from webhook.recording.shelf import Shelf

MOST_WAITING_BYTES: Final = 32 * 1024 * 1024
MOST_WAITING: Final = 4096
FLUSH_SECONDS: Final = 1.0
GATHER_SECONDS: Final = 0.05
"""We wake up no more often, whatever comes, so that the server keeps its core."""
PAUSE_SECONDS: Final = 10.0
"""After an error of the disk, so long nothing is tried."""

WRITTEN, DROPPED, FAILED = "written", "dropped", "failed"


class Recorder:
    """A queue with a bound, and a thread that empties it.

    Only the thread of the server calls `offer`; only our own thread takes.

    Args:
        shelf: where lines go.
        count: told how many reviews were written, dropped for want of room, or lost to an error.
        complain: told once of each run of errors.
        mask: takes secrets out of a body.
    """

    def __init__(
        self,
        shelf: Shelf,
        count: Callable[[str, int], None],
        complain: Callable[[OSError], None],
        mask: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self._shelf = shelf
        self._count = count
        self._complain = complain
        self._mask = mask
        self._waiting: deque[Review] = deque()
        self._offered = 0  # bytes, counted by the server's thread
        self._taken = 0  # bytes, counted by ours
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._broken_until = 0.0
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)

    def start(self) -> None:
        """Begins to write."""
        self._thread.start()

    def offer(self, review: Review) -> bool:
        """Takes a review, or drops it where the queue is full. Never waits."""
        size = len(review.body)
        waiting = self._offered - self._taken
        if len(self._waiting) >= MOST_WAITING or waiting + size > MOST_WAITING_BYTES:
            self._count(DROPPED, 1)
            return False
        self._offered += size
        self._waiting.append(review)
        if not self._wake.is_set():
            self._wake.set()
        return True

    def stop(self, seconds: float = 10.0) -> None:
        """Writes what is waiting, closes the file, and ends."""
        self._ending.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _run(self) -> None:
        flushed = time.monotonic()
        while not self._ending.is_set():
            self._wake.wait(FLUSH_SECONDS)
            self._wake.clear()
            self._empty()
            if time.monotonic() - flushed >= FLUSH_SECONDS:
                self._trying(self._shelf.flush)
                flushed = time.monotonic()
            self._ending.wait(GATHER_SECONDS)
        self._empty()
        self._trying(self._shelf.close)

    def _empty(self) -> None:
        while self._waiting:
            review = self._waiting.popleft()
            self._taken += len(review.body)
            line = self._line(review)
            written = line is not None and self._trying(partial(self._shelf.append, line))
            self._count(WRITTEN if written else FAILED, 1)

    def _line(self, review: Review) -> bytes | None:
        """The line; None for what cannot be masked: it is not written at all."""
        if self._mask is None:
            return review.line()
        try:
            return replace(review, body=self._mask(review.body)).line()
        except (ValueError, RecursionError):
            return None

    def _trying(self, work: Callable[[], None]) -> bool:
        """Whether it worked; after an error nothing is tried for a while."""
        if time.monotonic() < self._broken_until:
            return False
        try:
            work()
        except OSError as error:
            if not self._broken_until:
                self._complain(error)
            self._shelf.abandon()
            self._broken_until = time.monotonic() + PAUSE_SECONDS
            return False
        self._broken_until = 0.0
        return True
