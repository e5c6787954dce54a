"""A manifest laid over a live object, as `kubectl apply` does it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webhook.cli import main
from webhook.cli.cluster import LAST_APPLIED, applied


def live(before: Any = None, **more: Any) -> dict[str, Any]:
    annotations = {
        "kept": "1",
        **({LAST_APPLIED: json.dumps(before)} if before is not None else {}),
    }
    metadata = {
        "name": "x",
        "uid": "u",
        "generation": 3,
        "resourceVersion": "9",
        "annotations": annotations,
    }
    return {
        "apiVersion": "v",
        "kind": "K",
        "metadata": metadata,
        "spec": {"a": 1, "b": {"c": 1}},
        "status": {"s": 1},
        **more,
    }


def manifest(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v",
        "kind": "K",
        "metadata": {"name": "x", "creationTimestamp": None},
        "spec": spec,
    }


def test_maps_are_merged_lists_replaced_and_the_servers_own_stays() -> None:
    old = live(spec={"a": 1, "b": {"c": 1}, "l": [1, 2]})
    new = applied(old, manifest(b={"d": 2}, l=[3]))
    assert new["spec"] == {"a": 1, "b": {"c": 1, "d": 2}, "l": [3]}
    assert new["metadata"] == {**old["metadata"], "generation": 4}
    assert new["status"] == {"s": 1}
    assert old["spec"]["l"] == [1, 2]


def test_what_was_applied_before_and_is_no_longer_named_goes() -> None:
    before = {
        "metadata": {"labels": {"gone": "1"}, "creationTimestamp": None},
        "spec": {"a": 1, "b": {"c": 1}},
        "status": {},
    }
    old = live(before)
    old["metadata"]["labels"] = {"gone": "1", "other": "2"}
    new = applied(old, {**manifest(b={"d": 2}), "metadata": {"name": "x", "labels": {}}})
    assert new["spec"] == {"b": {"d": 2}}
    assert new["metadata"]["labels"] == {"other": "2"}
    assert new["metadata"]["annotations"]["kept"] == "1"
    assert new["status"] == {"s": 1}


def test_nothing_changed_counts_nothing_up() -> None:
    assert applied(live(), manifest(a=1)) == live()
    assert applied(live("no object"), manifest(a=1))["spec"] == live()["spec"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--cluster", "--old", "x", "y"), "leave --old and --git away"),
        (("--cluster", "--git", "HEAD"), "leave --old and --git away"),
        (("--context", "c", "y"), "go with --cluster"),
        (("--cluster",), "give at least one PATH"),
    ],
)
def test_flags_that_make_no_sense_together(
    arguments: tuple[str, ...], said: str, capsys: Any
) -> None:
    assert main(["validate", *arguments]) == 2
    assert said in capsys.readouterr().err
