"""There and back: what of a document would not survive it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.core.view import equal_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.cli.target import Target
    from webhook.documents import Document

_SAID: Final = ("status", "reason", "message", "observedGeneration", "lastTransitionTime")


def losses(document: Document, target: Target) -> Iterator[str]:
    """A line for each thing that is lost, with its place; none for a document that passes.

    What is made on the way (mirrors) is no loss; neither is a null list of conditions.
    """
    value = document.value
    if target.conversion_of(value) is None:
        return
    back = target.back(target.value(value))
    place = f"{document.source}:{document.position()}"
    if not equal_values(_rest(value), _rest(back)):
        yield f"{place}: something outside status.conditions changes"
    now = {c["type"]: c for c in _conditions(back)}
    for index, was in enumerate(_conditions(value)):
        kind = was["type"]
        where = f"{document.source}:{document.position(('status', 'conditions', index))}"
        field = f"status.conditions[{kind}]"
        if kind not in now:
            twin = now.get(kind.partition("/")[2], {})
            lost = _differing(was, twin)
            yield f"{where}: {field} is dropped" + (f", with its {lost}" if lost else "")
        elif not equal_values(was, now[kind]):
            yield f"{where}: {field} follows its bare twin and loses its {_differing(was, now[kind])}"


def _rest(value: dict[str, Any]) -> dict[str, Any]:
    rest = {k: v for k, v in value.items() if k != "apiVersion"}
    status = rest.get("status")
    if isinstance(status, dict):
        rest["status"] = {k: v for k, v in status.items() if k != "conditions"}
    return rest


def _conditions(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The conditions of a status; an empty list for what is no list of them."""
    status = value.get("status")
    listed = status.get("conditions") if isinstance(status, dict) else None
    if not isinstance(listed, list):
        return []
    return [c for c in listed if isinstance(c, dict) and isinstance(c.get("type"), str)]


def _differing(was: dict[str, Any], now: dict[str, Any]) -> str:
    return ", ".join(k for k in _SAID if k in was and not equal_values(was[k], now.get(k)))
