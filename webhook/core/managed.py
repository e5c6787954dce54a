"""When something in an object last changed, as its ``managedFields`` tell.

An entry's time is that of its manager's last change of a value that it owns, in whole seconds. A
value that was only taken away leaves no trace: absence is never dated here.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.core.view import View


def annotation_changed(node: View, annotation: str) -> datetime | None:
    """The latest that the annotation's value was written; None where nothing tells."""
    path = ("fieldsV1", "f:metadata", "f:annotations", f"f:{annotation}")
    return max(
        _times(entry for entry in _entries(node) if entry.at(*path) is not None), default=None
    )


def status_changed(obj: View) -> datetime | None:
    """The latest that anybody wrote the status subresource; None where nothing tells."""
    return max(
        _times(entry for entry in _entries(obj) if entry.text("subresource") == "status"),
        default=None,
    )


def spec_changed(obj: View) -> datetime | None:
    """The latest that anybody wrote something in the spec; None where nothing tells."""
    owners = (e for e in _entries(obj) if e.at("fieldsV1", "f:spec") is not None)
    return max(_times(owners), default=None)


def _entries(obj: View) -> list[View]:
    fields = obj.at("metadata", "managedFields")
    return (fields.items if fields is not None else None) or []


def _times(entries: Iterator[View]) -> Iterator[datetime]:
    for entry in entries:
        try:
            moment = datetime.fromisoformat(entry.text("time") or "")
        except ValueError:
            continue
        if moment.tzinfo is not None:
            yield moment
