"""Our reading against what apimachinery's own decoder said of the same text (kubectl/README.md)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from webhook.documents import events
from webhook.documents.events import PythonParser
from webhook.documents.reading import read_documents

READINGS = [
    json.loads(line)
    for line in (Path(__file__).parent / "kubectl/readings.jsonl").read_text().splitlines()
]
NAMED = [reading for reading in READINGS if "name" in reading]
RANDOM = [reading for reading in READINGS if "name" not in reading]

ONLY_LIBYAML = {
    "tab sep",
    "tab after",
    "tab flow",
}  # PyYAML's own parser refuses tabs that libyaml and Go pass


def text_of(reading: dict[str, Any]) -> bytes:
    return base64.b64decode(reading["base64"]) if "base64" in reading else reading["text"].encode()


def sent_number(text: str) -> float | int:
    number = float(text)
    return int(number) if abs(number) < 1e21 and number.is_integer() else number


def check(reading: dict[str, Any]) -> None:
    ours = list(read_documents(text_of(reading), "a.yaml"))
    if "ours" in reading:
        assert sorted({p.kind for d in ours for p in d.problems}) == reading["ours"]
        return
    theirs = [json.loads(document, parse_float=sent_number) for document in reading["docs"]]
    theirs = [value for value in theirs if value is not None]
    values = [document.value for document in ours]
    if reading["error"]:
        assert values[: len(theirs)] == theirs
        assert None in values[len(theirs) :]  # kubectl stops at the first, we go on
    else:
        assert values == theirs


@pytest.mark.parametrize("reading", NAMED, ids=lambda reading: ascii(reading["name"]))
def test_a_named_text_is_read_as_kubectl_reads_it(reading: dict[str, Any]) -> None:
    check(reading)


def test_texts_made_at_random_are_read_as_kubectl_reads_them() -> None:
    for reading in RANDOM:
        check(reading)


def test_the_recording_is_whole() -> None:
    assert len(NAMED) == 434
    assert len(RANDOM) == 1200
    assert sum("ours" not in reading for reading in READINGS) > 1600


@pytest.mark.parametrize("reading", NAMED, ids=lambda reading: ascii(reading["name"]))
def test_the_parser_without_libyaml_reads_the_same(
    reading: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [document.value for document in read_documents(text_of(reading), "a.yaml")]
    monkeypatch.setattr(events, "open_parser", PythonParser)
    if reading["name"] not in ONLY_LIBYAML:
        assert [d.value for d in read_documents(text_of(reading), "a.yaml")] == expected
