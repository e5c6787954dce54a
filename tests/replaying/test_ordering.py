"""Logs of several servers become one; lines that came late are put where their write was."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from webhook.replaying.event import Event, ResponseStatus
from webhook.replaying.ordering import Placed, in_order, merged

if TYPE_CHECKING:
    from collections.abc import Iterator


def placed(time: int, version: int = 0, name: str = "x", size: int = 1) -> Placed:
    body = f'{{"metadata":{{"resourceVersion":"{version}"}}}}' if version else "null"
    event = Event(
        verb="patch", stage_timestamp=f"2026-01-01T00:00:{time:02}.000000Z",
        response_status=ResponseStatus(200), response_object=msgspec.Raw(body.encode()),
    )  # fmt: skip
    return Placed(event, name, version, size)


def test_logs_are_merged_by_time_and_opened_when_their_time_comes() -> None:
    opened: list[str] = []

    def log(name: str, *times: int) -> tuple[str, object]:
        events = [placed(t, name=name) for t in times]

        def read() -> Iterator[Placed]:
            opened.append(name)
            return iter(events)

        return events[0].event.stage_timestamp, read

    rotated = [log("new", 20, 30), log("old", 1, 10), log("other", 2, 9, 25)]
    stream = merged(rotated)  # type: ignore[arg-type]
    assert next(stream).source == "old"
    assert opened == ["old"]
    rest = [(p.source, int(p.event.stage_timestamp[17:19])) for p in stream]
    assert [time for _, time in rest] == [2, 9, 10, 20, 25, 30]
    assert opened == ["old", "other", "new"]


@pytest.mark.parametrize("seed", range(5))
def test_writes_come_in_the_order_of_their_versions(seed: int) -> None:
    chance = random.Random(seed)
    events = [placed(0, 10 + n) for n in range(500)]
    shuffled = [p for _, p in sorted((n + chance.uniform(0, 20), p) for n, p in enumerate(events))]
    assert shuffled != events
    found = [p.line for p in in_order(shuffled, most=64)]
    assert found == sorted(found)


def test_what_wrote_nothing_stays_where_it_was_and_no_more_is_held_than_allowed() -> None:
    events = [placed(0, 10), placed(0, 0, "refused"), placed(0, 11), placed(0, 0, "refused")]
    assert [p.source for p in in_order(events)] == ["x", "refused", "x", "refused"]
    held, out = 0, 0

    def counted() -> Iterator[Placed]:
        nonlocal held
        for number in range(100):
            held = max(held, number - out)
            yield placed(0, number + 1, size=10)

    for _ in in_order(counted(), most=50, most_bytes=100):
        out += 1
    assert out == 100
    assert held <= 11
