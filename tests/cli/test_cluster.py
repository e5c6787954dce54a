"""A manifest laid over a live object, as `kubectl apply` does it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.specs.write import judge
from webhook.catalog import Catalog
from webhook.certs.cluster import ClusterError
from webhook.cli import main
from webhook.cli.cluster import LAST_APPLIED, ClusterNodes, Live, applied
from webhook.reviews.engine import Engine

if TYPE_CHECKING:
    from webhook.doctor.fetching import DoctorCluster


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


class _Cluster:
    """A cluster that answers from a table, and counts."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def get(self, path: str) -> list[dict[str, Any]]:
        self.asked.append(path)
        found = self.answers[path]
        if isinstance(found, Exception):
            raise found
        return list(found)


def nodes_of(answer: Any) -> tuple[ClusterNodes, _Cluster, asyncio.Runner]:
    cluster, runner = _Cluster({"/api/v1/nodes": answer}), asyncio.Runner()
    evidence = ClusterNodes()
    evidence.live.append(Live(Catalog.default(), runner, cast("DoctorCluster", cluster)))
    return evidence, cluster, runner


def test_nodes_of_the_cluster_are_read_once_and_when_somebody_asks() -> None:
    node = {"metadata": {"name": "node-a", "labels": {"pool": "gpu"}}}
    evidence, cluster, runner = nodes_of([node])
    with runner:
        assert cluster.asked == []
        engine = replace(Engine.default(), evidence=evidence)
        for pool, said in (("gpu", 0), ("gpus", 1), ("cpu", 1)):
            new = {"spec": {"nodeSelectors": {"matchLabels": {"pool": pool}}}}
            assert len(judge(engine, new).warned) == said
        assert cluster.asked == ["/api/v1/nodes"]
        assert not evidence.knows("node-a")


def test_without_leave_to_read_nodes_nothing_is_said_of_selectors() -> None:
    evidence, _, runner = nodes_of(ClusterError(403, "nodes is forbidden"))
    with runner:
        assert evidence.every() is None
    assert ClusterNodes().every() is None
