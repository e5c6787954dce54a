"""A stale writer writes over what it did not see: a step is judged from what the Node lately held too (B.6)."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import STATE, entry, judged, look, node, packages
from webhook.core.evidence import GivenNodes
from webhook.core.writer import Writer

RULE = "skyhook.node-package-step"
PLACE = f"metadata.annotations[{STATE}][foo|1.0]"
FIVE = [
    ("absent", "interrupt/in_progress", "config/complete"),
    ("absent", "post-interrupt/in_progress", "interrupt/complete"),
    ("absent", "uninstall/in_progress", "config/complete"),
    ("uninstall-interrupt/in_progress", "uninstall/in_progress", "config/complete"),
    ("upgrade/complete", "upgrade/in_progress", "absent"),
]
"""(was, is, what it was a moment before): the five that a stale cache made, and that no table has."""
LOWER = packages(foo_0_9="config/complete")


def state(pair):
    found = dict(LOWER)
    if pair != "absent":
        found["foo|1.0"] = entry(pair)
    return found


def found(old, new, *former, writer=Writer.OPERATOR):
    held = [*former, old]
    evidence = GivenNodes({"n1": tuple(look(node(state(pair))) for pair in held)}, complete=False)
    got = judged(node(state(old)), node(state(new)), writer, evidence=evidence)
    return [
        (f.rule.removeprefix(RULE), f.severity.value, str(f.field))
        for f in got
        if f.rule.startswith(RULE)
    ]


@pytest.mark.parametrize(("old", "new", "former"), FIVE)
@pytest.mark.parametrize("writer", [Writer.OPERATOR, Writer.SERVICE_ACCOUNT, Writer.UNKNOWN])
def test_a_step_that_no_table_has_is_legal_from_what_was_there_a_moment_ago(
    old, new, former, writer
):
    assert found(old, new, former, writer=writer) == [(".lost-update", "audit", PLACE)]


@pytest.mark.parametrize(("old", "new", "former"), FIVE)
def test_without_that_it_is_denied(old, new, former):
    assert [severity for _, severity, _ in found(old, new)] == ["deny"]


@pytest.mark.parametrize("writer", Writer)
def test_an_older_value_may_come_back_as_it_was(writer):
    got = found("config/in_progress", "interrupt/skipped", "interrupt/skipped", writer=writer)
    assert got == [(".lost-update", "audit", PLACE)]


@pytest.mark.parametrize(("old", "new", "former"), FIVE)
def test_a_person_takes_no_step_from_what_is_no_more(old, new, former):
    assert [s for _, s, _ in found(old, new, former, writer=Writer.PERSON)] == ["deny"]


def test_what_is_no_word_never_comes_back():
    evidence = GivenNodes({"n1": (look(node(state("config/unknown"))), look(node(LOWER)))})
    got = judged(
        node(state("config/complete")),
        node(state("config/unknown")),
        Writer.OPERATOR,
        evidence=evidence,
    )
    assert "deny" in {f.severity.value for f in got}


def test_an_upgrade_still_needs_the_lower_version_beside_it():
    evidence = GivenNodes({"n1": tuple(look(node(s)) for s in ({}, state("upgrade/complete")))})
    old = {"foo|1.0": entry("upgrade/complete")}
    new = {"foo|1.0": entry("upgrade/in_progress")}
    got = judged(node(old), node(new), Writer.OPERATOR, evidence=evidence)
    assert f"{RULE}.needs" in {f.rule for f in got if f.severity.value == "deny"}


@pytest.mark.parametrize("former", ["{broken", "[]", "null", None])
def test_former_values_that_are_no_map_excuse_nothing(former):
    evidence = GivenNodes({"n1": (look(node(former)), look(node(LOWER)))})
    got = judged(
        node(LOWER), node(state("interrupt/in_progress")), Writer.OPERATOR, evidence=evidence
    )
    assert "deny" in {f.severity.value for f in got}
