"""Copies that no Node ever held, planted into a story: what only memory or a look at the Node tells.

Beside kinds 1, 2 and 39 of list L, whose variants carry the Node: here it must be known from before.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.corpus.differences import NODE_STATE, readable_map
from tests.planted.view import LEGAL_PAIRS, STATUS_KEY, at
from tests.planted.words import GHOSTS, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from tests.planted.variant import Path

UNSET: Final = {"waiting", "unknown"}
FIELDS: Final = ("stage", "state", "image", "containerSHA")


@dataclass(frozen=True, slots=True)
class Lie:
    """A review with one copy in it that is none.

    Attributes:
        form: which kind.
        review: the whole, without the recorder's own keys.
        place: of the copy.
        new_words: whether some field of it was never there; else only the combination was not.
    """

    form: str
    review: dict[str, Any]
    place: Path
    new_words: bool = True


@dataclass(slots=True)
class History:
    """Everything that each Node's annotations ever said, or may have said, in a story so far."""

    held: dict[tuple[str, str], set[str | None]] = field(default_factory=dict)

    def look(self, request: dict[str, Any]) -> None:
        """Takes note of a Node's review."""
        if request["kind"]["kind"] != "Node" or request["operation"] == "DELETE":
            return
        sides = [request[side] for side in ("oldObject", "object") if request.get(side)]
        read = [side["metadata"].get("annotations") or {} for side in sides]
        known = {key for node, key in self.held if node == request["name"]}
        for key in known.union(*read):
            if key.startswith((NODE_STATE, STATUS_KEY)):
                values = self.held.setdefault((request["name"], key), {None})
                values.update(annotations.get(key) for annotations in read)

    def entries(self, node: str, skyhook: str, key: str) -> list[dict[str, Any]]:
        """What the package's entry ever was."""
        values = self.held.get((node, NODE_STATE + skyhook), ())
        maps = [readable_map(value) or {} for value in values if value is not None]
        return [one[key] for one in maps if isinstance(one.get(key), dict)]


def lies(history: History, review: dict[str, Any], rng: Random) -> Iterator[Lie]:
    """One of each form that this write has a place for."""
    request = review["request"]
    old, new = request.get("oldObject") or {}, request.get("object") or {}
    if request["kind"]["kind"] != "Skyhook" or request.get("subResource") != "status" or not old:
        return
    name = new["metadata"]["name"]
    places = [
        (node, key, entry)
        for node, packages in (new["status"].get("nodeState") or {}).items()
        if (node, NODE_STATE + name) in history.held
        for key, entry in packages.items()
    ]
    if places:
        node, key, entry = rng.choice(places)
        before = ((old["status"].get("nodeState") or {}).get(node) or {}).get(key)
        had = [*history.entries(node, name, key), *([before] if before else [])]
        for form, change in _changes(entry, had, rng):
            place = at("nodeState", node, key)
            words = any(change.get(f) not in [e.get(f) for e in had] for f in FIELDS if f in change)
            yield _planted(review, form, place, {**entry, **change}, new_words=words)
    yield from _words(history, review, rng)


def _changes(
    entry: dict[str, Any], had: list[dict[str, Any]], rng: Random
) -> Iterator[tuple[str, dict[str, str]]]:
    pairs = {(e.get("stage"), e.get("state")) for e in had}
    never = sorted(LEGAL_PAIRS - pairs - {(entry["stage"], entry["state"])})
    stage, state = rng.choice(never)
    yield "pair", {"stage": stage, "state": state}
    mixed = [p for p in never if all(p[i] in {q[i] for q in pairs} for i in (0, 1))]
    if mixed:
        stage, state = rng.choice(mixed)
        yield "mixture", {"stage": stage, "state": state}
    yield "image", {"image": "registry.example/never"}
    yield "sha", {"containerSHA": "sha256:" + "0" * 64}


def _words(history: History, review: dict[str, Any], rng: Random) -> Iterator[Lie]:
    old, new = review["request"]["oldObject"], review["request"]["object"]
    name = new["metadata"]["name"]
    known = [
        n for n in new["status"].get("nodeStatus") or {} if (n, STATUS_KEY + name) in history.held
    ]
    if known:
        node = rng.choice(known)
        before = (old["status"].get("nodeStatus") or {}).get(node)
        held = history.held[node, STATUS_KEY + name]
        never = set(STATUSES) - held - {before} - UNSET
        if never and (before is None or before in STATUSES):
            yield _planted(review, "word", at("nodeStatus", node), rng.choice(sorted(never)))


def ghost(review: dict[str, Any], rng: Random) -> Iterator[Lie]:
    """An entry for a Node that there never was."""
    request = review["request"]
    if request["kind"]["kind"] == "Skyhook" and request.get("subResource") == "status":
        yield _planted(review, "ghost", at("nodeStatus", rng.choice(GHOSTS)), rng.choice(STATUSES))


def _planted(
    review: dict[str, Any], form: str, place: Path, value: Any, *, new_words: bool = True
) -> Lie:
    planted = {name: deepcopy(review[name]) for name in ("apiVersion", "kind", "request")}
    here = planted["request"]["object"]
    for step in place[:-1]:
        here = here.setdefault(step, {})
    here[place[-1]] = value
    return Lie(form, planted, place, new_words)


def written_by(lie: Lie, user: str) -> bytes:
    """The review as somebody else's."""
    request = {**lie.review["request"], "userInfo": {"username": user, "groups": []}}
    return json.dumps({**lie.review, "request": request}).encode()
