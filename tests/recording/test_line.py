"""A recorded line is one AdmissionReview that every reader of reviews understands."""

from __future__ import annotations

import json

import pytest

from tests.corpus import reading
from webhook.recording.line import Review
from webhook.replaying.judging import Line, write_of


@pytest.mark.parametrize("indent", [None, 1])
def test_a_line_is_read_again_as_what_came(indent: int | None) -> None:
    for review in list(reading.reviews(reading.CHECKED_IN, names=[reading.EXCEPTION_FILE])):
        body = json.dumps({k: review[k] for k in ("apiVersion", "kind", "request")}, indent=indent)
        said = {"deny": ["skyhook.a"]}
        line = Review(1795966535.7994, f" {body}\r\n".encode(), False, said).line()
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        write = write_of(Line("x", 1, line))
        assert write.time == 1795966535.799
        assert json.loads(line)["said"] == {"allowed": False, "deny": ["skyhook.a"]}
        assert json.loads(line)["request"] == review["request"]


def test_an_empty_object_stays_json() -> None:
    assert json.loads(Review(1.0, b"{ }").line()) == {"ts": 1.0, "said": {"allowed": True}}
