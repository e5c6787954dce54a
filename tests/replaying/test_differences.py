"""What a write changed, as a person reads it."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from webhook.replaying.differences import LONGEST, differences


def found(old: Any, new: Any, most: int = 60) -> list[tuple[str, str | None, str | None]]:
    raws = (msgspec.Raw(msgspec.json.encode(value)) for value in (old, new))
    return [(d.field, d.old, d.new) for d in differences(*raws, most)]


def test_values_maps_and_conditions_are_compared_one_by_one() -> None:
    old = {
        "spec": {"a": 1, "b": [1], "gone": {"x": 1}},
        "status": {"conditions": [{"type": "A", "status": "True"}]},
    }
    new = {
        "spec": {"a": 2, "b": [1, 2]},
        "status": {"conditions": [{"type": "A", "status": "False"}, {"type": "B"}]},
    }
    assert found(old, new) == [
        ("spec.a", "1", "2"),
        ("spec.b", "[1]", "[1,2]"),
        ("spec.gone.x", "1", None),
        ("status.conditions[A].status", '"True"', '"False"'),
        ("status.conditions[B].type", None, '"B"'),
    ]


def test_json_in_an_annotation_is_opened() -> None:
    key = "skyhook.nvidia.com/nodeState_demo"

    def node(stage: str) -> Any:
        entries = {"p|1": {"name": "p", "stage": stage}}
        return {
            "metadata": {
                "annotations": {key: json.dumps(entries), "x": "{broken"},
                "resourceVersion": stage,
            }
        }

    assert found(node("apply"), node("config")) == [
        (f"metadata.annotations[{key}][p|1].stage", '"apply"', '"config"')
    ]
    assert found(
        node("apply"), {"metadata": {"annotations": {key: "{broken", "x": "{broken"}}}
    ) == [
        (
            f"metadata.annotations[{key}]",
            json.dumps(json.dumps({"p|1": {"name": "p", "stage": "apply"}})),
            '"{broken"',
        )
    ]


def test_creation_deletion_and_other_shapes() -> None:
    assert found(None, {"a": 1}) == [("a", None, "1")]
    assert found({"a": 1}, None) == [("a", "1", None)]
    assert found({"a": {"b": 1}}, {"a": [1]}) == [("a", '{"b":1}', "[1]")]
    assert found({"a": {}}, {"a": None}) == [("a", "{}", None)]
    assert found({"a": 1.0}, {"a": 1}) == []
    assert found(3, 4) == [("(object)", "3", "4")]


def test_many_and_long_changes_are_cut() -> None:
    rows = found({}, {str(n): n for n in range(100)}, most=10)
    assert len(rows) == 10
    assert rows[-1] == ("…", None, "more than 9 values changed")
    (row,) = found({}, {"a": "x" * 10_000})
    assert len(row[2] or "") == LONGEST
