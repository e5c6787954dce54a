"""Objects written short: a map of paths to values, laid over a whole object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webhook.lifecycle.path import PathError, Step, StepKind, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def overlaid(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``base`` with ``over`` (path -> value, null to take away) laid over it.

    A path leads through keys, elements by their type (``conditions[Ready]``) and JSON inside of
    strings (``|json``). Raises PathError for one that may lead to several places.
    """
    whole: Any = dict(base)
    for path, value in over.items():
        steps = parse(path)
        if any(step.wild for step in steps):
            raise PathError(f"{path!r}: an example's path has keys only")
        whole = _laid(whole, steps, value)
    return dict(json.loads(json.dumps(whole)))  # a deep copy, of JSON only


def _laid(here: Any, steps: Sequence[Step], value: Any) -> Any:
    """``here`` with the value at the end of the steps; None: nothing is left of it."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if step.kind is StepKind.INSIDE:
        return json.dumps(_laid(_document(here), rest, value))
    if step.kind is StepKind.TYPE:
        return _element(here, step.name, rest, value)
    fields = dict(here) if isinstance(here, dict) else {}
    below = _laid(fields.get(step.name), rest, value)
    if below is None:
        fields.pop(step.name, None)
    else:
        fields[step.name] = below
    return fields


def _document(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return {}


def _element(here: Any, kind: str, rest: Sequence[Step], value: Any) -> list[Any]:
    items = list(here) if isinstance(here, list) else []
    place = next((n for n, item in enumerate(items) if item.get("type") == kind), len(items))
    found = items[place : place + 1] or [{"type": kind}]
    below = _laid(found[0], rest, value)
    return [*items[:place], *([] if below is None else [below]), *items[place + 1 :]]
