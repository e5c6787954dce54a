"""What the profile language means where the profiles of ours rest on it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from webhook.catalog import Catalog
from webhook.lifecycle.load import build_profile
from webhook.reviews.examples import ExampleError, read_examples, run_examples
from webhook.reviews.overlay import overlaid


def judge(document: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Severity, rule, field and message of each finding about a write."""
    match = {"group": "example.com", "kind": "Widget", "versions": ["v1"]}
    profile = build_profile({"profile": "w", "match": match, **document}, "w.yaml", lambda _: {})
    examples = read_examples({"base": old, "deny": [{"id": "x", "new": new}]})
    [outcome] = run_examples(examples, profile.guards[0].match, Catalog.of([profile]))
    return [f"{f.severity} {f.rule} {f.field}: {f.message}" for f in outcome.findings]


STEP = {
    "tracks": [
        {
            "id": "stage",
            "path": "status.node.*.stage",
            "values": ["apply", "config"],
            "edges": {"apply": ["config"]},
            "gate": {"path": "status.node.*.state", "in": ["complete"]},
        },
        {
            "id": "state",
            "path": "status.node.*.state",
            "within": "status.node.*.stage",
            "values": ["in_progress", "complete"],
            "entry": ["in_progress"],
            "edges": {"in_progress": ["complete"]},
            "removal": "warn",
        },
    ]
}


def node(stage: str | None, state: str | None) -> dict[str, Any]:
    entry = {"stage": stage, "state": state}
    return {"status": {"node": {"a": {k: v for k, v in entry.items() if v is not None}}}}


def test_a_sibling_that_changes_begins_a_new_run() -> None:
    assert judge(STEP, node("apply", "complete"), node("config", "in_progress")) == []


def test_a_new_run_is_judged_by_its_entry_even_where_the_value_stays() -> None:
    [found] = judge(STEP, node("apply", "complete"), node("config", "complete"))
    assert found.startswith("deny w.state.entry status.node[a].state: cannot start at complete")


def test_within_one_run_edges_hold() -> None:
    [found] = judge(STEP, node("apply", "complete"), node("apply", "in_progress"))
    assert found.startswith("deny w.state.edge")


def test_a_gate_asks_the_old_sibling() -> None:
    found = judge(STEP, node("apply", "in_progress"), node("config", "in_progress"))
    assert [f.split(":")[0] for f in found] == ["deny w.stage.gate status.node[a].stage"]


def test_a_removed_value_is_named_even_when_the_run_ends() -> None:
    [found] = judge(STEP, node("apply", "complete"), node("config", None))
    assert (
        found
        == 'warn w.state.removal status.node[a].state: "complete" -> absent: a state, once set, stays set'
    )


def test_odd_edges_are_not_suggested() -> None:
    track = {
        "id": "phase",
        "path": "status.phase",
        "values": ["A", "B", "C"],
        "edges": {"A": ["B"]},
        "skips": {"A": ["C"]},
    }
    document = {"tracks": [track]}
    was = {"status": {"phase": "A"}}
    assert judge(document, was, {"status": {"phase": "B"}}) == []
    [odd] = judge(document, was, {"status": {"phase": "C"}})
    assert odd == "warn w.phase.skip status.phase: A -> C is unusual; usual from A: B"


def test_a_profile_judges_only_the_versions_it_names() -> None:
    document = {
        "requires": [{"id": "never", "severity": "deny", "when": [{"path": "a", "present": True}]}]
    }
    match = {"group": "example.com", "kind": "Widget", "versions": ["v2", "v1"]}
    profile = build_profile({"profile": "w", "match": match, **document}, "w.yaml", lambda _: {})
    [example] = read_examples({"deny": [{"id": "x", "new": {"a": 1}}]})
    for version, met in (("v1", True), ("v2", True), ("v3", False)):
        given = replace(profile.guards[0].match, versions=[version])
        [outcome] = run_examples([example], given, Catalog.of([profile]))
        assert outcome.met is met


@pytest.mark.parametrize(
    ("over", "whole"),
    [
        ({"a.b": 1}, {"a": {"b": 1}, "c": 2}),
        ({"a": None}, {"c": 2}),
        ({'a."x.io/y"': 1}, {"a": {"x.io/y": 1}, "c": 2}),
        ({"c.d": 3}, {"c": {"d": 3}}),
    ],
)
def test_overlays(over: dict[str, Any], whole: dict[str, Any]) -> None:
    assert overlaid({"c": 2}, over) == whole


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"denies": []}, "'denies' is no part of examples"),
        ({"deny": ["x"]}, r"deny\[0\]: an example is a map"),
        ({"odd": [{"id": "x", "neu": {}}]}, r"odd\[0\]: 'neu' is no part of an example"),
        ({"odd": [{"id": "x", "new": {"a.*": 1}}]}, r"odd\[0\]: .* keys only"),
        ({"odd": [{"id": "x", "expect": "maybe"}]}, r"odd\[0\]: 'maybe' is not a valid"),
    ],
)
def test_examples_that_cannot_be_read(document: dict[str, Any], reason: str) -> None:
    with pytest.raises(ExampleError, match=reason):
        read_examples(document)
