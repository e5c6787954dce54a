"""``Ready`` for operators that write none: the projection of ``status.status`` and ``nodeStatus``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.core.conditions import Condition, MirrorNames, says_the_same
from webhook.core.view import View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READY: Final = "Ready"
REASONS: Final[Mapping[str, str]] = {
    "complete": "NodesConverged",
    "in_progress": "Progressing",
    "blocked": "Blocked",
    "erroring": "Erroring",
    "paused": "Paused",
    "waiting": "Waiting",
    "disabled": "Disabled",
    "unknown": "Unknown",
}
"""status.status -> reason (wrapper/skyhook_conditions.go SkyhookReadyConditionReason)."""

MOST_NAMES: Final = 10
"""More nodes in a bucket are not listed (ReadyConditionNodeListLimit)."""
_BUCKETS: Final = (
    "in_progress", "blocked", "erroring", "waiting", "paused", "disabled", "unknown",
)  # fmt: skip
_TRUNCATED: Final = " (list truncated; see controller logs)"


_ENCODE: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Projected:
    """What Ready should say."""

    status: str
    reason: str
    message: str

    def by(self, condition: Condition) -> bool:
        """Whether a condition says this."""
        said = condition.said
        found = (View(raw).value for raw in (said.status, said.reason, said.message))
        return tuple(found) == (self.status, self.reason, self.message)


@dataclass(frozen=True, slots=True)
class Since:
    """When a condition is written, and for which spec.

    Attributes:
        now: lastTransitionTime of a status that changes.
        generation: metadata.generation, for observedGeneration; None when it is not known.
    """

    now: datetime
    generation: int | None


def ready_message(nodes: Mapping[str, str]) -> str:
    """The operator's sentence about its nodes (skyhookReadyConditionMessageFromStatusGroups).

    Args:
        nodes: node name -> its status, all selected nodes.
    """
    names = sorted(nodes)
    done = [name for name in names if nodes[name] == "complete"]
    parts = [f"{len(done)}/{len(names)} nodes complete{_listed(done)}"]
    for bucket in _BUCKETS:
        inside = [name for name in names if nodes[name] == bucket]
        if inside:
            label = "in progress" if bucket == "in_progress" else bucket
            parts.append(f"{len(inside)} {label}{_listed(inside)}")
    return ", ".join(parts)


def projection(word: View | None, nodes: View | None, boots: View | None) -> Projected | None:
    """What Ready should say; None without a status that has a projection.

    Args:
        word: ``status.status``.
        nodes: ``status.nodeStatus``.
        boots: ``status.nodeBootIds``, which names the selected nodes before they have a status.
    """
    status = None if word is None else word.value
    states = {} if nodes is None else nodes.value
    if not isinstance(status, str) or status not in REASONS or not isinstance(states, dict):
        return None
    selected = dict.fromkeys({} if boots is None else boots.members, "unknown")
    selected |= {name: str(state) for name, state in states.items()}
    done = "True" if status == "complete" else "False"
    return Projected(done, REASONS[status], ready_message(selected))


def with_ready(
    new: list[Condition],
    old: Mapping[str, Condition],
    said: Projected,
    before: Projected | None,
    names: MirrorNames,
    since: Since,
) -> list[Condition]:
    """The conditions with ``Ready`` projected where no writer says it.

    One that an operator writes is never touched. One that is there is ours, and follows, while it
    says exactly what the projection of the old status says and this write leaves it alone.

    Args:
        new: the conditions of the write.
        old: those before it, by type.
        said: what Ready should say.
        before: what it should have said by the old status.
        names: under any of these names, Ready is Ready.
        since: what else goes into a condition.
    """
    was = old.get(READY)
    pair = {READY, *(f"{prefix}/{READY}" for prefix in names.prefixes)}
    there = [c for c in new if c.type in pair]
    if not there:
        return [*new, _condition(said, was, since)]
    if before is None or not _is_ours(there, old, before):
        return new
    return [
        _condition(said, was, since, c.origin) if c.type == READY and not said.by(c) else c
        for c in new
    ]


def _is_ours(there: Sequence[Condition], old: Mapping[str, Condition], before: Projected) -> bool:
    """Whether the Ready that is there is the old projection, left alone by this write."""
    if all(c.type != READY for c in there):
        return False
    was = [(old.get(c.type), c) for c in there]
    return all(o is not None and says_the_same(o, n) and before.by(o) for o, n in was)


def _condition(
    said: Projected, was: Condition | None, since: Since, origin: int | None = None
) -> Condition:
    """Ready as a condition; lastTransitionTime is kept while its status is."""
    moment: Any = since.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if was is not None and View(was.said.status).value == said.status:
        moment = was.members.get("lastTransitionTime", moment)
    members: dict[str, Any] = {"lastTransitionTime": moment, "message": said.message}
    if since.generation is not None:
        members["observedGeneration"] = since.generation
    members |= {"reason": said.reason, "status": said.status, "type": READY}
    return Condition.of(msgspec.Raw(_ENCODE.encode(members)), origin)


def _listed(names: Sequence[str]) -> str:
    if not names:
        return ""
    return _TRUNCATED if len(names) > MOST_NAMES else f" ({', '.join(names)})"
