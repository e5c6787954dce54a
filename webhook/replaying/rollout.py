"""Steps of rollouts, for a picture of them: which package on which node came to which stage, when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.view import same, view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.core.view import View
    from webhook.replaying.write import Write
    from webhook.reviews.verdict import Verdict

_NODE_STATE: Final = "/nodeState_"


class Step(msgspec.Struct, frozen=True, array_like=True):
    """One step.

    Attributes:
        time: seconds since 1970.
        rollout: the Skyhook's name.
        node: the Node's name; "" for the rollout as a whole.
        package: name and version, "name|1.2.3"; "" for the rollout as a whole.
        old, new: "stage/state", or the status word; "" for absent.
        wrong: 2 where a rule denies the step (or would), 1 where one warns, else 0.
        user: who made it.
    """

    time: float
    rollout: str
    node: str
    package: str
    old: str
    new: str
    wrong: int
    user: str


def steps_of(write: Write, verdict: Verdict) -> Iterator[Step]:
    """The steps in one write of a Node, or of a Skyhook's status."""
    request = write.request
    if write.time is None or request.operation not in ("CREATE", "UPDATE"):
        return
    old, new = view(request.old_object), view(request.object)
    if new is None:
        return
    user = request.user_info.username if request.user_info is not None else ""
    name = request.name or new.text("metadata", "name") or ""
    wrong = _wrong(verdict)
    if request.kind.kind == "Node":
        for rollout, package, was, now, place in _packages(old, new):
            fault = max((n for field, n in wrong.items() if _meet(field, place)), default=0)
            yield Step(write.time, rollout, name, package, was, now, fault, user)
        return
    was, now = _text(old, "status", "status"), _text(new, "status", "status")
    if was != now:
        yield Step(write.time, name, "", "", was, now, wrong.get("status.status", 0), user)


def _meet(field: str, place: str) -> bool:
    """Whether a finding about a field is one about a place: the same, in it, or around it."""
    return field.startswith(place) or (bool(field) and place.startswith(field))


def _wrong(verdict: Verdict) -> dict[str, int]:
    found: dict[str, int] = {}
    for finding in verdict.warned:
        found[str(finding.field)] = 1
    for finding in (
        *verdict.denied,
        *(f for f in verdict.findings if f.rule in verdict.would_deny),
    ):
        found[str(finding.field)] = 2
    return found


def _packages(old: View | None, new: View) -> Iterator[tuple[str, str, str, str, str]]:
    """(rollout, package, old, new, field) of each entry that changed."""
    before = old.at("metadata", "annotations") if old is not None else None
    after = new.at("metadata", "annotations")
    was, now = (before.members if before else {}), (after.members if after else {})
    for key in (*now, *(k for k in was if k not in now)):
        if _NODE_STATE not in key or was.get(key) == now.get(key):
            continue
        rollout = key.partition(_NODE_STATE)[2]
        entries = [
            None if side is None or (text := side.child(key)) is None else text.inside
            for side in (before, after)
        ]
        for package, one, two in _changed(*entries):
            yield rollout, package, one, two, f"metadata.annotations[{key}][{package}]"


def _changed(old: View | None, new: View | None) -> Iterator[tuple[str, str, str]]:
    before = old.members if old is not None else {}
    after = new.members if new is not None else {}
    for name in (*after, *(n for n in before if n not in after)):
        was = old.child(name) if old is not None else None
        now = new.child(name) if new is not None else None
        if not same(was, now) and (one := _stand(was)) != (two := _stand(now)):
            yield name, one, two


def _stand(entry: View | None) -> str:
    if entry is None:
        return ""
    return f"{entry.text('stage') or '?'}/{entry.text('state') or '?'}"


def _text(value: View | None, *keys: str) -> str:
    return (value.text(*keys) or "") if value is not None else ""
