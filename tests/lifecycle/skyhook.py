"""Writes on Skyhooks and Nodes for the tests of the shipped profile, and its verdict on them."""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.lifecycle.small import look
from webhook.catalog import Catalog, shipped
from webhook.core.writer import Writer
from webhook.lifecycle.run import Run

PREFIX = "skyhook.nvidia.com"
STATE = f"{PREFIX}/nodeState_gpu"
STATUS = f"{PREFIX}/status_gpu"
CORDON = f"{PREFIX}/cordon_gpu"
GUARDS = Catalog.of([shipped("skyhook")]).guards


def entry(pair: str, key: str = "foo|1.0", **extra: Any) -> dict[str, Any]:
    """A package entry at ``stage/state``, filed under ``key``."""
    (name, _, version), (stage, _, state) = key.partition("|"), pair.partition("/")
    whole = {"name": name, "version": version, "image": "reg/foo", "stage": stage, "state": state}
    return {**whole, **extra}


def packages(**pairs: str) -> dict[str, Any]:
    """``foo_1_0="apply/complete"`` -> ``{"foo|1.0": {...}}``."""
    found = {}
    for name, pair in pairs.items():
        package, _, version = name.partition("_")
        key = f"{package}|{version.replace('_', '.')}"
        found[key] = entry(pair, key)
    return found


def node(
    state: Any = None, labels: Any = None, conditions: Any = None, **annotations: Any
) -> dict[str, Any]:
    """A Node; ``state`` is the nodeState map or a text, ``status`` and ``cordon`` are annotations."""
    keys = {"status": STATUS, "cordon": CORDON}
    kept = {keys.get(k, k): v for k, v in annotations.items() if v is not None}
    if state is not None:
        kept[STATE] = state if isinstance(state, str) else json.dumps(state)
    metadata: dict[str, Any] = {"name": "n1", "annotations": kept}
    if labels is not None:
        metadata["labels"] = labels
    status = {} if conditions is None else {"conditions": conditions}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}


def ready(
    status: str = "False",
    reason: str = "Progressing",
    generation: int = 5,
    kind: str = "Ready",
    **extra: Any,
) -> dict[str, Any]:
    return {
        "type": kind, "status": status, "reason": reason, "message": "m",
        "lastTransitionTime": "2026-05-01T10:00:00Z", "observedGeneration": generation, **extra,
    }  # fmt: skip


def skyhook(
    *, generation: int = 5, spec: Any = None, meta: Any = None, **status: Any
) -> dict[str, Any]:
    """A Skyhook ``gpu``; fields of status that are None are left out."""
    return {
        "apiVersion": f"{PREFIX}/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": "gpu", "generation": generation, **(meta or {})},
        "spec": {"packages": {"foo": {"name": "foo", "version": "1.0", "image": "reg/foo"}}}
        if spec is None
        else spec,
        "status": {k: copy.deepcopy(v) for k, v in status.items() if v is not None},
    }


def judged(old: Any, new: Any, writer: Writer = Writer.OPERATOR, **run: Any):
    """Findings of the shipped skyhook profile on a write."""
    kind = (new or old)["kind"]
    group = "" if kind == "Node" else PREFIX
    (only,) = GUARDS[group, kind]
    return only.plan.judge(Run(look(old), look(new), writer, **run))


def rules(findings) -> list[str]:
    """``severity rule`` of each, without the profile's name."""
    return [f"{f.severity.value} {f.rule.removeprefix('skyhook.')}" for f in findings]
