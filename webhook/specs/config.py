"""A package's configMap: keys that a ConfigMap can have, and globs that mean what they say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import CauseType
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift
from webhook.specs.beyond import fresh

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}", re.ASCII)
_SPECIAL: Final = re.compile(r"[?\[\]\\]")


def config_keys(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Keys are keys of a ConfigMap, which the operator copies them into (custom-resource.md).

    Asked on ``spec.packages.*.configMap``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        for key in {} if new is None else new.members:
            if not _KEY.fullmatch(key) or key in (".", ".."):
                better = re.sub(r"[^-._a-zA-Z0-9]+", "-", key).strip("-.")[:100]
                hint = f'; for example "{better}"' if better else ""
                text = (
                    f"{show(key)} cannot be a key of a ConfigMap, so the operator cannot make it and the"
                    f" package never starts; legal are letters, digits, -, _ and .{hint}"
                )
                yield Mark(trail.field.key(key), text, type=CauseType.INVALID)

    return Swift(fresh(judge), _keys_fit)


def _keys_fit(_run: Run, new: Any, _key: str) -> bool:
    if type(new) is not dict:
        return False
    for key in new:  # noqa: SIM110 (a generator costs more than this)
        if _KEY.fullmatch(key) is None or key in (".", ".."):
            return False
    return True


def config_globs(_parameters: Mapping[str, Any]) -> CheckJudge:
    """In a glob only * is a wildcard that upstream supports (custom-resource.md).

    Asked on ``spec.packages.*``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        interrupts = None if new is None else new.child("configInterrupts")
        if new is None or interrupts is None:
            return
        config = new.child("configMap")
        keys = {} if config is None else config.members
        for pattern in interrupts.members:
            found = _SPECIAL.search(pattern) if "*" in pattern and pattern not in keys else None
            if found is not None:
                place = trail.field.child("configInterrupts").key(pattern)
                text = f"{show(pattern)}: {found[0]} is a wildcard as well here, which upstream does not support; name the keys, or use * alone"
                yield Mark(place, text, type=CauseType.INVALID)

    return Swift(fresh(judge), _no_globs)


def _no_globs(_run: Run, new: Any, _key: str) -> bool:
    interrupts = new.get("configInterrupts") if type(new) is dict else None
    if interrupts is None:
        return True
    return type(interrupts) is dict and "*" not in "".join(interrupts)


def switch_value(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A switch is on at "true", and at nothing else (custom-resource.md). Asked on the key."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        value = new.value if new is not None else None
        meant = isinstance(value, str) and value != "true" and value.strip().casefold() in _ON
        if meant:
            text = (
                f'{show(value)} counts as off: only "true" is on; write "true", or remove the key'
            )
            yield Mark(trail.field, text, type=CauseType.INVALID)

    return Swift(judge, _is_plain)


_ON: Final = frozenset({"true", "t", "1", "yes", "y", "on", "enabled"})


def _is_plain(_run: Run, new: Any, _key: str) -> bool:
    return new in ("true", "false")
