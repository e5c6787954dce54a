"""What a place in a Node's annotation lately held, as far as it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.run import Run


def formerly(run: Run, trail: Trail) -> Iterator[View | None]:
    """The entry under the trail's last key in each former value, the latest first; None: no entry.

    For places of the form ``metadata.annotations.<name>|json.<key>``. What was no JSON map tells nothing.
    """
    node = run.new.text("metadata", "name") if run.new is not None else None
    if node is None:
        return
    annotation = trail.field.names()[2]
    for text in reversed(run.evidence.lately(node, annotation)):
        held = text.inside if text is not None else None
        if held is not None and held.fields is not None:
            yield held.child(trail.last)
