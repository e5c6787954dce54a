"""Judged on several cores, the result is the same, in the same order, and little is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tests.corpus import reading
from webhook.replaying import parallel
from webhook.replaying.judging import Line, Part, Wanted
from webhook.replaying.parallel import AHEAD, ALONE, MOST_BYTES, judged, parts_of
from webhook.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

SETTINGS = load_settings({"mode": "warn"})


def total(jobs: int, lines: list[Line]) -> Part:
    found = Part()
    for _, part in judged(lines, SETTINGS, Wanted(changes=True, steps=True), jobs):
        found.summary.merge(part.summary)
        found.occurrences += part.occurrences
        found.steps += part.steps
        found.unreadable += part.unreadable
    return found


def test_two_processes_say_what_one_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "ALONE", 1)
    monkeypatch.setattr(parallel, "MOST_ITEMS", 20)
    names = [reading.EXCEPTION_FILE, "replay-chainsaw-skyhook-malformed-node-state.jsonl.gz"]
    bodies = [*reading.lines(reading.CHECKED_IN, names=names), b"{", b'{"kind":"Pod"}']
    lines = [Line("x", number, body) for number, body in enumerate(bodies, 1)]
    one, two = total(1, lines), total(2, lines)
    for name in ("summary", "occurrences", "steps"):
        assert msgspec.to_builtins(getattr(one, name)) == msgspec.to_builtins(getattr(two, name))
    assert one.unreadable == two.unreadable
    assert len(one.unreadable) == 2
    assert one.summary.would_deny >= 11
    assert one.summary.denied == 0
    assert len(one.steps) > 20


def test_parts_are_bounded_by_items_and_by_bytes() -> None:
    small = [Line("x", n, b"x") for n in range(600)]
    assert [len(part) for part in parts_of(small)] == [256, 256, 88]
    large = [Line("x", n, b"x" * (MOST_BYTES // 2)) for n in range(5)]
    assert [len(part) for part in parts_of(large)] == [2, 2, 1]


def test_a_stream_is_read_no_faster_than_it_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "MOST_ITEMS", 1)
    read = 0

    def endless() -> Iterator[Line]:
        nonlocal read
        while True:
            read += 1
            yield Line("x", read, b"{}")

    stream = judged(endless(), SETTINGS, Wanted(), 2)
    for number, _ in enumerate(stream, 1):
        assert read <= number + 2 * AHEAD + 2
        if number == ALONE + 40:
            break
    stream.close()  # type: ignore[attr-defined]
