"""The strategic merge patch from one object to another, as kustomize applies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from webhook.manifests.options import Object

_KEYS: Final = {"volumeMounts": "mountPath"}
_NAMED: Final = ("containers", "env", "volumes", "volumeMounts", "webhooks", "matchConditions")
"""Lists that Kubernetes merges by a key of their items, `name` where `_KEYS` says nothing else."""


def patch(old: Object, new: Object) -> Object:
    """What makes `new` of `old`, an object of the same kind and name; {} when they are equal."""
    changes = _map(old, new)
    if not changes:
        return {}
    about = {"name": new["metadata"]["name"], **changes.pop("metadata", {})}
    return {"apiVersion": new["apiVersion"], "kind": new["kind"], "metadata": about, **changes}


def _map(old: Object, new: Object) -> Object:
    changes: Object = {}
    for key, value in new.items():
        if key not in old:
            changes[key] = value
        elif value != old[key]:
            changes[key] = _change(key, old[key], value)
    changes |= {key: None for key in old if key not in new}
    return changes


def _change(key: str, old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return _map(old, new)
    if key in _NAMED:
        return _items(_KEYS.get(key, "name"), old, new)
    return new


def _items(key: str, old: list[Object], new: list[Object]) -> list[Object]:
    before = {item[key]: item for item in old}
    after = {item[key] for item in new}
    changed = [
        {key: item[key], **_map(before.get(item[key], {}), item)}
        for item in new
        if before.get(item[key]) != item
    ]
    return changed + [{key: name, "$patch": "delete"} for name in before if name not in after]
