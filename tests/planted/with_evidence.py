"""Kinds 1, 2, 13 and 39 of list L: writes that only sight of another object tells from true ones.

With the evidence given, a person is denied and the operator warned; without it nobody is.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from tests.corpus.differences import NODE_STATE
from tests.planted.node_edges import step, steps
from tests.planted.variant import Expect, Kind, Planted, Site
from tests.planted.view import (
    STATUS_KEY,
    Scope,
    View,
    at,
    condition,
    is_status,
    pair,
    some,
)
from tests.planted.words import GHOSTS, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

LIES: Final = {
    "in_progress": ("complete", "erroring"),
    "erroring": ("complete", "in_progress"),
    "complete": ("in_progress",),
}
"""Other states at the same stage that the copy alone cannot tell from true ones."""
BOOT_ID: Final = "5f0d6c1e-0000-4000-8000-00000000dead"


def node_object(view: View, node: str) -> dict[str, Any]:
    """A Node whose annotations say just what the recorded status says of it."""
    packages = view.field("nodeState").get(node)
    annotations = {}
    if packages is not None:
        annotations[NODE_STATE + view.name] = json.dumps(packages, sort_keys=True)
    word = view.field("nodeStatus").get(node)
    if word is not None:
        annotations[STATUS_KEY + view.name] = word
    labels = {STATUS_KEY + view.name: word} if word is not None else {}
    metadata = {"name": node, "labels": labels, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {}, "status": {}}


def settled(view: View) -> bool:
    """Whether the recorded write turns neither the Skyhook complete nor Ready converged.

    In those writes an untrue node or package contradicts the object itself (L3, L4, L30), and
    the operator would be denied, not warned.
    """
    old, new = condition(view.old_status, "Ready"), condition(view.status, "Ready")
    converged = new is not None and (new["status"], new["reason"]) == ("True", "NodesConverged")
    was = old is not None and old["status"] == "True"
    return not view.turns_complete() and (was or not converged)


def untrue_package(view: View, rng: Random) -> Iterator[Site]:
    """L1: a package in the copy is in a state that its Node's annotation never said."""
    for node, key in some(rng, view.entries, 2):
        true, old = pair(view.entry(node, key)), pair(view.old_entry(node, key))
        stage, _, state = true.partition("/")
        if true != old or stage.startswith("uninstall") or not settled(view):
            continue
        for lie in LIES.get(state, ()):
            yield Site(f"{true}-{lie}", _untrue_package(node, key, true, lie))


def _untrue_package(node: str, key: str, true: str, lie: str) -> Any:
    where = at("nodeState", node, key)

    def plant(view: View) -> Planted:
        evidence = {"nodes": {node: node_object(view, node)}}
        view.entry(node, key)["state"] = lie
        what = f"copy of {key} on {node} says {lie}, the Node {true}"
        return Planted(what, (where,), evidence=evidence)

    return plant


def untrue_node(view: View, rng: Random) -> Iterator[Site]:
    """L2: a nodeStatus that its Node's status annotation does not say."""
    old = view.field("nodeStatus", old=True)
    for node, true in some(rng, view.field("nodeStatus").items(), 2):
        if not is_status(true) or old.get(node) != true or not settled(view):
            continue
        if true != "complete":
            yield Site(f"{true}-complete", _untrue_node(node, true, "complete"))
        lie = rng.choice([word for word in STATUSES if word not in {true, "complete"}])
        yield Site(f"{true}-{lie}", _untrue_node(node, true, lie))


def _untrue_node(node: str, true: str, lie: str) -> Any:
    where = at("nodeStatus", node)

    def plant(view: View) -> Planted:
        evidence = {"nodes": {node: node_object(view, node)}}
        view.status["nodeStatus"][node] = lie
        touched = (where, at("nodePriority"), at("nodeOrderOffset"))
        if lie == "complete" and node in view.field("nodePriority"):
            del view.status["nodePriority"][node]
            view.status["nodeOrderOffset"] = view.status.get("nodeOrderOffset", 0) + 1
        return Planted(f"{node} said {lie}, the Node {true}", (where,), touched, evidence)

    return plant


def uninstall_not_asked(view: View, rng: Random) -> Iterator[Site]:
    """L13: uninstall/in_progress though the package has no uninstall block, CR not deleting."""
    for skyhook, key, old in steps(view, rng):
        name, _, version = key.partition("|")
        owner = view.known.get(skyhook)
        package = ((owner or {}).get("spec", {}).get("packages") or {}).get(name)
        real = pair(view.packages(skyhook)[key]) == "uninstall/in_progress"
        legal = old.endswith("/complete") and not old.startswith("uninstall") and not real
        if owner is None or package is None or package["version"] != version or not legal:
            continue
        yield Site(f"from-{old}", _uninstall(skyhook, key, old, owner))


def _uninstall(skyhook: str, key: str, old: str, owner: dict[str, Any]) -> Any:
    def plant(view: View) -> Planted:
        planted = step(skyhook, key, old, "uninstall/in_progress")(view)
        shown = deepcopy(owner)
        shown["metadata"].pop("deletionTimestamp", None)
        shown["spec"]["packages"][key.partition("|")[0]].pop("uninstall", None)
        evidence = {"skyhooks": {skyhook: shown}}
        return Planted(planted.what, planted.fields, planted.touched, evidence)

    return plant


def ghost(view: View, rng: Random) -> Iterator[Site]:
    """L39: an entry for a node that does not exist."""
    nodes = view.field("nodeStatus")
    name = rng.choice(GHOSTS)
    if not nodes or name in nodes or "nodeBootIds" not in view.status or not settled(view):
        return
    packages = rng.choice(list(view.field("nodeState").values()) or [{}])
    word = rng.choice(STATUSES)
    yield Site("status-and-state", _ghost(name, word, packages))
    yield Site("status-only", _ghost(name, word, None))


def _ghost(name: str, word: str, packages: dict[str, Any] | None) -> Any:
    def plant(view: View) -> Planted:
        known = {node: node_object(view, node) for node in view.status["nodeStatus"]}
        whole = () if "nodeState" in view.status else (at("nodeState"),)
        view.status["nodeStatus"][name] = word
        view.status["nodeBootIds"][name] = BOOT_ID
        fields = [at("nodeStatus", name)]
        if packages is not None:
            view.status.setdefault("nodeState", {})[name] = deepcopy(packages)
            fields.append(at("nodeState", name))
        touched = (*fields, at("nodeBootIds", name), *whole)
        evidence = {"nodes": known, "complete": True}
        return Planted(f"{name} ({word}) does not exist", tuple(fields), touched, evidence)

    return plant


def evidenced(number: int, scope: Scope, sites: Any) -> Kind:
    """A kind that only warns the operator."""
    return Kind(number, (scope,), sites, operator=Expect.WARN)


KINDS: Final = (
    evidenced(1, Scope.STATUS, untrue_package),
    evidenced(2, Scope.STATUS, untrue_node),
    evidenced(13, Scope.NODE, uninstall_not_asked),
    evidenced(39, Scope.STATUS, ghost),
)
