"""Where fuzzing begins: recorded reviews, conversions, annotation texts, our own documents."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.corpus import reading

ROOT: Final = Path(__file__).resolve().parents[2]
CONVERSIONS: Final = ROOT / "tests" / "conversions" / "reviews.jsonl"
MOST: Final = 120
LONGEST: Final = 12_000
_KEPT: Final = ("apiVersion", "kind", "request")


@cache
def reviews() -> tuple[bytes, ...]:
    """Small recorded reviews, one of each kind, actor, operation and size."""
    found: dict[tuple[Any, ...], bytes] = {}
    for one in reading.distilled():
        request = one["request"]
        text = json.dumps({k: one[k] for k in _KEPT}, separators=(",", ":")).encode()
        if len(text) <= LONGEST:
            user = request["userInfo"]["username"].rpartition(":")[2]
            key = (request["kind"]["kind"], request["operation"], request.get("subResource"), user)
            found.setdefault((*key, len(text) // 2000), text)
    return tuple(found.values())[:MOST]


@cache
def annotations() -> tuple[bytes, ...]:
    """Values of nodeState annotations."""
    found = {}
    for text in reviews():
        new = json.loads(text)["request"].get("object") or {}
        for key, value in ((new.get("metadata") or {}).get("annotations") or {}).items():
            if "/nodeState_" in key:
                found[value.encode()] = None
    return tuple(found)[:MOST]


@cache
def conversions() -> tuple[bytes, ...]:
    """Recorded ConversionReviews."""
    found = (json.loads(line)["review"] for line in CONVERSIONS.read_bytes().splitlines())
    texts = (json.dumps(one, separators=(",", ":")).encode() for one in found)
    return tuple(text for text in texts if len(text) <= LONGEST)[:MOST]


@cache
def documents() -> tuple[bytes, ...]:
    """Profiles, settings and manifests of ours."""
    folders = (ROOT / "webhook" / "profiles", ROOT / "examples", ROOT / "docs" / "your-own-crd")
    paths = sorted(p for folder in folders for p in folder.rglob("*.yaml"))
    small = [p.read_bytes() for p in paths if p.stat().st_size <= LONGEST]
    return (*small, b"a: &a [1, *b]\n", b"? {a: 1}\n: |\n  text\n", b"- 'it''s'\n- >-\n  folded\n")


def seeds(target: str) -> tuple[bytes, ...]:
    """The inputs to begin with."""
    found: dict[str, Any] = {
        "annotation": annotations,
        "conversion": conversions,
        "profiles": documents,
        "yaml": documents,
    }
    return tuple(found.get(target, reviews)())
