"""Writes that the CLI really makes on skyhooks/status (transitions I.2), recognised by shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.run import Run


def _batches(root: View | None) -> dict[str, int | None]:
    """CurrentBatch of each compartment that has a batchState."""
    there = root.at("status", "compartmentStatuses") if root is not None else None
    found: dict[str, int | None] = {}
    for name in there.members if there is not None else ():
        batch = there.at(name, "batchState") if there is not None else None
        if batch is not None:
            found[name] = batch.number("currentBatch")
    return found


def batch_reset(run: Run, _trail: Trail) -> bool:
    """``reset`` and ``deployment-policy reset``: every batch back to 1, at least one in this write.

    The CLI sends the whole status as it read it a moment before, so older values may come back.
    """
    if run.old is None:
        return False
    before, after = _batches(run.old), _batches(run.new)
    fell = any((was := before.get(name)) is not None and was > 1 for name in after)
    return fell and all(batch == 1 for batch in after.values())


def order_reset(run: Run, _trail: Trail) -> bool:
    """``reset``: nodeOrderOffset 0 and nodePriority gone, together."""
    if run.new is None:
        return False
    queue = run.new.at("status", "nodePriority")
    return not run.new.number("status", "nodeOrderOffset") and (queue is None or not queue.members)
