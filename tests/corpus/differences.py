"""Where two JSON values differ, with conditions by type and nodeState annotations looked into."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Path = tuple[str, ...]


class Missing:
    """The value of a key that is not there (null is something else)."""

    def __repr__(self) -> str:
        return "<absent>"


MISSING: Final = Missing()
NODE_STATE: Final = "skyhook.nvidia.com/nodeState_"


def differences(
    old: Any, new: Any, path: Path = (), *, whole: Callable[[Path], bool] | None = None
) -> Iterator[tuple[Path, Any, Any]]:
    """Smallest differing parts as (path, old, new), in path order.

    A list of conditions is walked by `type`, any other list is one value. A nodeState
    annotation that is a readable map on both sides is walked like an object. What `whole`
    accepts is not walked.
    """
    if old is new or (type(old) is type(new) and old == new):
        return
    if whole is not None and whole(path):
        yield path, old, new
        return
    if path and path[-1] == "conditions":
        old, new = _by_type(old), _by_type(new)
    elif path and path[-1].startswith(NODE_STATE):
        old, new = _parsed(old, new)
    if not (isinstance(old, dict) and isinstance(new, dict)):
        yield path, old, new
        return
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key, MISSING), new.get(key, MISSING)
        yield from differences(before, after, (*path, key), whole=whole)


def _by_type(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(c, dict) and "type" in c for c in value):
        keyed = {str(c["type"]): c for c in value}
        return keyed if len(keyed) == len(value) else value
    return value


def _parsed(old: Any, new: Any) -> tuple[Any, Any]:
    maps = [readable_map(value) for value in (old, new)]
    return (maps[0], maps[1]) if None not in maps else (old, new)


def readable_map(text: Any) -> dict[str, dict[str, Any]] | None:
    """The packages in a nodeState annotation, or None where it is no map of maps."""
    if not isinstance(text, str):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and all(isinstance(entry, dict) for entry in value.values()):
        return value
    return None
