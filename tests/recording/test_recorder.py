"""The recorder never waits, loses nothing that it took, and stays within its bounds."""

from __future__ import annotations

import gzip
import os
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from webhook.documents import DocumentError, walk_inputs
from webhook.recording import recorder as module
from webhook.recording.line import Review
from webhook.recording.recorder import DROPPED, FAILED, WRITTEN, Recorder
from webhook.recording.shelf import ENDING, OPEN, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def shelf(folder: Path, clock: Clock | None = None, **bounds: Any) -> Shelf:
    given = {"most_bytes": 1 << 30, "file_bytes": 1 << 20, "file_seconds": 3600.0, **bounds}
    return Shelf(folder, clock=clock or Clock(), **given)


def lines(folder: Path) -> list[bytes]:
    return [
        line for path in sorted(folder.iterdir()) for line in gzip.open(path).read().splitlines()
    ]


def waited(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_every_review_taken_is_written_in_order_and_the_folder_is_the_owners_alone(
    tmp_path: Path,
) -> None:
    counts: Counter[str] = Counter()
    recorder = Recorder(
        shelf(tmp_path / "new" / "folder"), lambda what, n: counts.update({what: n}), pytest.fail
    )
    recorder.start()
    for number in range(500):
        assert recorder.offer(Review(float(number), b'{"n":%d}' % number))
    recorder.stop()
    found = lines(tmp_path / "new" / "folder")
    assert [line.rpartition(b":")[2] for line in found] == [b"%d}" % n for n in range(500)]
    assert counts == {WRITTEN: 500}
    (path,) = (tmp_path / "new" / "folder").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.name.endswith(ENDING)


def test_a_full_queue_drops_at_once_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[str] = Counter()
    gate = threading.Event()
    slow = shelf(tmp_path)
    append = slow.append
    monkeypatch.setattr(slow, "append", lambda line: (gate.wait(30), append(line)))
    monkeypatch.setattr(module, "MOST_WAITING_BYTES", 100)
    recorder = Recorder(slow, lambda what, n: counts.update({what: n}), pytest.fail)
    recorder.start()
    assert recorder.offer(Review(1.0, b"{}"))
    waited(lambda: not recorder._waiting)  # it hangs in the disk now
    started = time.monotonic()
    taken = sum(recorder.offer(Review(1.0, b'{"a":"%s"}' % (b"x" * 20))) for _ in range(1000))
    assert time.monotonic() - started < 1.0
    assert taken == 3
    assert counts[DROPPED] == 997
    gate.set()
    recorder.stop()
    assert counts[WRITTEN] == 4
    assert len(lines(tmp_path)) == 4
    assert recorder._offered == recorder._taken


def test_a_disk_that_fails_is_complained_of_once_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[str] = Counter()
    complaints: list[OSError] = []
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.2)
    blocked = tmp_path / "folder"
    blocked.write_text("a file is in the way")
    recorder = Recorder(shelf(blocked), lambda what, n: counts.update({what: n}), complaints.append)
    recorder.start()
    recorder.offer(Review(1.0, b"{}"))
    waited(lambda: counts[FAILED] == 1)
    blocked.unlink()
    deadline = time.monotonic() + 20
    while not counts[WRITTEN] and time.monotonic() < deadline:
        recorder.offer(Review(2.0, b"{}"))
        time.sleep(0.05)
    recorder.stop()
    assert counts[WRITTEN] >= 1
    assert len(complaints) == 1
    assert len(lines(blocked)) == counts[WRITTEN]


def test_what_cannot_be_masked_is_not_written(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()

    def mask(body: bytes) -> bytes:
        if b"odd" in body:
            raise ValueError(body)
        return b'{"masked":true}'

    recorder = Recorder(
        shelf(tmp_path), lambda what, n: counts.update({what: n}), pytest.fail, mask
    )
    recorder.start()
    recorder.offer(Review(1.0, b'{"odd":1}'))
    recorder.offer(Review(1.0, b'{"secret":1}'))
    recorder.stop()
    assert counts == {WRITTEN: 1, FAILED: 1}
    assert b"secret" not in lines(tmp_path)[0]


def test_what_was_flushed_can_be_read_while_the_file_is_open_and_after_a_crash(
    tmp_path: Path,
) -> None:
    kept = shelf(tmp_path)
    kept.append(b'{"a":1}\n')
    kept.flush()
    (path,) = tmp_path.iterdir()
    assert path.name.endswith(ENDING + OPEN)
    read: list[bytes] = []
    with pytest.raises(DocumentError, match="end too early"):
        read.extend(line for source in walk_inputs([str(path)]) for _, line in source.lines())
    assert (
        next(line for source in walk_inputs([str(path)]) for _, line in source.lines())
        == b'{"a":1}'
    )
    kept.close()
    assert lines(tmp_path) == [b'{"a":1}']
    kept.close()
    kept.flush()


def test_files_follow_one_another_by_size_and_by_age(tmp_path: Path) -> None:
    clock = Clock()
    kept = shelf(tmp_path, clock, file_bytes=2000, file_seconds=60.0)
    for _ in range(4):
        kept.append(os.urandom(1500).hex().encode() + b"\n")
        kept.flush()
    assert len(list(tmp_path.iterdir())) >= 2
    kept.close()
    before = len(list(tmp_path.iterdir()))
    kept.append(b"x\n")
    kept.flush()
    clock.now += 61
    kept.flush()
    assert [p.name.endswith(OPEN) for p in tmp_path.iterdir()] == [False] * (before + 1)


def test_the_folder_never_holds_more_than_its_bound_and_strangers_are_left_alone(
    tmp_path: Path,
) -> None:
    clock = Clock()
    (tmp_path / "notes.txt").write_text("x" * 50_000)
    kept = shelf(tmp_path, clock, most_bytes=20_000, file_bytes=4000)
    for _ in range(40):
        clock.now += 1
        kept.append(os.urandom(1500).hex().encode() + b"\n")
        kept.flush()
        total = sum(p.stat().st_size for p in tmp_path.iterdir() if p.name != "notes.txt")
        assert total <= 20_000
    kept.close()
    (tmp_path / "notes.txt").unlink()
    assert len(lines(tmp_path)) >= 4
