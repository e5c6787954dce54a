"""One object at a time: what changes, what is spliced through, and that nothing fails."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from tests.conftest import ROOT, SHARED
from tests.conversions.members import members
from webhook.conversions.converter import HUB, SPOKE, Converter, fields_of
from webhook.core.conditions import MirrorNames
from webhook.core.window import CLOSED, OPEN, Window

NOW = datetime(2026, 11, 29, tzinfo=UTC)
GROUP = "skyhook.nvidia.com"
NAMES = MirrorNames((GROUP,), ("*",), frozenset({"Ready"}))


def convert(text: str, version: str, window: Window = OPEN) -> str:
    fields = fields_of(msgspec.Raw(text.encode()))
    assert fields is not None
    return Converter(GROUP, {"Skyhook": NAMES}, window).to(version, NOW).of(fields).decode()


def skyhook(rest: str, version: str = HUB) -> str:
    return f'{{"apiVersion":"{GROUP}/{version}","kind":"Skyhook","metadata":{{}}{rest}}}'


def test_values_keep_their_bytes_and_keys_their_order():
    text = (
        '{"status":{"b": 1.10,"conditions":[{"type":"A","message":"\\u003c"}],"a":9007199254740993},'
        '"metadata":{ "generation" : 123456789012345678901234567890 },"kind":"Skyhook",'
        '"apiVersion":"skyhook.nvidia.com/v1alpha1","spec":{"t":"2026-05-01T12:00:00+02:00","n":1E-7}}'
    )
    assert convert(text, SPOKE) == (
        '{"status":{"b":1.10,"conditions":[{"type":"A","message":"\\u003c"},{"type":"skyhook.nvidia.com/A","message":"\\u003c"}],"a":9007199254740993},'
        '"metadata":{ "generation" : 123456789012345678901234567890 },"kind":"Skyhook",'
        '"apiVersion":"skyhook.nvidia.com/v1beta1","spec":{"t":"2026-05-01T12:00:00+02:00","n":1E-7}}'
    )


@pytest.mark.parametrize("version", [HUB, SPOKE])
@pytest.mark.parametrize("window", [OPEN, CLOSED], ids=str)
@pytest.mark.parametrize(
    "rest",
    [
        "",
        ',"status":null',
        ',"status":{}',
        ',"status":3',
        ',"status":{"conditions":[]}',
        ',"status":{"conditions":"oops"}',
        ',"status":{"conditions":[null,"x",{"status":"True"}]}',
        ',"status":{"conditions":[{"type":"A"},{"type":"A"}]}',
        ',"status":{"conditions":[{"type":7}]}',
    ],
)
def test_what_is_not_understood_differs_only_in_api_version(
    rest: str, window: Window, version: str
):
    other = HUB if version == SPOKE else SPOKE
    assert convert(skyhook(rest, other), version, window) == skyhook(rest, version)


@pytest.mark.parametrize("window", [OPEN, CLOSED], ids=str)
@pytest.mark.parametrize("version", [HUB, SPOKE])
def test_null_conditions_are_dropped(window: Window, version: str):
    other = HUB if version == SPOKE else SPOKE
    given = skyhook(',"status":{"a":1,"conditions":null,"b":2}', other)
    assert convert(given, version, window) == skyhook(',"status":{"a":1,"b":2}', version)


def test_an_object_that_is_there_already_stays_as_it_is():
    given = skyhook(',"status":{"conditions":[{"type":"A"}]}', SPOKE)
    assert convert(given, SPOKE) == given


def test_another_kind_of_the_group_only_changes_its_api_version():
    given = skyhook(',"status":{"conditions":[{"type":"A"}]}').replace("Skyhook", "Other")
    assert convert(given, SPOKE) == given.replace("v1alpha1", "v1beta1")


@pytest.mark.parametrize("api_version", ["v1", "apps/v1", "nodewright.nvidia.com/v1alpha1"])
def test_an_object_of_another_group_passes(api_version: str):
    given = f'{{"apiVersion":"{api_version}","kind":"Skyhook","metadata":{{}}}}'
    assert convert(given, SPOKE) == given


@pytest.mark.parametrize("api_version", ["7", "null", "{}"])
def test_an_api_version_that_is_no_text_is_put_right(api_version: str):
    given = f'{{"apiVersion":{api_version},"kind":"Skyhook","metadata":{{}}}}'
    assert convert(given, SPOKE) == skyhook("", SPOKE)


@pytest.mark.parametrize("text", ["null", "3", '"x"', "[]", "{", '{"\\ud800":1}'])
def test_what_is_no_object_has_no_members(text: str):
    assert fields_of(msgspec.Raw(text.encode())) is None


def test_the_window_closes_at_its_date():
    given = skyhook(',"status":{"conditions":[{"type":"A"}]}')
    until = Window(until=NOW + timedelta(seconds=1))
    assert "skyhook.nvidia.com/A" in convert(given, SPOKE, until)
    assert convert(given, SPOKE, Window(until=NOW)) == given.replace("v1alpha1", "v1beta1")


def recorded_objects():
    folders = [SHARED / "skyhook" / "recorded", ROOT / "tests" / "recorded"]
    folder = next(folder for folder in folders if folder.is_dir())
    seen: set[bytes] = set()
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            for line in lines:
                request = json.loads(line).get("request") or {}
                if request.get("kind", {}).get("kind") != "Skyhook":
                    continue
                for key in ("object", "oldObject"):
                    text = json.dumps(request.get(key), separators=(",", ":")).encode()
                    if text != b"null" and hash(text) not in seen:
                        seen.add(hash(text))
                        yield text.decode()


@pytest.mark.nightly
def test_every_recorded_object_converts_both_ways():
    count = 0
    for text in recorded_objects():
        count += 1
        check_recorded(text)
    assert count > 1000


def test_recorded_objects_convert_both_ways():
    with gzip.open(ROOT / "tests" / "recorded" / "distilled.jsonl.gz") as lines:
        requests = [json.loads(line)["request"] for line in lines]
    texts = {
        json.dumps(r["object"], separators=(",", ":"))
        for r in requests
        if r["kind"]["kind"] == "Skyhook" and r.get("object")
    }
    assert len(texts) > 500
    for text in sorted(texts):
        check_recorded(text)


def check_recorded(text: str) -> None:
    """There: all bare types have mirrors; back: the same list; nothing else moved."""
    before = json.loads(text)
    there = convert(text, SPOKE)
    back = convert(there, HUB)
    mended = json.loads(there)
    assert mended.pop("apiVersion") == f"{GROUP}/v1beta1"
    assert before.pop("apiVersion") == f"{GROUP}/v1alpha1"
    was = (before.get("status") or {}).pop("conditions", None)
    now = (mended.get("status") or {}).pop("conditions", None)
    assert mended == before
    if was is not None:
        types = {c["type"] for c in was}
        bare = {t for t in types if "/" not in t}
        assert {c["type"] for c in now} == types | {f"{GROUP}/{t}" for t in bare}
        by_type = {c["type"]: c for c in now}
        assert all(by_type[c["type"]] == c for c in was if "/" not in c["type"])
    assert (
        dict(members(back) or ())["status" if was else "kind"]
        == dict(members(there) or ())["status" if was else "kind"]
    )
    assert convert(back, SPOKE) == there
    closed = json.loads(convert(text, SPOKE, CLOSED))
    shown = {c["type"] for c in (closed.get("status") or {}).get("conditions") or ()}
    assert not {
        t
        for t in shown
        if t.removeprefix(f"{GROUP}/") != t and t.removeprefix(f"{GROUP}/") in shown
    }
