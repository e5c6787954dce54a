"""The kind of a change: what a write does, with names and numbers taken out."""

from __future__ import annotations

from typing import Any, Final

from tests.corpus.differences import MISSING, Missing, differences, readable_map

PREFIX: Final = "skyhook.nvidia.com/"
NAMED: Final = frozenset(
    {"nodeState", "nodeStatus", "nodePriority", "nodeBootIds", "configUpdates", "packages"}
    | {"compartmentStatuses", "configMap", "labels", "annotations"}
)
"""Fields whose keys are names of things: a `*` in the kind."""
WRITERS: Final = {
    "platform-admin": "person",
    "kubernetes-admin": "cluster-admin",
    "sre-oncall": "cli",
    "argocd-application-controller": "gitops",
}

STAGE_STATE: Final = ("stage", "state")

Kind = tuple[str, ...]


def writer(username: str) -> str:
    """The class of a recorded user name."""
    if username.endswith("skyhook-operator-controller-manager"):
        return "operator"
    if username.startswith("system:node:"):
        return "kubelet"
    return WRITERS.get(username, username.rpartition(":")[2])


def kind(review: dict[str, Any]) -> Kind:
    """Resource, subresource, operation, writer, then the sorted words of what changed."""
    request = review["request"]
    old, new = request.get("oldObject"), request.get("object")
    head = (
        request["resource"]["resource"],
        request.get("subResource", "-"),
        request["operation"],
        writer(request["userInfo"]["username"]),
    )
    if old is None or new is None:
        whole = old or new or {}
        return (*head, *sorted(_shape(whole)))
    changed: set[str] = set()
    for path, before, after in differences(old, new, whole=_is_entry):
        if path != ("metadata", "resourceVersion"):
            changed.update(_words(path, before, after))
    return (*head, *sorted(changed))


def _shape(whole: dict[str, Any]) -> set[str]:
    """What matters of an object that is created or deleted."""
    metadata, status = whole.get("metadata", {}), whole.get("status", {})
    words = {f"metadata.{k}" for k in ("finalizers", "deletionTimestamp") if k in metadata}
    words |= {"annotations" for k in metadata.get("annotations", {}) if k.startswith(PREFIX)}
    words |= {"taints" for _ in whole.get("spec", {}).get("taints", [])}
    if "status" in status:
        words.add(f"status.status {status['status']}")
    return words


def _is_entry(path: tuple[str, ...]) -> bool:
    """A package entry or a condition: stage and state, status and reason belong together."""
    match path:
        case ("status", "conditions", _) | ("status", "nodeState", _, _):
            return True
        case ("metadata", "annotations", _, _):
            return True
    return False


def _words(path: tuple[str, ...], old: Any, new: Any) -> set[str]:
    match path:
        case ("status", "conditions", type_):
            return _entry(f"conditions[{_type(type_)}]", old, new, ("status", "reason"))
        case ("status", "nodeState", _, _):
            return _entry("nodeState", old, new, STAGE_STATE)
        case ("metadata", "annotations", _, _):
            return _entry("annotation", old, new, STAGE_STATE)
        case ("status", "nodeState", _):
            return _packages("nodeState[*]", old, new)
        case ("status", "nodeStatus", _):
            return {f"nodeStatus {_word(old)} -> {_word(new)}"}
        case ("status", "status"):
            return {f"status {_word(old)} -> {_word(new)}"}
        case ("metadata", "annotations" | "labels", key) if key.startswith(PREFIX):
            return _own_key(path[1], key.removeprefix(PREFIX), old, new)
    return {f"{_normal(path)} {_direction(old, new)}"}


def _type(type_: str) -> str:
    if type_.startswith(PREFIX) and type_.count("/") == 2:
        return f"{PREFIX}*/{type_.rpartition('/')[2]}"
    return type_


def _entry(name: str, old: Any, new: Any, words: tuple[str, str]) -> set[str]:
    """The two words of an entry, old and new together; the other fields one by one."""
    before, after = _pair(old, words), _pair(new, words)
    if before != after or not (isinstance(old, dict) and isinstance(new, dict)):
        return {f"{name} {before} -> {after}"}
    return {
        f"{name} {before} .{path[0]} {_direction(a, b)}" for path, a, b in differences(old, new)
    }


def _packages(level: str, old: Any, new: Any) -> set[str]:
    """A whole map that appears or vanishes."""
    words = {f"{level} {_direction(old, new)}"}
    for entry in (old or {}).values() if isinstance(old, dict) else ():
        words.add(f"{level} {_pair(entry, STAGE_STATE)} -> absent")
    for entry in (new or {}).values() if isinstance(new, dict) else ():
        words.add(f"{level} absent -> {_pair(entry, STAGE_STATE)}")
    return words


def _own_key(where: str, key: str, old: Any, new: Any) -> set[str]:
    name = key.partition("_")[0]
    if name == "nodeState":
        before, after = readable_map(old), readable_map(new)
        if {old, new} & {MISSING} and (before or after) is not None:
            return _packages("annotation", before or old, after or new)
        return {f"{where} nodeState unreadable"}
    if name == "version":
        return {f"{where} version {_direction(old, new)}"}
    return {f"{where} {name} {_word(old)} -> {_word(new)}"}


def _pair(entry: Any, words: tuple[str, str]) -> str:
    if isinstance(entry, dict):
        return "/".join(str(entry.get(word)) for word in words)
    return _word(entry)


def _word(value: Any) -> str:
    if isinstance(value, Missing):
        return "absent"
    return value if isinstance(value, str) else type(value).__name__


def _direction(old: Any, new: Any) -> str:
    if isinstance(old, Missing) or isinstance(new, Missing):
        return "+" if isinstance(old, Missing) else "-"
    if isinstance(old, int) and isinstance(new, int):
        return ">" if new > old else "<"
    return "~"


def _normal(path: tuple[str, ...]) -> str:
    foreign = path[0] == "metadata" and len(path) > 2
    steps = [
        "*" if index and path[index - 1] in NAMED and not foreign else step
        for index, step in enumerate(path)
    ]
    return ".".join(steps)
