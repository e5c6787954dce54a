"""Profiles that build on another one: ``extends``, ``without``, and the settings of a base.

Pure functions over parsed documents, before any model sees them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

FAMILIES: Final = (
    "tracks", "monotone", "requires", "projections", "unique", "owned", "checks",
)  # fmt: skip
"""The rule families of a flat profile, in the order in which they are compiled."""
_NAME: Final = re.compile(r"\$([a-z]+)\b")
_NOT_INHERITED: Final = frozenset({"profile", "examples", "words"})
_DEEPEST: Final = 8

ReadBase = Callable[[str], Mapping[str, Any]]
"""Reads a base by the name of a shipped profile. Raises FileNotFoundError."""


class ExtendError(ValueError):
    """A profile and its base do not fit; the text says where and why."""


def extended(document: Mapping[str, Any], read_base: ReadBase | None) -> dict[str, Any]:
    """The document joined with what it extends, its own settings filled in.

    ``extends`` is the name of a base, a list of names, or a map of names to settings, which take
    the place of the base's ``defaults`` wherever it says ``$name``. Of two rules with one id in
    one family the later wins, in place; everything else is the document's own word first.

    Raises ExtendError.
    """
    return _extended(document, {}, read_base, _DEEPEST)


def fill(value: Any, given: Callable[[str], str | None]) -> Any:
    """``value`` with each ``$name`` replaced that ``given`` knows, in keys too."""
    if isinstance(value, str):
        return _NAME.sub(lambda found: _or_same(given(found[1]), found[0]), value)
    if isinstance(value, list):
        return [fill(item, given) for item in value]
    if isinstance(value, dict):
        return {fill(k, given): fill(v, given) for k, v in value.items()}
    return value


def _or_same(value: str | None, same: str) -> str:
    return same if value is None else value


def _extended(
    document: Mapping[str, Any],
    settings: Mapping[str, Any],
    read_base: ReadBase | None,
    depth: int,
) -> dict[str, Any]:
    own = dict(document)
    bases, without = _bases(own.pop("extends", None)), own.pop("without", [])
    own = fill(own, _settled(own.pop("defaults", {}), settings).get)
    whole: dict[str, Any] = {}
    for name, chosen in bases.items():
        if depth == 0:
            raise ExtendError(f"extends: {name} extends itself, or too much")
        base = _read(name, read_base)
        whole = _joined(whole, _extended(base, chosen, read_base, depth - 1))
    return _joined(_left_out(whole, without), own) if bases else own


def _bases(value: Any) -> dict[str, Mapping[str, Any]]:
    if isinstance(value, str):
        return {value: {}}
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return {name: {} for name in value}
    if isinstance(value, dict) and all(isinstance(v, dict | None) for v in value.values()):
        return {str(name): chosen or {} for name, chosen in value.items()}
    if value is None:
        return {}
    raise ExtendError("extends: must be a name, a list of names, or a map of names to settings")


def _settled(defaults: Any, settings: Mapping[str, Any]) -> dict[str, str]:
    """The defaults with the settings that were chosen in their place."""
    if not isinstance(defaults, dict):
        raise ExtendError("defaults: must be a map")
    for name in settings:
        if name not in defaults:
            there = ", ".join(map(str, defaults)) or "nothing"
            raise ExtendError(f"extends: there is no setting {name!r}; there is {there}")
    settled = {**defaults, **settings}
    for name, value in settled.items():
        if not isinstance(value, str):
            raise ExtendError(f"extends: the setting {name} must be a text")
    return settled


def _read(name: str, read_base: ReadBase | None) -> Mapping[str, Any]:
    if read_base is None:
        raise ExtendError(f"extends: {name} cannot be read here")
    try:
        base = read_base(name)
    except FileNotFoundError:
        raise ExtendError(f"extends: no profile here is called {name!r}") from None
    if "guards" in base or "body" in base:
        raise ExtendError(f"extends: {name} guards several kinds and cannot be a base")
    return {key: value for key, value in base.items() if key not in _NOT_INHERITED}


def _joined(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    whole = {**base, **own}
    for family in FAMILIES:
        if family in base and family in own:
            whole[family] = _rules(base[family], own[family])
    if isinstance(base.get("classes"), dict) and isinstance(own.get("classes"), dict):
        whole["classes"] = {**base["classes"], **own["classes"]}
    return whole


def _rules(base: Any, own: Any) -> Any:
    """Both lists, a rule of the second in the place of one with its id in the first."""
    if not isinstance(base, list) or not isinstance(own, list):
        return own  # the model says what is wrong with it
    mine = {_id(rule): rule for rule in own}
    kept = [mine.pop(_id(rule), rule) for rule in base]
    return [*kept, *(rule for rule in own if _id(rule) in mine)]


def _id(rule: Any) -> object:
    return rule.get("id") if isinstance(rule, dict) else id(rule)


def _left_out(whole: Mapping[str, Any], without: Any) -> dict[str, Any]:
    if not isinstance(without, list):
        raise ExtendError("without: must be a list of rule ids")
    left = dict(whole)
    gone: set[object] = set()
    for family in FAMILIES:
        rules = left.get(family)
        if isinstance(rules, list):
            gone |= {_id(rule) for rule in rules if _id(rule) in without}
            left[family] = [rule for rule in rules if _id(rule) not in without]
    for name in without:
        if name not in gone:
            raise ExtendError(f"without: the base has no rule {name!r}")
    return left
