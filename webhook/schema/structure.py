"""Walks an object along its schema: prune, drop nulls, default, validate, as the API server does.

Order as in apiextensions-apiserver: unknown fields go (a warning), nulls of fields that are not
nullable go or take the default, and what is left is validated.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from webhook.core.field import ROOT, FieldPath
from webhook.core.finding import CauseType, Finding, Severity
from webhook.core.nearest import did_you_mean, nearest
from webhook.schema.names import check_metadata
from webhook.schema.store import schema_of
from webhook.schema.values import compiled, has_type, is_time
from webhook.schema.words import INT_OR_STRING, against_pattern, shown, wrong_type

if TYPE_CHECKING:
    from webhook.schema.store import Schema

Steps = tuple[str | int, ...]
Written = Callable[[Steps], str | None]
"""Text of the unquoted scalar at a path of keys and indexes (documents.Document.written)."""

MOST_FINDINGS: Final = 500
"""An object with more findings than this is checked no further."""

_DROPPED: Final = "no such field; the API server drops it, and kubectl refuses it as unknown"


def guards(kind_group: tuple[str, str]) -> bool:
    """Whether there is a schema for this (group, kind)."""
    return schema_of(*kind_group) is not None


def check_structure(
    kind_group: tuple[str, str],
    value: Any,
    written: Written | None = None,
    subresource: str | None = None,
) -> list[Finding]:
    """What the API server would say of the structure of an object, before any webhook.

    Denials for what it refuses, warnings for what it drops. ``kind_group`` is (group, kind); a kind
    without a schema of ours has no findings. With ``subresource`` "" the status is not checked, and
    with "status" the spec is not: a write there leaves them as they were.
    """
    schema = schema_of(*kind_group)
    if schema is None:
        return []
    walk = _Walk(kind_group[0].split(".", 1)[0], written or _nothing_written)
    if not isinstance(value, dict):
        walk.deny(ROOT, CauseType.TYPE_INVALID, wrong_type(value, "object", None))
        return walk.found
    left_out = {"": "status", "status": "spec"}.get(subresource if subresource is not None else "*")
    judged = {key: kid for key, kid in value.items() if key != left_out}
    walk.visit(schema, judged, ROOT, ())
    check_metadata(judged.get("metadata"), walk.deny, walk.warn)
    return walk.found


def _nothing_written(_steps: Steps) -> str | None:
    return None


class _Walk:
    """One pass over one object."""

    def __init__(self, prefix: str, written: Written) -> None:
        self._prefix = prefix
        self._written = written
        self.found: list[Finding] = []

    def deny(self, path: FieldPath, kind: CauseType, message: str) -> None:
        """The API server refuses this."""
        rule = f"{self._prefix}.schema"
        self.found.append(Finding(rule, path, Severity.DENY, message, kind, closed=True))

    def warn(self, path: FieldPath, kind: CauseType, message: str) -> None:
        """The API server drops or changes this."""
        rule = f"{self._prefix}.unknown-field"
        self.found.append(Finding(rule, path, Severity.WARN, message, kind, closed=True))

    def visit(self, schema: Schema, value: Any, path: FieldPath, steps: Steps) -> None:
        """Checks one value and what is below it."""
        if len(self.found) >= MOST_FINDINGS or (value is None and schema.get("nullable")):
            return
        if not has_type(value, schema):
            expected = schema.get("type", INT_OR_STRING)
            text = wrong_type(value, expected, self._written(steps))
            self.deny(path, CauseType.TYPE_INVALID, text)
        elif isinstance(value, dict):
            self._object(schema, value, path, steps)
        elif isinstance(value, list):
            self._list(schema, value, path, steps)
        else:
            self._scalar(schema, value, path)

    def _object(self, schema: Schema, value: dict[str, Any], path: FieldPath, steps: Steps) -> None:
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        free = schema.get("x-kubernetes-preserve-unknown-fields", False)
        present: set[str] = set()
        for key, kid in value.items():
            below = properties.get(key, others)
            if below is None:
                if not free and len(self.found) < MOST_FINDINGS:
                    text = _DROPPED + did_you_mean(key, properties)
                    self.warn(path.child(key), CauseType.INVALID, text)
            elif kid is not None or below.get("nullable"):
                present.add(key)
                place = path.child(key) if key in properties else path.key(key)
                self.visit(below, kid, place, (*steps, key))
        self._required(schema, value, present, path)

    def _required(
        self, schema: Schema, value: dict[str, Any], present: set[str], path: FieldPath
    ) -> None:
        properties = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name in present or "default" in properties.get(name, {}):
                continue
            strangers = [key for key in value if key not in properties]
            meant = nearest(name, strangers)
            hint = f'; is "{meant}" meant to be it?' if meant else ""
            self.deny(path.child(name), CauseType.REQUIRED, f"{name} is required{hint}")

    def _list(self, schema: Schema, value: list[Any], path: FieldPath, steps: Steps) -> None:
        items = schema.get("items", {})
        for position, item in enumerate(value):
            if item is None and "default" in items:
                continue
            self.visit(items, item, path.index(position), (*steps, position))
        if schema.get("x-kubernetes-list-type") == "map":
            self._unique(schema["x-kubernetes-list-map-keys"], items, value, path)

    def _unique(self, keys: list[str], items: Schema, value: list[Any], path: FieldPath) -> None:
        seen: set[str] = set()
        for position, item in enumerate(value):
            if not isinstance(item, dict):
                continue
            mine = {key: item[key] for key in keys if item.get(key) is not None}
            text = json.dumps(mine, sort_keys=True, default=str)
            if text in seen:
                words = ", ".join(f"{key} {shown(kid)}" for key, kid in mine.items())
                self.deny(path.index(position), CauseType.DUPLICATE, f"{words} occurs twice")
            seen.add(text)

    def _scalar(self, schema: Schema, value: Any, path: FieldPath) -> None:
        legal = schema.get("enum")
        if legal is not None and value not in legal:
            names = ", ".join(map(str, legal))
            hint = did_you_mean(value, legal) if isinstance(value, str) else ""
            text = f"{shown(value)} is none of: {names}{hint}"
            self.deny(path, CauseType.NOT_SUPPORTED, text)
        why = _text(schema, value) if isinstance(value, str) else _number(schema, value)
        if why is not None:
            self.deny(path, CauseType.INVALID, why)


def _text(schema: Schema, value: str) -> str | None:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if len(value) < least:
        return "must not be empty" if least == 1 else f"must have at least {least} characters"
    if most is not None and len(value) > most:
        return f"{shown(value)} has {len(value)} characters; {most} are the most"
    pattern = schema.get("pattern")
    if pattern is not None and compiled(pattern).search(value) is None:
        return against_pattern(value, pattern)
    if schema.get("format") == "date-time" and not is_time(value):
        return f'{shown(value)} is no time; write it as "2026-05-01T09:00:00Z"'
    return None


def _number(schema: Schema, value: Any) -> str | None:
    if isinstance(value, bool):
        return None
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and value < least:
        return f"{shown(value)} is less than {least}, the smallest legal value"
    if most is not None and value > most:
        return f"{shown(value)} is more than {most}, the largest legal value"
    return None
