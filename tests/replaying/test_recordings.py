"""Files of recorded writes are told apart, read as far as they go, and never fail as a whole."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.replaying import audit
from webhook.building import engine_of
from webhook.documents import DocumentError
from webhook.replaying.judging import Line
from webhook.replaying.recordings import Recordings
from webhook.replaying.write import Write
from webhook.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def recordings() -> Recordings:
    return Recordings(engine_of(load_settings({})))


def reviews(count: int = 6) -> list[dict[str, Any]]:
    names = ["replay-missing-policy.jsonl.gz"]
    return [
        r
        for r, _ in zip(
            reading.reviews(reading.CHECKED_IN, names=names), range(count), strict=False
        )
    ]


def text(values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def events(count: int = 30) -> list[dict[str, Any]]:
    return [event for _, event in audit.log(reviews(count))]


def test_reviews_and_audit_logs_are_told_apart_by_their_first_line(
    recordings: Recordings, tmp_path: Path
) -> None:
    (tmp_path / "reviews.jsonl.gz").write_bytes(gzip.compress(text(reviews())))
    (tmp_path / "kube-apiserver-audit.log").write_bytes(text(events()))
    (tmp_path / "one.json").write_text(json.dumps(reviews(1)[0], indent=1))
    (tmp_path / "other.jsonl").write_text('{"kind":"Event","apiVersion":"v1"}\n')
    (tmp_path / "text.log").write_text("I0101 starting\n")
    (tmp_path / "empty.jsonl").write_text("")
    items = list(recordings.items([str(tmp_path)]))
    assert sum(isinstance(item, Line) for item in items) == 7
    assert sum(isinstance(item, Write) for item in items) > 10
    assert {name.rpartition("/")[2] for name in recordings.skipped} == {"other.jsonl", "text.log"}
    assert recordings.breaks == 0


def test_a_log_file_given_by_name_and_lists_of_events(
    recordings: Recordings, tmp_path: Path
) -> None:
    listed = {"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": events()}
    path = tmp_path / "audit-2026-01-01.log"
    path.write_bytes(text([listed]))
    found = [i for i in recordings.items([str(path)]) if isinstance(i, Write)]
    assert len(found) > 10
    assert recordings.events == len(events())


def test_events_of_other_kinds_are_let_go_at_once(recordings: Recordings, tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    pods = [{**e, "objectRef": {"resource": "pods", "name": "p"}} for e in events()]
    path.write_bytes(text(pods))
    assert list(recordings.items([str(path)])) == []
    assert recordings.events == len(pods)


def test_what_cannot_be_read_is_noted_and_the_rest_is_read(
    recordings: Recordings, tmp_path: Path
) -> None:
    (tmp_path / "a.log").write_bytes(text(events()) + b'{"kind":"Event","apiVersion":"audit.k8s')
    whole = gzip.compress(text(reviews()))
    (tmp_path / "b.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    items = list(recordings.items([str(tmp_path)]))
    assert any(isinstance(i, Write) for i in items)
    assert sorted(source.rpartition("/")[2] for source, _, _ in recordings.broken) == [
        "a.log",
        "b.jsonl.gz",
    ]
    assert recordings.breaks == 2
    with pytest.raises(DocumentError):
        list(recordings.items([str(tmp_path / "missing")]))


def test_logs_of_two_servers_are_put_in_order(recordings: Recordings, tmp_path: Path) -> None:
    every = [e | {"stageTimestamp": audit.stamp(audit.START + n)} for n, e in enumerate(events())]
    (tmp_path / "one.log").write_bytes(text(every[::2]))
    (tmp_path / "two.log").write_bytes(text(every[1::2]))
    (tmp_path / "whole.jsonl").write_bytes(text(every))
    both = Recordings(recordings.engine)
    ids = [
        i.request.uid
        for i in both.items([str(tmp_path / "one.log"), str(tmp_path / "two.log")])
        if isinstance(i, Write)
    ]
    assert ids == [
        i.request.uid
        for i in recordings.items([str(tmp_path / "whole.jsonl")])
        if isinstance(i, Write)
    ]
