"""Makes webhook/schema/crds.json from manifests/crds: python -m tests.schema.build.

The wheel holds no manifests, so the command line's own copy is generated; a test compares the two.
Only what a check reads is kept, and a keyword that the checks do not know is an error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "manifests" / "crds"
TARGET = ROOT / "webhook" / "schema" / "crds.json"

KEPT = (
    "type", "nullable", "default", "enum", "pattern", "format", "minimum", "maximum",
    "minLength", "maxLength", "required", "x-kubernetes-int-or-string",
    "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
)  # fmt: skip
DROPPED = ("description", "example", "x-kubernetes-map-type")
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


def compact(schema: dict[str, Any], at: str) -> dict[str, Any]:
    """The schema without words for people, in a fixed order."""
    found = {key: schema[key] for key in KEPT if key in schema}
    if found.get("x-kubernetes-list-type") == "atomic":
        del found["x-kubernetes-list-type"]
    nested = ("properties", "additionalProperties", "items", "anyOf")
    unknown = schema.keys() - {*KEPT, *DROPPED, *nested}
    if unknown or schema.get("anyOf", INT_OR_STRING) != INT_OR_STRING:
        raise ValueError(f"{at}: no check for {sorted(unknown) or 'this anyOf'}")
    if "properties" in schema:
        kids = schema["properties"].items()
        found["properties"] = {key: compact(kid, f"{at}.{key}") for key, kid in sorted(kids)}
    for key in ("additionalProperties", "items"):
        if key in schema:
            found[key] = compact(schema[key], f"{at}.{key}")
    return found


def build() -> str:
    """The text of crds.json: "group/Kind" -> schema; all served versions must have one schema."""
    schemas = {}
    for path in sorted(SOURCE.glob("*.yaml")):
        spec = yaml.safe_load(path.read_text())["spec"]
        name = f"{spec['group']}/{spec['names']['kind']}"
        versions = [compact(v["schema"]["openAPIV3Schema"], name) for v in spec["versions"]]
        if any(version != versions[0] for version in versions):
            raise ValueError(f"{name}: versions differ")
        schemas[name] = versions[0]
    return json.dumps(schemas, separators=(",", ":"), sort_keys=True) + "\n"


if __name__ == "__main__":
    TARGET.write_text(build())
