"""The operator's read-modify-write of conditions, old and new releases, against a store with our mutator.

Played as upstream's code does it (wrapper/skyhook_conditions.go, controller ReportState): conditions
are asserted one by one on a cached copy; if one of them changed anything, the array is written and
the reconcile ends there, to come again.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import jsonpatch
import msgspec

from webhook.mutations.keeper import Keeper, keep

P = "skyhook.nvidia.com"
START = datetime(2026, 11, 29, tzinfo=UTC)
MIRRORED = (
    "Ready",
    "TaintNotTolerable",
    "NodesIgnored",
    "ApplyPackage",
    "DeploymentPolicyNotFound",
)

Conditions = list[dict[str, Any]]


@dataclass
class Store:
    """One Skyhook, every status write of which passes our mutator."""

    keeper: Keeper
    status: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    now: datetime = START

    def write(self, status: dict[str, Any]) -> None:
        """A status write; what lands is what the patch leads to."""
        self.now += timedelta(seconds=2)
        old, new = ({"metadata": {"generation": 1}, "status": s} for s in (self.status, status))
        kept = keep(self.keeper, _raw(new), _raw(old), self.now)
        assert not kept.doubt
        patch = [] if kept.patch is None else json.loads(kept.patch)
        landed = jsonpatch.JsonPatch(patch).apply(copy.deepcopy(new))["status"]
        if landed != self.status:
            self.status, self.version = landed, self.version + 1

    def conditions(self) -> dict[str, dict[str, Any]]:
        listed: Conditions = self.status.get("conditions") or []
        assert len({c["type"] for c in listed}) == len(listed)
        return {c["type"]: c for c in listed}


@dataclass
class World:
    """What the operator finds: Ready's words, and further conditions it asserts or removes."""

    ready: tuple[str, str, str]
    true: frozenset[str] = frozenset()


class Operator:
    """One release of the operator with a cache of its own."""

    def __init__(self, store: Store, release: str) -> None:
        self.store = store
        self.prefixed_only = release == "0.15"
        self.cache: dict[str, Any] = {}
        self.watch()

    def watch(self) -> None:
        """The cache catches up."""
        self.cache = copy.deepcopy(self.store.status)

    def reconcile(self, world: World, *, stale: bool = False) -> bool:
        """One pass; whether it wrote. A stale one works on the copy of the pass before."""
        if not stale:
            self.watch()
        listed: Conditions = copy.deepcopy(self.cache.get("conditions") or [])
        before = copy.deepcopy(listed)
        status, reason, message = world.ready
        for name in self._names("Ready"):
            self._assert(listed, name, status, reason, message)
        self._assert(listed, f"{P}/Transition", status, reason, message)
        for kind in ("ApplyPackage", "DeploymentPolicyNotFound", "Blocked"):
            for name in self._names(kind):
                if kind in world.true:
                    self._assert(listed, name, "True", kind, "because")
                else:
                    listed[:] = [c for c in listed if c["type"] != name]
        if listed == before:
            return False
        self.store.write({**self.store.status, "conditions": listed})  # a merge patch: array whole
        return True

    def _names(self, kind: str) -> list[str]:
        if kind == "Blocked":  # upstream never prefixes it; 0.15 does not know it
            return [] if self.prefixed_only else [kind]
        return [f"{P}/{kind}"] if self.prefixed_only else [kind, f"{P}/{kind}"]

    def _assert(
        self, listed: Conditions, kind: str, status: str, reason: str, message: str
    ) -> None:
        was = next((c for c in listed if c["type"] == kind), None)
        since = f"{self.store.now:%Y-%m-%dT%H:%M:%SZ}"
        if was is not None and was["status"] == status:
            since = was["lastTransitionTime"]
        said = {
            "lastTransitionTime": since,
            "message": message,
            "observedGeneration": 1,
            "reason": reason,
            "status": status,
            "type": kind,
        }
        if was is None:
            listed.append(said)
        else:
            was.update(said)


def settle(operator: Operator, world: World, most: int = 3) -> int:
    """Reconciles until a pass writes nothing; how many wrote. Fails when the operator is kept busy."""
    for count in range(most + 1):
        if not operator.reconcile(world):
            return count
    raise AssertionError(f"still writing after {most} passes over an unchanged world")


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value, separators=(",", ":")).encode())
