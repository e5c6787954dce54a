"""A rollout half way through, for live tests: Skyhook `gpu` with package tuning, Node `node-1` in stage config."""

from __future__ import annotations

import copy
import json
from typing import Any, Final

from tests.e2e.stage import PATHS

PREFIX: Final = "skyhook.nvidia.com"
SKYHOOK: Final = f"{PATHS['Skyhook']}/gpu"
NODE: Final = f"{PATHS['Node']}/node-1"
NODE_STATE: Final = f"{PREFIX}/nodeState_gpu"
NODE_STATUS: Final = f"{PREFIX}/status_gpu"
PACKAGE: Final = "tuning|1.2.3"
LONG_AGO: Final = "2026-01-01T00:00:00Z"


def entry(pair: str) -> dict[str, Any]:
    """A package entry at `stage/state`."""
    stage, _, state = pair.partition("/")
    named = {"name": "tuning", "version": "1.2.3", "image": "registry.example/tuning"}
    return {**named, "stage": stage, "state": state}


def node_state(pair: str) -> str:
    """The Node annotation with the one package at `stage/state`."""
    return json.dumps({PACKAGE: entry(pair)})


def ready(status: str, reason: str) -> list[dict[str, Any]]:
    """Ready and its prefixed twin."""
    said = {"status": status, "reason": reason, "message": "0/1 nodes complete"}
    both = ("Ready", f"{PREFIX}/Ready")
    return [{"type": t, **said, "lastTransitionTime": LONG_AGO} for t in both]


_SKYHOOK: Final[dict[str, Any]] = {
    "apiVersion": f"{PREFIX}/v1alpha1",
    "kind": "Skyhook",
    "metadata": {"name": "gpu", "finalizers": [f"{PREFIX}/skyhook"]},
    "spec": {
        "nodeSelectors": {"matchLabels": {"pool": "gpu"}},
        "packages": {"tuning": {"version": "1.2.3", "image": "registry.example/tuning"}},
    },
    "status": {
        "status": "in_progress",
        "nodeState": {"node-1": {PACKAGE: entry("config/in_progress")}},
        "nodeStatus": {"node-1": "in_progress"},
        "nodeBootIds": {"node-1": "5f0d6c1e-0000-4000-8000-000000000001"},
        "nodePriority": {"node-1": LONG_AGO},
        "completeNodes": "0/1",
        "nodesInProgress": 1,
        "packageList": "tuning:1.2.3",
        "conditions": ready("False", "Progressing"),
    },
}
_NODE: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "node-1",
        "labels": {"pool": "gpu", NODE_STATUS: "in_progress"},
        "annotations": {NODE_STATE: node_state("config/in_progress"), NODE_STATUS: "in_progress"},
    },
    "spec": {},
    "status": {},
}


def skyhook() -> dict[str, Any]:
    """The Skyhook, a copy to change."""
    return copy.deepcopy(_SKYHOOK)


def node() -> dict[str, Any]:
    """The Node, a copy to change."""
    return copy.deepcopy(_NODE)
