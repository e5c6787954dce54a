"""Parts of a stream judged on several cores, handed back in order, with few under way at a time."""

from __future__ import annotations

import os
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

from webhook.building import engine_of
from webhook.replaying.judging import Judging, Line
from webhook.replaying.write import Write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from webhook.replaying.judging import Item, Part, Wanted
    from webhook.settings import Settings

MOST_ITEMS: Final = 256
MOST_BYTES: Final = 2 * 1024 * 1024
"""A part ends at so many items or bytes, whichever comes first."""
ALONE: Final = 8
"""So many parts are judged right here before other processes are worth their start."""
AHEAD: Final = 3
"""Parts under way for each process."""

_judging: Judging | None = None


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def parts_of(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items in parts of bounded size."""
    part: list[Item] = []
    size = 0
    for item in items:
        part.append(item)
        size += _size(item)
        if len(part) >= MOST_ITEMS or size >= MOST_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def judged(
    items: Iterable[Item], settings: Settings, wanted: Wanted, jobs: int
) -> Iterator[tuple[int, Part]]:
    """(number of items, what they come to) for each part, in order.

    Raises:
        ProfileError: the settings name a profile that cannot be used.
    """
    judging = Judging(engine_of(settings), wanted)
    parts = parts_of(items)
    alone = None if jobs < 2 else ALONE
    for part in islice(parts, alone):
        yield len(part), judging.part(part)
    if alone is None:
        return
    first = next(parts, None)
    if first is not None:
        yield from _spread(chain([first], parts), settings, wanted, jobs)


def _spread(
    parts: Iterator[list[Item]], settings: Settings, wanted: Wanted, jobs: int
) -> Iterator[tuple[int, Part]]:
    context = get_context("spawn")  # a fork would share threads that draw progress
    under_way: deque[tuple[int, Future[Part]]] = deque()
    with ProcessPoolExecutor(jobs, context, _start, (settings, wanted)) as pool:
        try:
            for part in parts:
                under_way.append((len(part), pool.submit(_part, part)))
                while len(under_way) >= jobs * AHEAD:
                    size, future = under_way.popleft()
                    yield size, future.result()
            while under_way:
                size, future = under_way.popleft()
                yield size, future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _start(settings: Settings, wanted: Wanted) -> None:
    """In each process: an engine of its own; Ctrl-C is for the parent."""
    global _judging  # noqa: PLW0603 - what a worker process keeps between parts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _judging = Judging(engine_of(settings), wanted)


def _part(items: list[Item]) -> Part:
    if _judging is None:
        raise RuntimeError("a worker was not started")
    return _judging.part(items)


def _size(item: Item) -> int:
    if isinstance(item, Line):
        return len(item.body)
    if isinstance(item, Write):
        return len(memoryview(item.request.object)) + len(memoryview(item.request.old_object))
    return 0
