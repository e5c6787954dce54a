"""The move to nodewright.nvidia.com: told to people who still write the old objects, once in a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.checks.parameters import known, word
from webhook.core.finding import Severity
from webhook.core.view import same
from webhook.core.writer import CONTROLLERS
from webhook.lifecycle.rule import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def old_group(parameters: Mapping[str, Any]) -> CheckJudge:
    """Objects of the old group are copied once, then frozen, then gone (migration.md).

    Asked on ``spec`` and on the switches among the annotations. Parameters: ``group``: of the objects;
    ``removed``: the first release without it; ``kind``: what they are called in the new group.
    """
    known(parameters, "group", "removed", "kind")
    group, removed = word(parameters, "group"), word(parameters, "removed")
    kind = word(parameters, "kind")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if run.new is None or same(old, new):
            return
        severity = Severity.AUDIT if run.writer in CONTROLLERS else None
        if run.old is not None and run.new.at("metadata", "deletionTimestamp") is None:
            text = (
                f"operator {run.release} has copied this object to nodewright.nvidia.com and refuses"
                f" changes of it; change the {kind} of that name, and delete this one (skyhook-webhook migrate)"
            )
            yield Mark(trail.field, text, severity, rarely=True)
        elif run.old is None and trail.field.names() == ("spec",):
            text = (
                f"group {group} goes with operator {removed}, and with it what is left in it; write a"
                f" {kind} of nodewright.nvidia.com instead (skyhook-webhook migrate)"
            )
            yield Mark(trail.field, text, severity, rarely=True)

    return judge
