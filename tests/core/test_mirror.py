"""Which twin follows which, by what a write moved: one case for each line of the rules."""

from __future__ import annotations

import json

import msgspec
import pytest

from webhook.core.conditions import Condition, MirrorNames, read_conditions
from webhook.core.mirror import Upkeep, right_list

P = "skyhook.nvidia.com"
NAMES = MirrorNames((P,), ("*", "!Transition"), frozenset({"Ready", "ApplyPackage"}))
OPEN = Upkeep(make=True)
OPEN_015 = Upkeep(make=True, removal_follows=True)
CLOSED = Upkeep(make=False)
CLOSED_015 = Upkeep(make=False, removal_follows=True)
STRIP = Upkeep(make=False, strip=True)
STRIP_015 = Upkeep(make=False, strip=True, removal_follows=True)


def condition(
    kind: str, status: str = "True", message: str = "m", since: str = "t0", **more
) -> dict:
    return {
        "lastTransitionTime": since,
        "message": message,
        "reason": "R",
        "status": status,
        "type": kind,
        **more,
    }


READY = condition("Ready")
MIRROR = condition(f"{P}/Ready")
READY_2 = condition("Ready", "False", "n", "t1")
MIRROR_2 = condition(f"{P}/Ready", "False", "n", "t1")
MIRROR_3 = condition(f"{P}/Ready", "False", "o", "t2")
BLOCKED = condition("Blocked")
BLOCKED_MIRROR = condition(f"{P}/Blocked")
BLOCKED_2 = condition("Blocked", "False", "n", "t1")
BLOCKED_MIRROR_2 = condition(f"{P}/Blocked", "False", "n", "t1")
TRANSITION = condition(f"{P}/Transition")


def read(conditions: list[dict]) -> list[Condition]:
    found = read_conditions(msgspec.Raw(json.dumps(conditions).encode()))
    assert found is not None
    return found


def after(new: list[dict], old: list[dict] | None, upkeep: Upkeep, names: MirrorNames = NAMES):
    before = None if old is None else {c.type: c for c in read(old)}
    right = right_list(read(new), before, names, upkeep)
    once = [json.loads(bytes(c.raw)) for c in right]
    again = right_list(read(once), before, names, upkeep)
    assert [json.loads(bytes(c.raw)) for c in again] == once, "sent again, it changes again"
    return once


WRITES = {
    # what is told apart: (old, new, upkeep) -> right
    "an added bare type is mirrored right behind it": (
        [], [READY, TRANSITION], OPEN, [READY, MIRROR, TRANSITION]),
    "a changed bare type takes its mirror along": (
        [READY, MIRROR], [READY_2, MIRROR], OPEN, [READY_2, MIRROR_2]),
    "a bare type that is removed takes a mirror of ours along": (
        [BLOCKED, BLOCKED_MIRROR], [BLOCKED_MIRROR], OPEN, []),
    "a mirror that merely vanished is made again as it was": (
        [READY, MIRROR_2 | {"status": "True", "message": "m"}], [READY], OPEN,
        [READY, MIRROR_2 | {"status": "True", "message": "m"}]),
    "a vanished mirror of ours as well": (
        [BLOCKED, BLOCKED_MIRROR], [BLOCKED], OPEN, [BLOCKED, BLOCKED_MIRROR]),
    "a missing mirror is made though nothing moved": (
        [READY], [READY], OPEN, [READY, MIRROR]),
    "a pair that differs is left alone while nothing moves": (
        [READY, MIRROR_2], [READY, MIRROR_2], OPEN, [READY, MIRROR_2]),
    "both moved: the bare one is right": (
        [READY, MIRROR], [READY_2, MIRROR_3], OPEN, [READY_2, MIRROR_3 | {"message": "n", "lastTransitionTime": "t2"}]),
    "only the prefixed one moved and upstream writes it: the bare one follows": (
        [READY, MIRROR], [READY, MIRROR_2], OPEN, [READY_2, MIRROR_2]),
    "the prefixed one appears beside a frozen bare one: the bare one follows": (
        [READY], [READY, MIRROR_2], OPEN, [READY_2, MIRROR_2]),
    "only a mirror of ours moved: it is put right": (
        [BLOCKED, BLOCKED_MIRROR], [BLOCKED, BLOCKED_MIRROR_2], OPEN, [BLOCKED, BLOCKED_MIRROR]),
    "an operator that writes prefixed types only gets the bare one right before": (
        [], [TRANSITION, MIRROR], OPEN, [TRANSITION, READY, MIRROR]),
    "a stale array of an older operator drops the bare one: made again": (
        [READY, MIRROR], [MIRROR], OPEN, [READY, MIRROR]),
    "the same, and the prefixed one moved": (
        [READY, MIRROR], [MIRROR_2], OPEN, [READY_2, MIRROR_2]),
    "0.16 removes both": ([READY, MIRROR], [], OPEN, []),
    "a prefixed type that upstream does not write is no source": (
        [], [BLOCKED_MIRROR], OPEN, [BLOCKED_MIRROR]),
    "Transition passes": ([], [TRANSITION], OPEN, [TRANSITION]),
    "a type with a slash is never prefixed": (
        [], [condition("a.example/Ready")], OPEN, [condition("a.example/Ready")]),
    "0.15 removes the prefixed one: the bare one goes along": (
        [READY, MIRROR, BLOCKED], [READY, BLOCKED], OPEN_015, [BLOCKED, BLOCKED_MIRROR]),
    "0.15, bare alone before and after: a mirror is made": (
        [READY], [READY], OPEN_015, [READY, MIRROR]),
    "0.15, the removal of a mirror of ours is no removal": (
        [BLOCKED, BLOCKED_MIRROR], [BLOCKED], OPEN_015, [BLOCKED, BLOCKED_MIRROR]),
    "closed: no mirror is made": ([], [READY, BLOCKED], CLOSED, [READY, BLOCKED]),
    "closed: a mirror that vanished stays away": ([READY, MIRROR], [READY], CLOSED, [READY]),
    "closed: a mirror that stands stays in step": (
        [READY, MIRROR], [READY_2, MIRROR], CLOSED, [READY_2, MIRROR_2]),
    "closed: removal is followed": (
        [BLOCKED, BLOCKED_MIRROR], [BLOCKED_MIRROR], CLOSED, []),
    "closed: the bare twin for an older operator is made as before": (
        [], [MIRROR], CLOSED, [READY, MIRROR]),
    "closed: a rolled back operator moves the prefixed one, the bare one follows": (
        [READY, MIRROR], [READY, MIRROR_2], CLOSED, [READY_2, MIRROR_2]),
    "closed, 0.15: removal of the prefixed one": (
        [READY, MIRROR], [READY], CLOSED_015, []),
    "strip: a mirror with a bare twin goes": (
        [READY, MIRROR, TRANSITION], [READY, MIRROR, TRANSITION], STRIP, [READY, TRANSITION]),
    "strip: the first write of both names": ([], [READY, MIRROR], STRIP, [READY]),
    "strip: an orphan of a type that is not upstream's stays": (
        [], [BLOCKED_MIRROR], STRIP, [BLOCKED_MIRROR]),
    "strip: who puts a stripped mirror back is not fought": (
        [READY], [READY_2, MIRROR_2], STRIP, [READY_2, MIRROR_2]),
    "strip: 0.15 keeps the only name it knows": (
        [READY, MIRROR], [READY, MIRROR_2], STRIP_015, [READY_2, MIRROR_2]),
    "strip, 0.15: a mirror of ours goes all the same": (
        [BLOCKED, BLOCKED_MIRROR], [BLOCKED, BLOCKED_MIRROR], STRIP_015, [BLOCKED]),
}  # fmt: skip


@pytest.mark.parametrize("case", WRITES)
def test_a_write(case: str):
    old, new, upkeep, right = WRITES[case]
    assert after(new, old, upkeep) == right


READS = {
    "open: each bare type gets its mirror": (
        [READY, TRANSITION, BLOCKED], OPEN, [READY, MIRROR, TRANSITION, BLOCKED, BLOCKED_MIRROR]),
    "open: the bare one is right": ([MIRROR, READY_2], OPEN, [MIRROR_2, READY_2]),
    "open: an orphan passes, upstream's too": ([MIRROR, BLOCKED_MIRROR], OPEN, [MIRROR, BLOCKED_MIRROR]),
    "closed, to v1beta1: a mirror whose twin is there is dropped": (
        [READY, MIRROR_2, TRANSITION, BLOCKED_MIRROR], STRIP, [READY, TRANSITION, BLOCKED_MIRROR]),
}  # fmt: skip


@pytest.mark.parametrize("case", READS)
def test_a_read(case: str):
    given, upkeep, right = READS[case]
    assert after(given, None, upkeep) == right


def test_a_mirror_keeps_its_own_transition_time_while_its_status_stays():
    old = [READY, condition(f"{P}/Ready", since="t9")]
    new = [condition("Ready", message="n"), condition(f"{P}/Ready", since="t9")]
    assert after(new, old, OPEN)[1] == condition(f"{P}/Ready", message="n", since="t9")


def test_a_mirror_that_comes_back_in_the_same_write_keeps_its_time_too():
    old = [READY, condition(f"{P}/Ready", since="t9")]
    assert after([condition("Ready", message="n")], old, OPEN)[1]["lastTransitionTime"] == "t9"


def test_the_time_that_stood_before_the_write_counts_more_than_a_stale_one():
    old = [READY, condition(f"{P}/Ready", since="t9")]
    new = [condition("Ready", message="n"), condition(f"{P}/Ready", message="o", since="t1")]
    assert after(new, old, OPEN)[1] == condition(f"{P}/Ready", message="n", since="t9")


def test_a_status_that_flips_brings_its_time():
    assert after([READY_2, MIRROR], [READY, MIRROR], OPEN)[1]["lastTransitionTime"] == "t1"


def test_observed_generation_follows_in_both_directions():
    old = [condition("Ready", observedGeneration=1), condition(f"{P}/Ready", observedGeneration=1)]
    new = [
        condition("Ready", observedGeneration=2**60),
        condition(f"{P}/Ready", observedGeneration=1),
    ]
    assert after(new, old, OPEN)[1]["observedGeneration"] == 2**60
    assert "observedGeneration" not in after([READY, old[1]], old, OPEN)[1]


def test_what_else_is_in_an_entry_stays():
    new = [condition("Ready", message="n", extra=[1]), condition(f"{P}/Ready", mine={})]
    right = after(new, [READY, MIRROR], OPEN)
    assert right[1] == condition(f"{P}/Ready", message="n", mine={})
    assert after(new[:1], [], OPEN)[1] == condition(f"{P}/Ready", message="n", extra=[1])


def test_partial_entries_of_server_side_apply_are_mirrored_as_they_are():
    assert after([{"type": "Ready"}], None, OPEN) == [{"type": "Ready"}, {"type": f"{P}/Ready"}]


def test_a_mirror_longer_than_a_type_may_be_is_not_made():
    fits, over = "A" * (316 - len(P) - 1), "B" * (316 - len(P))
    made = [c["type"] for c in after([condition(fits), condition(over)], [], OPEN)]
    assert made == [fits, f"{P}/{fits}", over]


def test_a_list_that_is_right_comes_back_itself():
    given = read([READY, MIRROR, TRANSITION])
    assert right_list(given, None, NAMES, OPEN) is given


def test_only_named_types_are_mirrored():
    names = MirrorNames((P,), ("Ready",), frozenset({"Ready"}))
    assert after([READY, BLOCKED], [], OPEN, names) == [READY, MIRROR, BLOCKED]
    assert after([READY, BLOCKED, BLOCKED_MIRROR], [], STRIP, names) == [
        READY,
        BLOCKED,
        BLOCKED_MIRROR,
    ]


def test_a_second_prefix_is_a_mirror_and_never_a_source():
    q = "nodewright.nvidia.com"
    names = MirrorNames((q, P), ("*",), frozenset({"Ready"}))
    first = condition(f"{q}/Ready")
    assert after([READY], [], OPEN, names) == [READY, first, MIRROR]
    assert after([first], [], OPEN, names) == [READY, first, MIRROR]
    assert after([MIRROR], [], OPEN, names) == [MIRROR]
    assert after([READY, first, MIRROR_2], [READY, first, MIRROR], OPEN, names) == [
        READY,
        first,
        MIRROR,
    ]
    assert after([first, MIRROR], [READY, first, MIRROR], OPEN, names) == [READY, first, MIRROR]
    assert after([BLOCKED_MIRROR], [BLOCKED, BLOCKED_MIRROR], OPEN, names) == []
