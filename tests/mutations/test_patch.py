"""Patches: smallest, in a safe order, and applied by a strict library to what was reviewed."""

from __future__ import annotations

import json
from typing import Any

import jsonpatch
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversions.objects import lists
from webhook.core.conditions import Condition, MirrorNames, read_conditions
from webhook.core.mirror import Upkeep, right_list
from webhook.mutations.patch import encode, operations
from webhook.mutations.trial import leads_to

P = "skyhook.nvidia.com"
NAMES = MirrorNames(
    (P, "nodewright.nvidia.com"), ("*", "!Transition"), frozenset({"Ready", "ApplyPackage"})
)


def read(text: str) -> list[Condition]:
    found = read_conditions(msgspec.Raw(text.encode()))
    assert found is not None
    return found


def entry(kind: str, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "status": "True",
        "reason": "R",
        "message": "a message of some length",
        "lastTransitionTime": "t",
        **more,
    }


def patch(new: list[dict], old: list[dict], upkeep: Upkeep = Upkeep(make=True)) -> list[dict]:  # noqa: B008
    given = read(json.dumps(new))
    right = right_list(given, {c.type: c for c in read(json.dumps(old))}, NAMES, upkeep)
    found: list[dict] = json.loads(encode(operations(given, right)))
    return found


ONE = MirrorNames((P,))


def test_a_mirror_is_one_insertion_behind_its_twin():
    given = read(json.dumps([entry("a/x"), entry("Ready"), entry("b/x")]))
    right = right_list(given, {}, ONE, Upkeep(make=True))
    assert json.loads(encode(operations(given, right))) == [
        {"op": "add", "path": "/status/conditions/2", "value": entry(f"{P}/Ready")}
    ]


def test_a_changed_field_is_one_small_operation():
    pair = [entry("Ready"), entry(f"{P}/Ready"), entry("nodewright.nvidia.com/Ready")]
    new = [entry("Ready", reason="Q"), *pair[1:]]
    assert patch(new, pair) == [
        {"op": "replace", "path": "/status/conditions/1/reason", "value": "Q"},
        {"op": "replace", "path": "/status/conditions/2/reason", "value": "Q"},
    ]


def test_a_field_that_was_absent_is_added_and_one_that_goes_is_removed():
    pair = [
        entry("Ready"),
        entry(f"{P}/Ready"),
        entry("nodewright.nvidia.com/Ready", observedGeneration=1),
    ]
    new = [entry("Ready", observedGeneration=2), *pair[1:]]
    assert patch(new, pair) == [
        {"op": "add", "path": "/status/conditions/1/observedGeneration", "value": 2},
        {"op": "replace", "path": "/status/conditions/2/observedGeneration", "value": 2},
    ]
    back = patch([entry("Ready", message="n"), pair[1], pair[2]], new)
    assert {"op": "remove", "path": "/status/conditions/2/observedGeneration"} in back


def test_an_entry_that_changes_in_all_fields_is_replaced_as_one():
    pair = [entry("Ready"), entry(f"{P}/Ready"), entry("nodewright.nvidia.com/Ready")]
    other = {"status": "False", "reason": "Q", "message": "n", "lastTransitionTime": "s"}
    found = patch([entry("Ready", **other), *pair[1:]], pair)
    assert [(op["op"], op["path"]) for op in found] == [
        ("replace", "/status/conditions/1"),
        ("replace", "/status/conditions/2"),
    ]


def test_removals_come_last_and_from_the_end():
    gone = [entry(f"{P}/Blocked"), entry(f"{P}/X")]
    old = [entry("Blocked"), entry("X"), *gone]
    found = patch([*gone, entry("New")], old)
    assert [(op["op"], op["path"]) for op in found] == [
        ("add", "/status/conditions/3"),
        ("add", "/status/conditions/4"),
        ("remove", "/status/conditions/1"),
        ("remove", "/status/conditions/0"),
    ]


def test_a_list_that_is_not_there_is_added_whole():
    made = [Condition.of(msgspec.Raw(b'{"type":"Ready"}'))]
    (add,) = json.loads(encode(operations(None, made)))
    assert add == {"op": "add", "path": "/status/conditions", "value": [{"type": "Ready"}]}
    assert operations(None, []) == []


_WINDOWS = ((True, False), (False, False), (False, True))  # open; closed; closed and stripped
upkeeps = st.sampled_from([Upkeep(*window, old) for window in _WINDOWS for old in (False, True)])


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(lists, lists, upkeeps)
def test_any_write_leads_to_the_right_list_and_is_then_at_rest(new: str, old: str, upkeep: Upkeep):
    check_write(new, old, upkeep)


@pytest.mark.nightly
@settings(max_examples=10_000, deadline=None, database=None)
@given(lists, lists, upkeeps)
def test_ten_thousand_writes(new: str, old: str, upkeep: Upkeep):
    check_write(new, old, upkeep)


def check_write(new: str, old: str, upkeep: Upkeep) -> None:
    given_, before = read(new), {c.type: c for c in read(old)}
    right = right_list(given_, before, NAMES, upkeep)
    sent = encode(operations(given_, right))
    assert all(op["op"] in ("add", "replace", "remove") for op in json.loads(sent))
    readable = "1e999" not in new + old
    assert leads_to(sent, msgspec.Raw(new.encode()), right) or not readable
    wanted = "[" + ",".join(bytes(c.raw).decode() for c in right) + "]"
    if readable:
        document = jsonpatch.JsonPatch(json.loads(sent)).apply(
            {"status": {"conditions": json.loads(new)}}
        )
        assert json.dumps(document["status"]["conditions"], sort_keys=True) == json.dumps(
            json.loads(wanted), sort_keys=True
        )
    again = read(wanted)
    assert operations(again, right_list(again, before, NAMES, upkeep)) == []
    outside = [c for c in given_ if NAMES.bare_of(c.type) is None]
    assert [c for c in right if NAMES.bare_of(c.type) is None] == outside


@pytest.mark.parametrize(
    "steps",
    [
        [{"op": "add", "path": "/status/conditions/9", "value": {"type": "B"}}],
        [{"op": "remove", "path": "/status/conditions/1"}],
        [{"op": "replace", "path": "/status/conditions/0/nothing", "value": 1}],
        [{"op": "replace", "path": "/status/conditions/0/type", "value": "B"}],
        [{"op": "add", "path": "/other/conditions/0", "value": {"type": "B"}}],
        [{"op": "test", "path": "/status/conditions/0/type", "value": "B"}],
        [{"op": "nonsense", "path": "/status"}],
        [{}],
    ],
)  # fmt: skip
def test_a_patch_that_does_not_lead_there_is_found_out(steps: Any):
    right = read('[{"type":"A"}]')
    assert not leads_to(json.dumps(steps).encode(), msgspec.Raw(b'[{"type":"A"}]'), right)


def test_true_is_not_one_when_a_patch_is_tried():
    right = read('[{"type":"A","x":1}]')
    assert not leads_to(b"[]", msgspec.Raw(b'[{"type":"A","x":true}]'), right)


def test_what_no_reader_can_hold_is_a_doubt():
    text = b'[{"type":"A","x":1e999}]'
    assert not leads_to(b"[]", msgspec.Raw(text), read(text.decode()))


def test_a_field_is_named_as_a_step_of_a_pointer():
    given = read(
        json.dumps([entry("Ready", **{"x/y": "v" * 99, "a~b": "w" * 99, "message": "m" * 99})])
    )
    raw = {**json.loads(bytes(given[0].raw)), "x/y": 1, "a~b": 2}
    right = [Condition.of(msgspec.Raw(json.dumps(raw).encode()), 0)]
    steps = json.loads(encode(operations(given, right)))
    assert [(step["op"], step["path"].rpartition("/")[2], step["value"]) for step in steps] == [
        ("replace", "x~1y", 1),
        ("replace", "a~0b", 2),
    ]
    assert leads_to(
        encode(operations(given, right)), msgspec.Raw(b"[" + bytes(given[0].raw) + b"]"), right
    )
