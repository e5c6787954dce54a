"""What upstream lets through and people ask for: said once, when a write brings it in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run


def fresh(judge: CheckJudge) -> CheckJudge:
    """``judge``, silent about what it says of the old object as well."""

    def judged(run: Run, old: View | None, new: View | None, trail: Trail) -> list[Mark]:
        marks = list(judge(run, old, new, trail))
        if marks and run.old is not None:
            known = {(m.field, m.message) for m in judge(run.settled(), old, old, trail)}
            marks = [mark for mark in marks if (mark.field, mark.message) not in known]
        return marks

    return judged
