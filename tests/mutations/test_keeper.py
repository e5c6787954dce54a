"""What a keeper makes of one status write, and when it keeps its hands off."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.conftest import NOW
from webhook.core.conditions import MirrorNames
from webhook.core.window import CLOSED, OPEN
from webhook.mutations.keeper import Keeper, Kept, keep

P = "skyhook.nvidia.com"
KEEPER = Keeper(MirrorNames((P,)), OPEN)
READY = {
    "type": "Ready",
    "status": "True",
    "reason": "R",
    "message": "m",
    "lastTransitionTime": "t",
}


def kept(keeper: Keeper, new: Any, old: Any) -> Kept:
    one, other = (msgspec.Raw(json.dumps(value).encode()) for value in (new, old))
    return keep(keeper, one, other, NOW)


def status(*conditions: Any) -> dict[str, Any]:
    return {"status": {"conditions": list(conditions)}}


def test_a_bare_condition_gets_its_mirror_and_the_mirror_is_carried() -> None:
    found = kept(KEEPER, status(READY), status())
    assert found.patch is not None
    [step] = json.loads(found.patch)
    assert (step["op"], step["path"]) == ("add", "/status/conditions/1")
    assert step["value"] == {**READY, "type": f"{P}/Ready"}
    assert (found.carried, found.written, found.doubt) == ((f"{P}/Ready",), (), "")


def test_a_mirror_that_the_write_itself_brings_is_written() -> None:
    mirror = {**READY, "type": f"{P}/Ready"}
    found = kept(KEEPER, status(READY, mirror), status(READY))
    assert found == Kept(None, (f"{P}/Ready",), (f"{P}/Ready",))
    found = kept(KEEPER, status(READY, mirror), status(READY, mirror))
    assert found == Kept(None, (f"{P}/Ready",), ())


@pytest.mark.parametrize("new", [{}, {"status": None}, {"metadata": {}}])
def test_an_object_without_a_status_stays_as_it_is(new: Any) -> None:
    assert kept(KEEPER, new, {}) == Kept()


def test_an_object_that_nobody_may_change_stays_as_it_is() -> None:
    assert kept(replace(KEEPER, read_only=True), status(READY), status()) == Kept()


@pytest.mark.parametrize(
    ("new", "doubt"),
    [
        ([], "object or oldObject has another shape"),
        ({"status": 5}, "object or oldObject has another shape"),
        (status(READY, READY), "status.conditions is no list of distinct types"),
        ({"status": {"conditions": {}}}, "status.conditions is no list of distinct types"),
    ],
)
def test_in_doubt_nothing_is_patched_and_the_doubt_is_said(new: Any, doubt: str) -> None:
    assert kept(KEEPER, new, status()) == Kept(doubt=doubt)
    assert kept(KEEPER, status(READY), new) == Kept(doubt=doubt)


@pytest.mark.parametrize(
    ("keeper", "make", "strip", "follows"),
    [
        (KEEPER, True, False, False),
        (replace(KEEPER, strip=True), True, False, False),
        (replace(KEEPER, window=CLOSED), False, False, False),
        (replace(KEEPER, window=CLOSED, strip=True), False, True, False),
        (replace(KEEPER, release="0.15.9"), True, False, True),
        (replace(KEEPER, release="0.16"), True, False, False),
        (replace(KEEPER, release="0.16", bare_since="0.17"), True, False, True),
    ],
)
def test_what_is_done_to_twins(keeper: Keeper, make: bool, strip: bool, follows: bool) -> None:
    upkeep = keeper.upkeep(NOW)
    assert (upkeep.make, upkeep.strip, upkeep.removal_follows) == (make, strip, follows)
