"""The schemas as shipped: crds.json, made from manifests/crds by ``python -m tests.schema.build``."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Schema = dict[str, Any]
"""One node of an OpenAPI v3 schema, as in a CRD, without descriptions."""

_TEXT: Final[Schema] = {"type": "string", "nullable": True}
_TIME: Final[Schema] = {**_TEXT, "format": "date-time"}
_NUMBER: Final[Schema] = {"type": "integer", "nullable": True}
_TEXTS: Final[Schema] = {"type": "object", "nullable": True, "additionalProperties": _TEXT}
_ANYTHING: Final[Schema] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

METADATA: Final[Schema] = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "generateName": _TEXT,
        "namespace": _TEXT,
        "selfLink": _TEXT,
        "uid": _TEXT,
        "resourceVersion": _TEXT,
        "generation": _NUMBER,
        "creationTimestamp": _TIME,
        "deletionTimestamp": _TIME,
        "deletionGracePeriodSeconds": _NUMBER,
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "ownerReferences": {"type": "array", "nullable": True, "items": _ANYTHING},
        "finalizers": {"type": "array", "nullable": True, "items": _TEXT},
        "managedFields": {"type": "array", "nullable": True, "items": _ANYTHING},
    },
}
"""ObjectMeta (apimachinery meta/v1), which a CRD only calls an object: any null is a zero value."""


@cache
def _all() -> Mapping[str, Schema]:
    text = (files("webhook.schema") / "crds.json").read_text(encoding="utf-8")
    schemas: dict[str, Schema] = json.loads(text)
    for schema in schemas.values():
        schema["properties"]["metadata"] = METADATA
    return schemas


def schema_of(group: str, kind: str) -> Schema | None:
    """The schema of one kind in all its versions; None for a kind that is not ours."""
    return _all().get(f"{group}/{kind}")
