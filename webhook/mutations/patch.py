"""The smallest JSON patch (RFC 6902) from one list of conditions to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.core.conditions import same_raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webhook.core.conditions import Condition

PATH: Final = "/status/conditions"

Operation = dict[str, Any]
"""``op``, ``path`` and, unless something is removed, ``value`` as raw JSON."""

_ENCODE: Final = msgspec.json.Encoder()


def operations(given: Sequence[Condition] | None, right: Sequence[Condition]) -> list[Operation]:
    """The operations: first what is added, then what is changed, then what is removed.

    Never a ``test``, and a ``remove`` only of what is there: one operation that does not apply is
    a 500 for the client even under failurePolicy Ignore (measured).

    Args:
        given: the list of the object under review; None where there is none.
        right: the list that should be there; its entries know their place in ``given``.
    """
    if given is None:
        whole = [c.raw for c in right]
        return [_operation("add", PATH, msgspec.Raw(_ENCODE.encode(whole)))] if whole else []
    added: list[Operation] = []
    changed: list[Operation] = []
    removed: list[Operation] = []
    for index, (was, now) in enumerate(_merged(given, right)):
        path = f"{PATH}/{index}"
        if was is None and now is not None:
            added.append(_operation("add", path, now.raw))
        elif was is not None and now is None:
            removed.append({"op": "remove", "path": path})
        elif was is not None and now is not None and was is not now:
            changed += _changes(path, was, now)
    return [*added, *changed, *reversed(removed)]


def encode(patch: Sequence[Operation]) -> bytes:
    """The patch as the API server reads it."""
    return _ENCODE.encode(patch)


def _merged(
    given: Sequence[Condition], right: Sequence[Condition]
) -> Iterator[tuple[Condition | None, Condition | None]]:
    """Both lists side by side, as they stand when all is added and nothing is removed yet."""
    left = 0
    for now in right:
        if now.origin is None:
            yield None, now
            continue
        while left < now.origin:
            yield given[left], None
            left += 1
        yield given[left], now
        left += 1
    for was in given[left:]:
        yield was, None


def _changes(path: str, was: Condition, now: Condition) -> list[Operation]:
    """Field by field, or the entry as a whole where that says it in fewer bytes."""
    old, new = was.members, now.members
    fields: list[Operation] = []
    for key, raw in new.items():
        pointer = f"{path}/{_escaped(key)}"
        if key not in old:
            fields.append(_operation("add", pointer, raw))
        elif not same_raw(old[key], raw):
            fields.append(_operation("replace", pointer, raw))
    fields += [{"op": "remove", "path": f"{path}/{_escaped(k)}"} for k in old if k not in new]
    entry = [_operation("replace", path, now.raw)]
    return min(fields, entry, key=lambda patch: len(encode(patch)))


def _operation(op: str, path: str, value: msgspec.Raw) -> Operation:
    return {"op": op, "path": path, "value": value}


def _escaped(key: str) -> str:
    """A key as a step of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
