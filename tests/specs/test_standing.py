"""Where packages stand: by the status before the write, and by the Nodes that are known."""

from __future__ import annotations

import json
from typing import Any

from webhook.core.evidence import GivenNodes
from webhook.core.view import View
from webhook.lifecycle.run import Run
from webhook.specs.standing import Standing, nodes_with, on_nodes

NOTE = "skyhook.nvidia.com/nodeState_"


def state(**words: Any) -> dict[str, Any]:
    return {"tuning|1.0": words, "other|2": {"stage": "apply", "state": "complete"}, "odd": {}}


def node(name: str, skyhook: str = "gpu") -> tuple[View, ...]:
    text = json.dumps(state(stage="config", state="erroring"))
    return (View.of({"metadata": {"name": name, "annotations": {NOTE + skyhook: text}}}),)


def test_status_and_nodes_are_both_read() -> None:
    nodes = {"b": node("b"), "c": node("c", "else")}
    root = View.of({"metadata": {"name": "gpu"}, "status": {"nodeState": {"a": state(stage=5)}}})
    expected = [
        Standing("a", "tuning", "1.0", "", ""),
        Standing("b", "tuning", "1.0", "config", "erroring"),
    ]
    assert list(nodes_with(Run(root, root, evidence=GivenNodes(nodes)), NOTE, "tuning")) == expected
    every = list(nodes_with(Run(root, root), NOTE))
    assert [one.package for one in every] == ["tuning", "other"]


def test_a_new_object_is_known_by_its_own_name() -> None:
    run = Run(None, View.of({"metadata": {"name": "gpu"}}), evidence=GivenNodes({"b": node("b")}))
    assert [one.node for one in nodes_with(run, NOTE, "tuning")] == ["b"]
    assert list(nodes_with(Run(None, None), NOTE)) == []


def test_nodes_are_counted_and_a_few_named() -> None:
    assert on_nodes(["b"]) == "1 Node (b)"
    assert on_nodes(["b", "a", "b"]) == "2 Nodes (a, b)"
    assert on_nodes(list("dcba")) == "4 Nodes (a, b, c and 1 more)"
