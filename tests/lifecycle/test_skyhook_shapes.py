"""Writes that are known by their shape: the CLI's resets, and mirrors that only followed."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import PREFIX, judged, look, ready, rules, skyhook
from webhook.checks.shapes import batch_reset, order_reset
from webhook.checks.twins import only_mirrored
from webhook.checks.versions import Version
from webhook.core.field import FieldPath
from webhook.core.writer import Writer
from webhook.lifecycle.path import Trail
from webhook.lifecycle.run import Run


def batches(**current):
    there = {
        n: {"batchState": {} if b is None else {"currentBatch": b}} for n, b in current.items()
    }
    return {"status": {"compartmentStatuses": there}}


def asked(predicate, old, new, *stars):
    return predicate(Run(look(old), look(new)), Trail(FieldPath(), stars))


@pytest.mark.parametrize(
    ("old", "new", "reset"),
    [
        (batches(a=5), batches(a=1), True),
        (batches(a=2), batches(a=1), True),
        (batches(a=2, b=1), batches(a=1, b=1), True),
        (batches(a=5, b=None), batches(a=1, b=1), True),
        (batches(a=1), batches(a=1), False),
        (batches(a=5), batches(a=2), False),
        (batches(a=5, b=3), batches(a=1, b=3), False),
        (batches(a=5), batches(b=1), False),
        (batches(a=5), batches(), False),
        (batches(), batches(a=1), False),
        (batches(a=5), {"status": {}}, False),
        (None, batches(a=1), False),
    ],
)
def test_a_reset_of_batches_puts_every_one_back_and_at_least_one_in_this_write(old, new, reset):
    assert asked(batch_reset, old, new) is reset


@pytest.mark.parametrize(
    ("status", "reset"),
    [
        ({"nodeOrderOffset": 0}, True),
        ({}, True),
        ({"nodeOrderOffset": 0, "nodePriority": {}}, True),
        ({"nodeOrderOffset": 1}, False),
        ({"nodeOrderOffset": 0, "nodePriority": {"n1": "2026-05-01T10:00:00Z"}}, False),
    ],
)
def test_a_reset_of_the_order_leaves_nothing_of_it(status, reset):
    assert asked(order_reset, {"status": {"nodeOrderOffset": 7}}, {"status": status}) is reset
    assert order_reset(Run(look({}), None), Trail()) is False


def conditions(**said):
    """``Ready="False/Waiting"``, ``legacy_Ready=...``: a list of conditions."""
    found = []
    for name, text in said.items():
        kind = f"{PREFIX}/{name.removeprefix('legacy_')}" if name.startswith("legacy_") else name
        status, _, reason = text.partition("/")
        found.append(ready(status, reason, kind=kind))
    return {"status": {"conditions": found}}


BOTH = conditions(Ready="False/Waiting", legacy_Ready="False/Waiting")
LEGACY = f"{PREFIX}/Ready"


@pytest.mark.parametrize(
    ("old", "new", "kind", "mirrored"),
    [
        (conditions(Ready="False/Waiting"), BOTH, LEGACY, True),
        (conditions(legacy_Ready="False/Waiting"), BOTH, "Ready", True),
        (conditions(Ready="False/Waiting", legacy_Ready="False/Paused"), BOTH, LEGACY, True),
        (BOTH, conditions(Ready="False/Waiting"), LEGACY, True),
        (BOTH, conditions(legacy_Ready="False/Waiting"), "Ready", False),
        (conditions(Ready="False/Waiting"), conditions(Ready="False/Waiting", legacy_Ready="True/Paused"), LEGACY, False),
        (conditions(Ready="True/Paused", legacy_Ready="True/Paused"), BOTH, LEGACY, False),
        (BOTH, conditions(), LEGACY, False),
        ({}, BOTH, LEGACY, False),
    ],
)  # fmt: skip
def test_a_mirror_that_follows_a_twin_which_stayed_is_nobodys_claim(old, new, kind, mirrored):
    assert asked(only_mirrored(PREFIX), old, new, kind) is mirrored


def test_so_a_person_may_write_beside_a_mirror_that_was_made_meanwhile():
    one = [ready("False", "Waiting")]
    two = [*one, ready("False", "Waiting", kind=LEGACY)]
    assert judged(skyhook(conditions=one), skyhook(conditions=two), Writer.PERSON) == []
    claim = [*one, ready("True", "Waiting", kind=LEGACY)]
    found = judged(skyhook(conditions=one), skyhook(conditions=claim), Writer.PERSON)
    assert rules(found) == ["deny operator-only"]


def test_versions_that_are_equal_are_one_in_a_set():
    assert len({Version.parse("1.0"), Version.parse("v1.0.0"), Version.parse("1.0.1")}) == 2
