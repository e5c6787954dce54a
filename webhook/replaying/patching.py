"""What a patch makes of an object, for audit logs that hold the request and not the answer.

JSON patch (RFC 6902) for lists, else merge patch (RFC 7396) with the lists of a Node merged by
their keys, as the strategic patch does. A log names no content type, so this is an estimate.
"""

from __future__ import annotations

import copy
from typing import Any, Final

from webhook.core.view import equal_values

_KEYS: Final = {"conditions": "type", "addresses": "type"}
"""Lists of a Node with ``patchMergeKey`` (k8s.io/api core/v1 NodeStatus)."""


class PatchError(ValueError):
    """A patch that does not apply."""


def patched(old: Any, patch: Any, *, node: bool = False) -> Any:
    """The object after the patch; ``old`` is left alone. Raises PatchError."""
    if isinstance(patch, list):
        new = copy.deepcopy(old)
        for operation in patch:
            new = _operate(new, operation)
        return new
    if not isinstance(patch, dict):
        raise PatchError("neither a list of operations nor an object")
    return _merged(old, patch, _KEYS if node else {})


def _merged(old: Any, patch: Any, keys: dict[str, str]) -> Any:
    if not isinstance(patch, dict):
        return patch
    new = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if name.startswith("$"):
            continue  # directives of the strategic patch: order and what was kept
        if value is None:
            new.pop(name, None)
        elif name in keys and isinstance(value, list) and isinstance(new.get(name), list):
            new[name] = _by_key(new[name], value, keys[name])
        else:
            new[name] = _merged(new.get(name), value, keys)
    return new


def _by_key(old: list[Any], patch: list[Any], key: str) -> list[Any]:
    """The list with each patched element in its place; new ones at the end."""
    found = {item.get(key): item for item in old if isinstance(item, dict)}
    for item in patch:
        if not isinstance(item, dict):
            raise PatchError(f"an element without {key}")
        if item.get("$patch") == "delete":
            found.pop(item.get(key), None)
        else:
            found[item.get(key)] = _merged(found.get(item.get(key)), item, {})
    return list(found.values())


def _operate(document: Any, operation: Any) -> Any:
    if not isinstance(operation, dict):
        raise PatchError("an operation is an object")
    name, path = operation.get("op"), _pointer(operation.get("path"))
    if name in ("add", "replace"):
        return _put(document, path, operation.get("value"), insert=name == "add")
    if name == "remove":
        return _take(document, path)
    if name in ("move", "copy"):
        source = _pointer(operation.get("from"))
        value = copy.deepcopy(_get(document, source))
        there = _take(document, source) if name == "move" else document
        return _put(there, path, value, insert=True)
    if name == "test":
        if not equal_values(_get(document, path), operation.get("value")):
            raise PatchError("a test failed")
        return document
    raise PatchError(f"no such operation: {name!r}")


def _pointer(text: Any) -> list[str]:
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise PatchError("a path begins with /")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _get(document: Any, path: list[str]) -> Any:
    here = document
    for step in path:
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list):
            here = here[_index(here, step, len(here) - 1)]
        else:
            raise PatchError("a path leads nowhere")
    return here


def _put(document: Any, path: list[str], value: Any, *, insert: bool) -> Any:
    if not path:
        return value
    holder, last = _get(document, path[:-1]), path[-1]
    if isinstance(holder, dict):
        if not insert and last not in holder:
            raise PatchError("nothing there to replace")
        holder[last] = value
    elif isinstance(holder, list):
        if insert:
            at = len(holder) if last == "-" else _index(holder, last, len(holder))
            holder.insert(at, value)
        else:
            holder[_index(holder, last, len(holder) - 1)] = value
    else:
        raise PatchError("a path leads into a scalar")
    return document


def _take(document: Any, path: list[str]) -> Any:
    if not path:
        return None
    holder, last = _get(document, path[:-1]), path[-1]
    if isinstance(holder, dict) and last in holder:
        del holder[last]
    elif isinstance(holder, list):
        del holder[_index(holder, last, len(holder) - 1)]
    else:
        raise PatchError("nothing there to remove")
    return document


def _index(items: list[Any], step: str, most: int) -> int:
    if not (step.isascii() and step.isdigit()) or int(step) > most:
        raise PatchError("no such element")
    del items
    return int(step)
