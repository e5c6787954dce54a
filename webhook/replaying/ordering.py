"""Audit events in the order of the writes: logs of several servers merged, late lines put in place.

A line is written when its request ends, so two writes to one object can stand the wrong way
round; their resourceVersions, which the store hands out in order, tell which came first.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.replaying.stored import head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webhook.replaying.event import Event

MOST_HELD: Final = 256
MOST_HELD_BYTES: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Placed:
    """An event and where it stands.

    Attributes:
        event: the event.
        source: name of the file.
        line: number of the line, from 1.
        size: bytes of the line.
    """

    event: Event
    source: str
    line: int
    size: int


Stream = tuple[str, "Callable[[], Iterator[Placed]]"]
"""The time of a log's first line, and how to read the log."""


def merged(streams: Iterable[Stream]) -> Iterator[Placed]:
    """The events of several logs by time; a log is opened no earlier than it is needed."""
    waiting = deque(sorted(streams, key=lambda stream: stream[0]))
    running: list[tuple[str, int, Placed, Iterator[Placed]]] = []
    opened = 0
    while waiting or running:
        while waiting and (not running or waiting[0][0] <= running[0][0]):
            events = waiting.popleft()[1]()
            opened += 1
            _push(running, opened, events)
        if not running:
            continue
        _, number, placed, events = heapq.heappop(running)
        yield placed
        _push(running, number, events)


def _push(
    running: list[tuple[str, int, Placed, Iterator[Placed]]],
    number: int,
    events: Iterator[Placed],
) -> None:
    placed = next(events, None)
    if placed is not None:
        heapq.heappush(running, (placed.event.stage_timestamp, number, placed, events))


def in_order(
    events: Iterable[Placed], most: int = MOST_HELD, most_bytes: int = MOST_HELD_BYTES
) -> Iterator[Placed]:
    """Holds back so many events, and lets them go by the resourceVersion that each wrote."""
    held: list[tuple[int, int, Placed]] = []
    size, latest = 0, 0
    for number, placed in enumerate(events):
        latest = max(latest, _written(placed.event))
        heapq.heappush(held, (_written(placed.event) or latest, number, placed))
        size += placed.size
        while len(held) > most or size > most_bytes:
            first = heapq.heappop(held)[2]
            size -= first.size
            yield first
    while held:
        yield heapq.heappop(held)[2]


def _written(event: Event) -> int:
    """The resourceVersion of what was stored; 0 where nothing was, or it is not logged."""
    if not event.succeeded or event.verb in ("get", "list") or event.dry_run:
        return 0
    version = head(event.response_object).metadata.resource_version
    return int(version) if version.isdecimal() else 0
