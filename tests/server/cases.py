"""The cases of public bug reports in tests/cases: which are asked here, and what their words mean.

To switch on more, add the role of its endpoint to ON (and to PATHS, where it is new).
"""

from __future__ import annotations

import copy
import json
import string
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.server.process import Answer

FOLDER = Path(__file__).resolve().parents[1] / "cases"
PATHS = {
    "validate-skyhook": "/validate",
    "validate-node": "/validate",
    "mutate-skyhook": "/mutate",
    "convert": "/convert",
}
ON = {"validate-skyhook", "validate-node"}
"""Roles whose cases are asked of the server; mutation and conversion have tests of their own."""
WORDS = {"http_status", "json", "json_in", "absent", "present", "any_of", "max_seconds", "text"}
"""The words of ``expect`` that are understood; ``text`` is for people, and coded where it is due."""


def cases(*kinds: str) -> list[dict[str, Any]]:
    """The cases of these kinds that are on."""
    found = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    return [c for c in found if c["kind"] in kinds and c["request"].get("endpoint") in ON]


def case(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text())


def path_of(one: dict[str, Any]) -> str:
    return PATHS[one["request"]["endpoint"]]


def body_of(request: dict[str, Any]) -> bytes:
    """The body of a request, made by its recipe where the file only says how."""
    if "body" in request:
        return json.dumps(request["body"]).encode()
    recipe = request["generate"]["recipe"]
    return json.dumps(RECIPES[recipe](copy.deepcopy(request["generate"]["base"]))).encode()


def _cancelled(base: dict[str, Any]) -> dict[str, Any]:
    names = [f"pkg-{a}{b}" for a in string.ascii_lowercase for b in string.ascii_lowercase][:60]
    for side, apply in (("oldObject", True), ("object", False)):
        base["request"][side]["spec"]["packages"] = {
            name: {
                "name": name, "version": "1.0.0", "image": "registry.example/p",
                "uninstall": {"enabled": True, "apply": apply},
            }
            for name in names
        }  # fmt: skip
    return base


def _many_nodes(base: dict[str, Any]) -> dict[str, Any]:
    entry = {
        "name": "tuning", "version": "1.2.3", "image": "registry.example/pkgs/tuning", "stage": "config",
        "state": "complete", "containerSHA": "sha256:" + "a" * 64,
    }  # fmt: skip
    for side in ("oldObject", "object"):
        state = {f"node-{i:05d}.{'x' * 90}": {"tuning|1.2.3": entry} for i in range(4000)}
        base["request"][side]["status"] = {"nodeState": state}
    base["request"]["subResource"] = "status"
    return base


RECIPES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    case("B08")["request"]["generate"]["recipe"]: _cancelled,
    "status.nodeState with 4,000 nodes in object and oldObject, total about 2.9 MiB": _many_nodes,
}


def wrong(expect: dict[str, Any], answer: Answer, seconds: float = 0.0) -> Iterator[str]:
    """What about an answer is not as expected; nothing where all is."""
    unknown = set(expect) - WORDS
    if unknown:
        yield f"nobody here knows what {unknown} means"
    if "any_of" in expect and all(list(wrong(one, answer)) for one in expect["any_of"]):
        yield "none of the alternatives"
    if "http_status" in expect:
        legal = expect["http_status"]
        if answer.status not in (legal if isinstance(legal, list) else [legal]):
            yield f"HTTP {answer.status}, not {legal}"
    if seconds > expect.get("max_seconds", seconds):
        yield f"{seconds} s"
    document = (
        json.loads(answer.body) if {"json", "json_in", "absent", "present"} & set(expect) else None
    )
    for pointer, value in expect.get("json", {}).items():
        if at(document, pointer) != value:
            yield f"{pointer} is {at(document, pointer)!r}, not {value!r}"
    for pointer, values in expect.get("json_in", {}).items():
        if at(document, pointer) not in values:
            yield f"{pointer} is {at(document, pointer)!r}, none of {values}"
    for pointer in expect.get("absent", []):
        if at(document, pointer) is not None:
            yield f"{pointer} is there"
    for pointer in expect.get("present", []):
        if at(document, pointer) is None:
            yield f"{pointer} is missing"


def at(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer, or None."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document.get(key) if isinstance(document, dict) else None
    return document
