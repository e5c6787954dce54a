"""What `explain` tells of a profile, a value and a word that is no value."""

from __future__ import annotations

import pytest

from webhook.catalog import MORE_PROFILES, PROFILES, shipped
from webhook.drawing.graph import START, graphs
from webhook.drawing.telling import graph_text, profile_text, value_text

NOT_VALUES = (
    "apply-check", "config-check", "post-interrupt-check", "upgrade-check", "uninstall-check",
    "cordon", "wait", "drain",
)  # fmt: skip


def told(value: str, profile: str = "skyhook") -> str:
    return "\n".join(value_text(shipped(profile), value))


def row(text: str, target: str) -> list[str]:
    (line,) = [x for x in text.splitlines() if x.split()[:1] == [target] and "yes" in x]
    return line.split()[1:4]


@pytest.mark.parametrize("name", [*PROFILES, *MORE_PROFILES])
def test_a_profile_is_told_whole(name: str) -> None:
    profile = shipped(name)
    text = "\n".join(profile_text(profile))
    for guard in profile.guards:
        for rule in guard.rules():
            assert f"{name}.{rule.id}" in text
    for graph in graphs(profile):
        assert graph.title in text
        assert "\n".join(graph_text(profile, graph)) in text
    assert "{" not in text


def test_a_value_is_told_at_every_level_the_truth_first_with_who_may_do_what() -> None:
    text = told("config/complete")
    node, copy, derived = text.split("\n\n")
    assert node.startswith("config/complete: stage and state at Node metadata.annotations[")
    assert row(node, "interrupt/in_progress") == ["yes", "yes", "yes"]
    assert row(node, "apply/in_progress") == ["yes", "yes", "warned"]
    assert row(node, "post-interrupt/in_progress") == ["denied", "yes", "warned"]
    assert "never, by anybody: uninstall/complete" in node
    assert copy.startswith("config/complete: stage and state at Skyhook status.nodeState[*][*]")
    assert "people, nodes: none of these; only the operator writes this" in copy
    assert "other accounts: any of these, told at most once an hour" in copy
    assert derived.startswith("skyhook.node-complete: a node is complete when")


def test_a_status_is_told_at_its_levels() -> None:
    text = told("complete")
    for place in ("Node metadata.annotations", "Node metadata.labels", "Skyhook status.nodeStatus[*]",
                  "Skyhook status.status", "status.conditions[skyhook.nvidia.com/Transition].reason"):  # fmt: skip
        assert place in text
    assert "may become any other: blocked, waiting" in text


def test_what_a_package_begins_with() -> None:
    assert row(told(START).split("\n\n")[0], "apply/in_progress") == ["yes", "yes", "yes"]


@pytest.mark.parametrize("word", NOT_VALUES)
def test_a_word_of_the_status_document_that_is_no_value_is_told_once_as_what_it_is(
    word: str,
) -> None:
    lines = value_text(shipped("skyhook"), word)
    assert lines[0].startswith(f"{word}: ")
    assert lines[0].endswith("of the API")
    assert sum(word in line for line in lines) == 1
    assert [line.split(":")[0] for line in lines[1:3]] == ["  each stage", "  each state"]
    assert len([line for line in lines if line.startswith("  at ")]) == 2


def test_a_word_that_nobody_knows_is_told_nothing() -> None:
    assert value_text(shipped("skyhook"), "zzz") == []


def test_where_nothing_was_recorded_nobody_is_denied_for_a_step() -> None:
    text = told("config/complete", "nodewright")
    assert row(text.split("\n\n")[0], "post-interrupt/in_progress") == ["warned", "yes", "warned"]
    assert "by nobody as far as is known (warned): uninstall/complete" in text
    assert "people, nodes: any of these, with a warning" in text
    assert "denied" not in text
