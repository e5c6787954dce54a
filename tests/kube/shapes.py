"""The different forms of recorded objects: which fields are there, of which types; names and values left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tests.corpus import reading

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from pathlib import Path

PARTS = ("spec", "status")
NAMED = frozenset(
    {"packages", "configMap", "configInterrupts", "dependsOn", "matchLabels", "configUpdates"}
    | {"nodeState", "nodeStatus", "nodeBootIds", "nodePriority", "compartmentStatuses"}
)
"""Fields whose keys are names; those of nodeState hold a further such level."""


class _Object(msgspec.Struct):
    spec: msgspec.Raw = msgspec.Raw()
    status: msgspec.Raw = msgspec.Raw()


class _Kind(msgspec.Struct):
    kind: str


class _Request(msgspec.Struct):
    kind: _Kind
    object: _Object | None = None
    oldObject: _Object | None = None  # noqa: N815 - the API's name


class _Review(msgspec.Struct):
    request: _Request


def recorded_parts(folder: Path, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each distinct ("spec" | "status", value) of the recorded objects of a kind, old ones included."""
    decode = msgspec.json.Decoder(_Review).decode
    seen: set[tuple[str, bytes]] = set()
    mark = f'"kind":"{kind}"'.encode()
    for line in reading.lines(folder):
        if mark not in line:
            continue
        request = decode(line).request
        if request.kind.kind != kind:
            continue
        for found in (request.object, request.oldObject):
            for part in PARTS:
                raw = bytes(getattr(found, part, b""))
                if raw and (part, raw) not in seen:
                    seen.add((part, raw))
                    yield part, msgspec.json.decode(raw)


def one_of_each_shape(folder: Path, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """As `recorded_parts`, the first of each shape only."""
    first: dict[Hashable, tuple[str, dict[str, Any]]] = {}
    for part, value in recorded_parts(folder, kind):
        first.setdefault((part, shape(value)), (part, value))
    return list(first.values())


def shape(value: Any, field: str = "") -> Hashable:
    """Equal for two values that a schema without patterns cannot tell apart."""
    if isinstance(value, dict):
        if field in NAMED:
            inner = "dependsOn" if field == "nodeState" else ""  # its second level is named too
            return frozenset(shape(item, inner) for item in value.values())
        return frozenset((key, shape(item, key)) for key, item in value.items())
    if isinstance(value, list):
        return ("list", frozenset(shape(item) for item in value))
    return type(value).__name__


def lost(sent: Any, got: Any, path: str = "") -> list[str]:
    """Paths of what was sent and did not come back as it was; what was added does not count."""
    if isinstance(sent, dict) and isinstance(got, dict):
        return [
            gone
            for key, value in sent.items()
            for gone in (
                lost(value, got[key], f"{path}.{key}") if key in got else [f"{path}.{key}"]
            )
        ]
    if isinstance(sent, list) and isinstance(got, list) and len(sent) == len(got):
        return [
            gone
            for number, (one, other) in enumerate(zip(sent, got, strict=True))
            for gone in lost(one, other, f"{path}[{number}]")
        ]
    return [] if sent == got else [path]
