"""A first profile for a custom resource, drafted from its CRD.

What a schema says of a lifecycle: enums are closed values, a list with ``type`` and ``status`` holds
conditions, observedGeneration is a stamp, a date-time moves on. Which steps are legal it does not say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_MOVING: Final = frozenset({"phase", "state", "stage", "step"})
"""Names of texts that look like a lifecycle although the schema leaves them open."""
_STAMP: Final = "observedGeneration"


class CrdError(ValueError):
    """A document that is no CustomResourceDefinition to draft from; the text says why."""


@dataclass(slots=True)
class Draft:
    """What a schema says of a lifecycle.

    Attributes:
        group, kind, plural: the resource.
        versions: the versions in which everything below stands at the same paths.
        tracks: path -> closed values.
        times: paths of times.
        stamps: paths of stamps, but those of conditions.
        conditions: paths of lists of conditions.
        open: paths of texts that look like a lifecycle and have no enum.
        beyond: paths of enums in lists, which no path of the language leads to.
        others: versions left out, since their status differs.
    """

    group: str
    kind: str
    plural: str
    versions: list[str]
    tracks: dict[str, list[str]] = field(default_factory=dict)
    times: list[str] = field(default_factory=list)
    stamps: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def found(self) -> tuple[object, ...]:
        """What must agree between two versions that one profile covers."""
        return (self.tracks, self.times, self.stamps, self.conditions, self.open, self.beyond)


def draft_from_crd(crd: Any) -> Draft:
    """The draft for the stored version, and the served ones that look the same. Raises CrdError."""
    if not isinstance(crd, dict) or crd.get("kind") != "CustomResourceDefinition":
        raise CrdError("this is no CustomResourceDefinition")
    spec = crd.get("spec")
    versions = spec.get("versions") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(versions, list):
        raise CrdError("spec.versions is missing: is it of apiextensions.k8s.io/v1?")
    served = [v for v in versions if isinstance(v, dict) and v.get("served", True)]
    if not served:
        raise CrdError("no version is served")
    stored = next((v for v in served if v.get("storage")), served[0])
    draft = _of_version(spec, stored)
    for version in served:
        if version is not stored:
            same = _of_version(spec, version).found() == draft.found()
            (draft.versions if same else draft.others).append(str(version.get("name")))
    return draft


def _of_version(spec: Mapping[str, Any], version: Mapping[str, Any]) -> Draft:
    names = spec.get("names") or {}
    draft = Draft(
        group=str(spec.get("group", "")),
        kind=str(names.get("kind", "")),
        plural=str(names.get("plural", "")),
        versions=[str(version.get("name"))],
    )
    schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    status = (schema.get("properties") or {}).get("status")
    if isinstance(status, dict):
        _walk(status, "status", draft)
    return draft


def _walk(schema: Mapping[str, Any], path: str, draft: Draft) -> None:
    if "enum" in schema:
        _enum(schema, path, draft)
    elif schema.get("type") == "array":
        _array(schema.get("items") or {}, path, draft)
    elif schema.get("type") == "object" or "properties" in schema:
        for name, below in _members(schema):
            _walk(below, f"{path}.{name}", draft)
    else:
        _scalar(schema, path, draft)


def _members(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, below in (schema.get("properties") or {}).items():
        if isinstance(below, dict):
            yield (name if _PLAIN.fullmatch(name) else f'"{name}"'), below
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        yield "*", values


def _enum(schema: Mapping[str, Any], path: str, draft: Draft) -> None:
    words = [w for w in schema["enum"] if isinstance(w, str) and w]
    if not words:
        return
    if "[]" in path:
        draft.beyond.append(path)
    else:
        draft.tracks[path] = words


def _array(items: Mapping[str, Any], path: str, draft: Draft) -> None:
    fields = items.get("properties") or {}
    if {"type", "status"} <= fields.keys() and "[]" not in path:
        draft.conditions.append(path)
        return
    _walk(items, f"{path}[]", draft)


def _scalar(schema: Mapping[str, Any], path: str, draft: Draft) -> None:
    name = path.rpartition(".")[2]
    if "[]" in path:
        return
    if name == _STAMP and schema.get("type") == "integer":
        draft.stamps.append(path)
    elif schema.get("format") == "date-time":
        draft.times.append(path)
    elif schema.get("type") == "string" and name.lower() in _MOVING:
        draft.open.append(path)
