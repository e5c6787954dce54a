"""One recorded review, seen with the words of the lifecycle."""

from __future__ import annotations

import json
import zlib
from copy import deepcopy
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from tests.corpus.differences import NODE_STATE, readable_map
from tests.planted.words import STAGES, STATES, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from random import Random

PREFIX: Final = "skyhook.nvidia.com/"
STATUS_KEY: Final = PREFIX + "status_"
CORDON_KEY: Final = PREFIX + "cordon_"
VERSION_KEY: Final = PREFIX + "version_"
ABSENT: Final = "absent"
MIRRORED: Final = (
    "Ready",
    "TaintNotTolerable",
    "NodesIgnored",
    "ApplyPackage",
    "DeploymentPolicyNotFound",
)
"""Bare types that the operator itself also writes under its prefix."""
COMPARED: Final = ("status", "reason", "message", "observedGeneration")
"""What a bare condition and its twin have in common."""
LEGAL_PAIRS: Final = {
    (stage, state)
    for stage in STAGES
    for state in STATES
    if state != "unknown" and (state != "skipped" or stage == "interrupt")
}

Entry = dict[str, Any]
T = TypeVar("T")


class Scope(StrEnum):
    """What a review writes to."""

    STATUS = "skyhooks/status"
    NODE = "nodes"
    SKYHOOK = "skyhooks"
    OTHER = "other"


class View:
    """A review whose `object` may be changed in place. Nothing here copies."""

    def __init__(self, review: dict[str, Any]) -> None:
        self.review = review
        self.request: dict[str, Any] = review["request"]
        self.object: dict[str, Any] = self.request.get("object") or {}
        self.old: dict[str, Any] = self.request.get("oldObject") or {}
        self._maps: dict[tuple[bool, str], dict[str, Entry] | None] = {}
        self._packed: bytes | None = None
        self.known: Mapping[str, dict[str, Any]] = {}
        """Skyhooks by name, as last seen in the same scenario."""

    def start_over(self) -> None:
        """Throw the recorded write away: the new object is the old one again."""
        self.object = self.request["object"] = deepcopy(self.old)
        self._maps.clear()

    @cached_property
    def scope(self) -> Scope:
        """The kind of write; OTHER for anything but an UPDATE of a Skyhook or a Node."""
        if self.request["operation"] != "UPDATE" or not (self.object and self.old):
            return Scope.OTHER
        resource, sub = self.request["resource"]["resource"], self.request.get("subResource")
        if resource == "skyhooks":
            return Scope.STATUS if sub == "status" else Scope.SKYHOOK
        return Scope.NODE if resource == "nodes" and sub in {None, "status"} else Scope.OTHER

    @property
    def subresource(self) -> str:
        """`status`, or `main` for a write to the resource itself."""
        return self.request.get("subResource") or "main"

    @property
    def user(self) -> str:
        """Who wrote."""
        name: str = self.request["userInfo"]["username"]
        return name

    @cached_property
    def by_operator(self) -> bool:
        """Whether the recorded writer is the operator."""
        return self.user.endswith(":skyhook-operator-controller-manager")

    @property
    def packed(self) -> bytes:
        """The whole line, small enough to keep thousands of them."""
        if self._packed is None:
            self._packed = zlib.compress(msgspec.json.encode(self.review), 1)
        return self._packed

    # --- Skyhook ---------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The object's name."""
        name: str = self.object["metadata"]["name"]
        return name

    @property
    def status(self) -> dict[str, Any]:
        """The new status; an empty map that is not part of the object where there is none."""
        return self.object.get("status") or {}

    @property
    def old_status(self) -> dict[str, Any]:
        """The old status, as `status`."""
        return self.old.get("status") or {}

    @property
    def generation(self) -> int:
        """metadata.generation of the new object."""
        generation: int = self.object["metadata"].get("generation", 0)
        return generation

    @property
    def deleting(self) -> bool:
        """Whether the object is on its way out."""
        return "deletionTimestamp" in self.object["metadata"]

    def field(self, name: str, *, old: bool = False) -> Any:
        """A map of the status by name, empty where it is absent or null."""
        return (self.old_status if old else self.status).get(name) or {}

    def turns_complete(self) -> bool:
        """Whether this very write makes the Skyhook complete."""
        return (
            self.status.get("status") == "complete" and self.old_status.get("status") != "complete"
        )

    @cached_property
    def entries(self) -> list[tuple[str, str]]:
        """(node, package key) of the entries in status.nodeState that are legal, old and new."""
        return [
            (node, key)
            for node, packages in self.field("nodeState").items()
            for key, entry in (packages or {}).items()
            if legal_entry(key, entry) and legal_or_absent(self.old_entry(node, key), key)
        ]

    def entry(self, node: str, key: str) -> Entry:
        """A package of the new status.nodeState."""
        entry: Entry = self.field("nodeState")[node][key]
        return entry

    def old_entry(self, node: str, key: str) -> Entry | None:
        """The same package in the old status, or None."""
        return (self.field("nodeState", old=True).get(node) or {}).get(key)

    # --- Node ------------------------------------------------------------------------------

    @property
    def annotations(self) -> dict[str, str]:
        """New annotations; made where there were none."""
        annotations: dict[str, str] = self.object["metadata"].setdefault("annotations", {})
        return annotations

    @property
    def old_annotations(self) -> dict[str, str]:
        """Old annotations."""
        return self.old["metadata"].get("annotations") or {}

    @property
    def labels(self) -> dict[str, str]:
        """New labels; made where there were none."""
        labels: dict[str, str] = self.object["metadata"].setdefault("labels", {})
        return labels

    @property
    def old_labels(self) -> dict[str, str]:
        """Old labels."""
        return self.old["metadata"].get("labels") or {}

    @cached_property
    def skyhooks(self) -> list[str]:
        """Skyhooks with a legal nodeState map both before and after, changed ones first."""
        names = [
            key.removeprefix(NODE_STATE) for key in self.annotations if key.startswith(NODE_STATE)
        ]
        legal = [name for name in names if self._legal(name)]
        return sorted(
            legal, key=lambda sk: (self._text(sk, old=True) == self._text(sk, old=False), sk)
        )

    def packages(self, skyhook: str, *, old: bool = False) -> dict[str, Entry]:
        """The parsed nodeState annotation of one Skyhook. Changes need `put`."""
        return self._map(skyhook, old=old) or {}

    def put(self, skyhook: str, packages: dict[str, Entry]) -> None:
        """Write a nodeState annotation as the operator does: sorted keys, no spaces."""
        text = json.dumps(packages, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self.annotations[NODE_STATE + skyhook] = text

    def _legal(self, skyhook: str) -> bool:
        maps = [self._map(skyhook, old=old) for old in (True, False)]
        return all(
            packages is not None and all(legal_entry(key, e) for key, e in packages.items())
            for packages in maps
        )

    def _text(self, skyhook: str, *, old: bool) -> str | None:
        return (self.old_annotations if old else self.annotations).get(NODE_STATE + skyhook)

    def _map(self, skyhook: str, *, old: bool) -> dict[str, Entry] | None:
        if (old, skyhook) not in self._maps:
            self._maps[old, skyhook] = readable_map(self._text(skyhook, old=old))
        return self._maps[old, skyhook]


def unpack(packed: bytes) -> View:
    """A fresh view of a packed review."""
    return View(msgspec.json.decode(zlib.decompress(packed)))


def legal_entry(key: str, entry: Entry | None) -> bool:
    """Whether a package entry is one that the operator may have written."""
    if entry is None:
        return False
    name, bar, version = key.partition("|")
    word = entry.get("stage"), entry.get("state")
    if not (name and bar and version) or word not in LEGAL_PAIRS or entry.get("name") != name:
        return False
    at_key = entry.get("version") == version or word == ("interrupt", "complete")
    return at_key and entry.get("restarts", 0) >= 0


def legal_or_absent(entry: Entry | None, key: str) -> bool:
    """Whether an old entry is no reason to take the new one for a repair."""
    return entry is None or legal_entry(key, entry)


def pair(entry: Entry | None) -> str:
    """`stage/state`, or `absent`."""
    return ABSENT if entry is None else f"{entry['stage']}/{entry['state']}"


def set_pair(entry: Entry, word: str) -> None:
    """Write `stage/state` into an entry."""
    entry["stage"], _, entry["state"] = word.partition("/")


def version_numbers(key: str) -> tuple[int, ...] | None:
    """The plain numeric version in `name|version` as numbers, None for any other."""
    parts = key.partition("|")[2].removeprefix("v").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else None


def condition(status: dict[str, Any], type_: str) -> dict[str, Any] | None:
    """The condition of a type, or None."""
    found = (c for c in status.get("conditions") or [] if c["type"] == type_)
    return next(found, None)


def both(status: dict[str, Any], type_: str) -> list[dict[str, Any]]:
    """The bare condition and its twin, as far as they are there."""
    found = (condition(status, name) for name in (type_, PREFIX + type_))
    return [c for c in found if c is not None]


def at(*steps: str) -> tuple[str, ...]:
    """A path below the status."""
    return ("status", *steps)


def annotation(key: str, *steps: str) -> tuple[str, ...]:
    """A path to an annotation, or into the JSON of one."""
    return ("metadata", "annotations", key, *steps)


def label(key: str) -> tuple[str, ...]:
    """A path to a label."""
    return ("metadata", "labels", key)


def some(rng: Random, items: Iterable[T], count: int) -> list[T]:
    """At most `count` of the items, drawn."""
    pool = list(items)
    return pool if len(pool) <= count else rng.sample(pool, count)


def is_status(word: Any) -> bool:
    """Whether a word is one of the eight."""
    return word in STATUSES
