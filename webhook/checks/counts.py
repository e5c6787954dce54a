"""Numbers of Skyhook.status that must add up within one object or one write."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from webhook.core.field import FieldPath
from webhook.core.finding import CauseType
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift, on_creation, once

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_STATUS: Final = FieldPath().child("status")
_ITEM: Final = re.compile(r"[^:,\s]+:[^,\s]+")
_FRACTION: Final = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@lru_cache(1024)
def fraction(text: str | None) -> tuple[int, int] | None:
    """``2/3`` -> (2, 3); None for anything else."""
    found = _FRACTION.fullmatch(text) if text is not None else None
    return (int(found[1]), int(found[2])) if found else None


def complete_nodes(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``completeNodes`` is "x/y" with x <= y (I08)."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None:
            return
        parts = fraction(new.value if isinstance(new.value, str) else None)
        if parts is None:
            text = f'{show(new.value)} must be "<complete>/<selected>", as in "2/3"'
        elif parts[0] > parts[1]:
            text = f"{show(new.value)}: {parts[0]} nodes cannot be complete of {parts[1]} that are selected"
        else:
            return
        yield Mark(trail.field, text, type=CauseType.INVALID, closed=True)

    return Swift(judge, _is_fraction)


def _is_fraction(_run: Run, new: Any, _key: str) -> bool:
    parts = fraction(new) if type(new) is str else None
    return parts is not None and parts[0] <= parts[1]


def in_progress_fits(_parameters: Mapping[str, Any]) -> CheckJudge:
    """NodesInProgress and the complete ones together are no more than selected (I12)."""

    def counted(root: View | None) -> tuple[int, int, int]:
        """In progress, complete, selected; zeros where that is not known."""
        parts = fraction(root.text("status", "completeNodes")) if root else None
        busy = root.number("status", "nodesInProgress") if root else None
        return (0, 0, 0) if parts is None or busy is None else (busy, *parts)

    def clean(run: Run) -> bool:
        busy, done, all_of_them = counted(run.new)
        return busy + done <= all_of_them

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        busy, done, all_of_them = counted(run.new)
        if busy + done > all_of_them >= done:
            text = f"{busy} in progress and {done} complete are more than the {all_of_them} nodes that are selected (status.completeNodes)"
            yield Mark(_STATUS.child("nodesInProgress"), text)

    return Swift(judge, once(clean))


def offset_counts(_parameters: Mapping[str, Any]) -> CheckJudge:
    """NodeOrderOffset rises by the number of keys that leave nodePriority (WS:270, I29)."""

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        if run.old is None or run.new is None:
            return
        was = run.old.number("status", "nodeOrderOffset") or 0
        now = run.new.number("status", "nodeOrderOffset") or 0
        left = len(_keys(run.old, "nodePriority") - _keys(run.new, "nodePriority"))
        if now - was != left and now >= 0:
            text = (
                f"{was} -> {now}, but {_nodes(left)} leave{'s' * (left == 1)} status.nodePriority"
                f" in this write; it must become {was + left}"
            )
            yield Mark(_STATUS.child("nodeOrderOffset"), text)

    return Swift(judge, on_creation)


def _nodes(count: int) -> str:
    return f"{count} node{'s' * (count != 1)}"


def _keys(root: View, name: str) -> set[str]:
    there = root.at("status", name)
    return set() if there is None else set(there.members)


def compartment(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A compartment's numbers (I40): none negative, none over matched, percent = completed/matched."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None:
            return
        matched = new.number("matched")
        done = new.number("completed")
        for name in ("matched", "ceiling", "completed", "inProgress"):
            value = new.number(name)
            if value is not None and value < 0:
                yield _bad(trail, name, f"{value}: it is never less than 0", closed=True)
        if matched is None or matched < 0:
            return
        for name in ("completed", "inProgress"):
            value = new.number(name)
            if value is not None and value > matched:
                yield _bad(
                    trail, name, f"{value} is more than the {_nodes(matched)} in this compartment"
                )
        percent = new.number("progressPercent")
        if done is None or done > matched:
            return
        want = done * 100 // matched if matched else 0
        if percent is not None and percent != want:
            text = f"{percent}, but {done} of {_nodes(matched)} are complete: it must be {want}"
            yield _bad(trail, "progressPercent", text)

    return judge


def _bad(trail: Trail, name: str, text: str, *, closed: bool = False) -> Mark:
    return Mark(trail.field.child(name), text, type=CauseType.INVALID, closed=closed)


def matched_total(_parameters: Mapping[str, Any]) -> CheckJudge:
    """The compartments together match as many nodes as are selected (I42)."""

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        compartments = run.new.at("status", "compartmentStatuses") if run.new else None
        parts = fraction(run.new.text("status", "completeNodes")) if run.new else None
        if compartments is None or parts is None or not compartments.members:
            return
        total = 0
        for name in compartments.members:
            one = compartments.child(name)
            total += (one.number("matched") or 0) if one is not None else 0
        if total != parts[1]:
            text = (
                f"the compartments hold {_nodes(total)}, but status.completeNodes says that"
                f" {parts[1]} are selected; each selected node is in one compartment"
            )
            yield Mark(_STATUS.child("compartmentStatuses"), text)

    return Swift(judge, _no_compartments)


def _no_compartments(run: Run, _new: Any, _key: str) -> bool:
    return run.new is None or run.new.at("status", "compartmentStatuses") is None


def sorted_list(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``packageList``: sorted, unique "name:version" items, comma-joined (I13)."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        value = new.value if new is not None else None
        if not isinstance(value, str) or not value:
            return
        items = value.split(",")
        wrong = [item for item in items if not _ITEM.fullmatch(item)]
        if wrong:
            text = f'{show(wrong[0])} must be "<package>:<version>", as in "tuning:1.2.3"'
        elif items != sorted(set(items)):
            wanted = ",".join(sorted(set(items)))
            text = f"{show(value)} must be sorted, each package once: {show(wanted)}"
        else:
            return
        yield Mark(trail.field, text, type=CauseType.INVALID, closed=True)

    return judge
