"""There and back, for any object: the documented normal form, and not one other byte."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, seed, settings

from tests.conversions.members import elements, members
from tests.conversions.objects import GROUP, objects
from webhook.conversions.converter import HUB, SPOKE, Converter, fields_of
from webhook.core.conditions import MirrorNames
from webhook.core.window import CLOSED, OPEN, Window

NOW = datetime(2026, 11, 29, tzinfo=UTC)
NAMES = MirrorNames((GROUP,), ("*", "!Transition"), frozenset({"Ready", "ApplyPackage"}))
WINDOWS = {"open": OPEN, "closed": CLOSED}
OTHER = {HUB: SPOKE, SPOKE: HUB}
SAID = ("status", "reason", "message", "observedGeneration")


def convert(text: str, version: str, window: Window) -> str:
    fields = fields_of(msgspec.Raw(text.encode()))
    assert fields is not None
    return Converter(GROUP, {"Skyhook": NAMES}, window).to(version, NOW).of(fields).decode()


def twin(kind: str) -> str | None:
    """The mirror of a bare type; the rule, said a second time and on its own."""
    mirror = f"{GROUP}/{kind}"
    bare = kind and "/" not in kind and kind != "Transition" and len(mirror) <= 316
    return mirror if bare else None


def said(entry: dict[str, Any], keys: tuple[str, ...] = SAID) -> dict[str, Any]:
    return {k: entry[k] for k in keys if entry.get(k) is not None}


def check_open(before: list[str], after: list[str]) -> None:
    """Every bare one as it was; each with a mirror that says the same; no entry of unknown origin."""
    old = {json.loads(e)["type"]: e for e in before}
    new = {json.loads(e)["type"]: e for e in after}
    assert len(new) == len(after), "a type twice"
    mirrors = {twin(t): t for t in old if twin(t)}
    assert set(new) == set(old) | set(mirrors)
    for kind, text in old.items():
        if kind not in mirrors:
            assert new[kind] == text, "an entry that is no mirror was touched"
    for mirror, bare in mirrors.items():
        source, made = json.loads(old[bare]), json.loads(new[mirror])
        assert said(made) == said(source)
        if mirror not in old:
            assert list(new).index(mirror) == list(new).index(bare) + 1
            assert made == {**source, "type": mirror}
        else:
            own = json.loads(old[mirror])
            keeps = own.get("status") == source.get("status") or said(own) == said(source)
            since = own if keeps else source
            assert said(made, ("lastTransitionTime", "x")) == said(
                {**own, "lastTransitionTime": since.get("lastTransitionTime")},
                ("lastTransitionTime", "x"),
            )
            if said(own) == said(source):
                assert new[mirror] == old[mirror], "a mirror that was right was touched"
    assert [t for t in new if t in old] == list(old), "the order changed"


def check_dropped(before: list[str], after: list[str]) -> None:
    types = {json.loads(e)["type"] for e in before}
    dropped = {twin(t) for t in types if twin(t)}
    assert after == [e for e in before if json.loads(e)["type"] not in dropped]


def understood(text: str) -> bool:
    value = json.loads(text)
    if not isinstance(value, list) or not all(
        isinstance(e, dict) and isinstance(e.get("type"), str) for e in value
    ):
        return False
    return len({e["type"] for e in value}) == len(value)


def check_outside(before: str, after: str, api_version: str) -> tuple[str | None, str | None]:
    """All but apiVersion and status.conditions is byte-equal, keys in order; returns both lists."""
    old, new = dict(members(before) or ()), dict(members(after) or ())
    assert json.loads(new.pop("apiVersion")) == api_version
    assert list(new) == [k for k in old if k != "apiVersion"]
    old.pop("apiVersion")
    was, now = old.pop("status", None), new.pop("status", None)
    assert new == old
    inside_was, inside_now = members(was or "null"), members(now or "null")
    if inside_was is None or inside_now is None:
        assert was == now
        return None, None
    lists = [dict(inside).get("conditions") for inside in (inside_was, inside_now)]
    assert [kv for kv in inside_was if kv[0] != "conditions"] == [
        kv for kv in inside_now if kv[0] != "conditions"
    ]
    if lists[0] == "null":
        assert lists[1] is None, "null conditions are dropped"
        return None, None
    keys = [[k for k, _ in inside] for inside in (inside_was, inside_now)]
    assert keys[0] == keys[1]
    return lists[0], lists[1]


def check_step(before: str, after: str, version: str, window: str) -> None:
    was, now = check_outside(before, after, f"{GROUP}/{version}")
    if was is None or now is None:
        return
    if not understood(was) or (window == "closed" and version == HUB):
        assert now == was
    elif window == "open":
        check_open(elements(was), elements(now))
    else:
        check_dropped(elements(was), elements(now))


def check_round_trip(text: str, start: str, window: str) -> None:
    first = convert(text, OTHER[start], WINDOWS[window])
    check_step(text, first, OTHER[start], window)
    back = convert(first, start, WINDOWS[window])
    check_step(first, back, start, window)
    again = convert(back, OTHER[start], WINDOWS[window])
    if window == "open" or start == HUB:
        assert again == first
    assert convert(again, start, WINDOWS[window]) == back, "not at rest after one round"
    assert convert(back, start, WINDOWS[window]) == back, "the same version changes nothing"
    if window == "open":
        assert conditions(back) == conditions(first), "both versions show the same while it is open"


def conditions(text: str) -> str | None:
    status = dict(members(text) or ()).get("status", "null")
    return dict(members(status) or ()).get("conditions")


WAYS = [(start, window) for start in OTHER for window in WINDOWS]


def ways():
    ids = [f"from-{start}-{window}" for start, window in WAYS]
    return pytest.mark.parametrize(("start", "window"), WAYS, ids=ids)


@ways()
def test_there_and_back(start: str, window: str):
    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @given(objects(start))
    def holds(text: str) -> None:
        check_round_trip(text, start, window)

    holds()


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(4))
@ways()
def test_there_and_back_for_ten_thousand_objects(start: str, window: str, number: int):
    @seed(20261129 + number)
    @settings(max_examples=2500, deadline=None, database=None)
    @given(objects(start))
    def holds(text: str) -> None:
        check_round_trip(text, start, window)

    holds()
