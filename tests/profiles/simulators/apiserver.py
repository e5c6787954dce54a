"""One object behind the rules of kube-apiserver; every write to it is judged, and what is denied is not stored.

Generation as in apiextensions-apiserver's customresource strategy: a change of the spec makes a new one,
and so does a DELETE that a finalizer holds up (registry store.go BeforeDelete); metadata and status do not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Raw
from msgspec.json import Encoder, decode

from webhook.catalog import Catalog, shipped
from webhook.core.finding import Severity
from webhook.reviews.policy import Policy
from webhook.reviews.verdict import judge
from webhook.reviews.wire import AdmissionRequest, GroupVersionKind, UserInfo

if TYPE_CHECKING:
    from random import Random

    from webhook.core.finding import Finding

Object = dict[str, Any]
encode = Encoder(order="deterministic").encode  # the API server sorts keys too


@cache
def _catalog(profile: str) -> Catalog:
    return Catalog.of([shipped(profile)])


class ConflictError(Exception):
    """The resourceVersion that was sent is not the newest."""


class Clock:
    """A clock that jumps on, by nothing or by minutes, whenever somebody looks."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> str:
        self._now += timedelta(seconds=self._rng.choice([0, 1, 5, 30, 300]))
        return f"{self._now:%FT%TZ}"


@dataclass(frozen=True, slots=True)
class Denial:
    """A write that was refused, and why."""

    who: str
    old: bytes
    new: bytes
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        return f"{self.who}: " + "; ".join(
            f"{f.rule} {f.field}: {f.message}" for f in self.findings
        )


@dataclass(slots=True)
class Tally:
    """What a simulation saw."""

    writes: int = 0
    conflicts: int = 0
    denied: list[Denial] = field(default_factory=list)
    warned: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)


class ApiServer:
    """The stored object with its whole history, as bytes."""

    def __init__(self, profile: str, created: Object, tally: Tally) -> None:
        self._catalog = _catalog(profile)
        self.match = shipped(profile).guards[0].match
        self._policy = Policy()
        self.tally = tally
        created.setdefault("metadata", {})["generation"] = 1
        self.history = [encode(created)]

    @property
    def newest(self) -> int:
        """The resourceVersion of what is stored."""
        return len(self.history) - 1

    def read(self, version: int | None = None) -> Object:
        """What is stored, or was at a resourceVersion (from a cache)."""
        found: Object = decode(self.history[self.newest if version is None else version])
        return found

    def update(self, who: str, new: Object, version: int | None = None, user: str = "") -> bool:
        """Replaces metadata and spec. Raises ConflictError; False when denied."""
        self._same(version)
        stored = self.read()
        bumped = new.get("spec") != stored.get("spec")
        generation = stored["metadata"]["generation"] + bumped
        metadata = {**new["metadata"], "generation": generation}
        return self._store(who, {**new, "metadata": metadata, "status": stored["status"]}, user)

    def update_status(self, who: str, new: Object, version: int | None = None) -> bool:
        """Replaces the status, through its subresource. Raises ConflictError; False when denied."""
        self._same(version)
        return self._store(who, {**self.read(), "status": new["status"]}, "")

    def delete(self) -> None:
        """A DELETE that a finalizer holds up: no UPDATE, so nobody judges it."""
        gone = self.read()
        if "deletionTimestamp" not in gone["metadata"]:
            gone["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
            gone["metadata"]["generation"] += 1
            self.history.append(encode(gone))

    def verdict(
        self, old: bytes, new: bytes, user: str = "", version: str = ""
    ) -> tuple[Finding, ...]:
        """What the engine says of a write, whether it is stored or not; denials first."""
        kind = GroupVersionKind(self.match.group, self.match.versions[0], self.match.kind)
        request = AdmissionRequest(
            uid="simulated",
            operation="UPDATE",
            kind=kind,
            request_kind=GroupVersionKind(kind.group, version or kind.version, kind.kind),
            user_info=UserInfo(user),
            object=Raw(new),
            old_object=Raw(old),
        )
        return judge(request, self._catalog, self._policy).findings

    def _same(self, version: int | None) -> None:
        if version is not None and version != self.newest:
            self.tally.conflicts += 1
            raise ConflictError

    def _store(self, who: str, whole: Object, user: str) -> bool:
        old, new = self.history[-1], encode(whole)
        if new == old:
            return True
        self.tally.writes += 1
        self.tally.made[who] += 1
        findings = self.verdict(old, new, user)
        denials = tuple(f for f in findings if f.severity is Severity.DENY)
        self.tally.warned.update(f.rule for f in findings if f.severity is Severity.WARN)
        if denials:
            self.tally.denied.append(Denial(who, old, new, denials))
            return False
        self.history.append(new)
        return True


def set_condition(conditions: list[Object], condition: Object) -> None:
    """As meta.SetStatusCondition: the first of that type takes the new fields, or it is added."""
    for there in conditions:
        if there["type"] == condition["type"]:
            there.update(condition)
            return
    conditions.append(dict(condition))


def find_condition(conditions: list[Object], kind: str) -> Object | None:
    """The first condition of a type."""
    return next((c for c in conditions if c["type"] == kind), None)


def merge_patch(target: Object, before: Object, after: Object) -> None:
    """What a JSON merge patch made of (before -> after) does to another object."""
    for key in {*before, *after}:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if new is None:
            target.pop(key, None)
        elif isinstance(new, dict):
            merge_patch(target.setdefault(key, {}), old if isinstance(old, dict) else {}, new)
        else:
            target[key] = decode(encode(new))
