"""How places, sources and writes are spelled out for people."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from webhook.lifecycle.path import StepKind, parse
from webhook.lifecycle.rule import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.lifecycle.model import Profile

_CAPTURE: Final = re.compile(r"\{(\w+)\}")
_INVARIANT: Final = re.compile(r"(?:; )?\bI\d\d(?:, I\d\d)*(?:; )?")
_EMPTY: Final = re.compile(r"\s*\((?:\s|,)*\)")
_NAMED: Final = re.compile(
    r"(?:\.|^)(?:nodeStatus|nodePriority|nodeBootIds|nodeState|packages|compartmentStatuses|configUpdates"
    r"|annotations|labels|configMap|configInterrupts|dependsOn|matchLabels)$"
)
"""Fields whose keys are names; other keys are names where they are no words."""


def place(path: str) -> str:
    """A path of the profile language as findings print places, with ``<name>`` for what varies."""
    text = ""
    for step in parse(path):
        if step.kind is StepKind.INSIDE:
            continue
        name = "*" if step.star else _CAPTURE.sub(r"<\1>", step.name)
        bracketed = step.star or step.bracketed
        text += f"[{name}]" if bracketed else f".{name}" if text else name
    return text


def source_of(profile: Profile, text: str) -> str:
    """Where a rule comes from, with whole names of files and without numbers of our own."""
    for short, file in profile.files.items():
        text = re.sub(rf"\b{short}(?=[: ])", file, text)
    return _EMPTY.sub("", _INVARIANT.sub("", text)).strip()


def changes(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> list[str]:
    """What a write changes, a line each: ``place: old -> new``; for a new object all of it."""
    if old is None:
        return [f"{at}: {show(value)}" for at, value in _leaves(new, "")]
    return [f"{at}: {show(was)} -> {show(now)}" for at, was, now in _apart(old, new, "")]


def _apart(old: Any, new: Any, at: str) -> Iterator[tuple[str, Any, Any]]:
    """(place, old, new) of the smallest parts that differ; what came or went is one part."""
    was, now = _members(old, at), _members(new, at)
    if was is None or now is None:
        if old != new:
            yield at, old, new
        return
    for name in [*was, *(name for name in now if name not in was)]:
        yield from _apart(was.get(name), now.get(name), name)


def _leaves(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    members = _members(value, at)
    if not members:
        yield at, value
        return
    for name, below in members.items():
        yield from _leaves(below, name)


def _members(value: Any, at: str) -> dict[str, Any] | None:
    """What a value holds, by place: fields, elements with a type, and JSON in texts."""
    document = _opened(value)
    if isinstance(document, dict):
        named = document is not value
        return {_below(at, key, named=named): below for key, below in document.items()}
    if isinstance(value, list) and value and all(map(_typed, value)):
        return {f"{at}[{item['type']}]": item for item in value}
    return None


def _opened(value: Any) -> Any:
    """The map that a text of JSON holds, else the value itself."""
    try:
        document = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
    return document if isinstance(document, dict) else value


def _typed(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("type"), str)


def _below(at: str, key: str, *, named: bool) -> str:
    if named or _NAMED.search(at) or not re.fullmatch(r"[A-Za-z]\w*", key):
        return f"{at}[{key}]"
    return f"{at}.{key}" if at else key
