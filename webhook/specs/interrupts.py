"""Interrupts on a changed configMap key: the key must be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.core.nearest import Hints
from webhook.lifecycle.rule import listed, show
from webhook.lifecycle.swift import Swift
from webhook.specs.globs import matches
from webhook.specs.reading import invalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run

_MOST_STEPS: Final = 2_000_000
"""Globs are compared up to this cost a package; what is left is not judged."""


def config_interrupts(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Each key is one of configMap's, or a glob with ``*`` that matches one (Skyhook.Validate).

    Asked on ``spec.packages.*``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        interrupts = new.child("configInterrupts") if new is not None else None
        if new is None or interrupts is None:
            return
        config = new.child("configMap")
        if config is not None and interrupts.members.keys() <= config.members.keys():
            return
        keys = sorted(config.members) if config is not None else []
        known, hints, steps = frozenset(keys), Hints(keys), 0
        length = sum(map(len, keys))
        there = f" (its keys: {listed(map(show, keys))})" if keys else " (it has no keys)"
        for pattern in interrupts.members:
            if pattern in known:
                continue
            place = trail.field.child("configInterrupts").key(pattern)
            if "*" not in pattern:
                hint = hints(pattern) or '; name one of them, or a glob such as "*.conf"'
                yield invalid(place, f"{show(pattern)} is no key of configMap{there}{hint}")
                continue
            steps += length * len(pattern)
            if steps <= _MOST_STEPS and not any(matches(pattern, key) for key in keys):
                yield invalid(place, f"{show(pattern)} matches no key of configMap{there}")

    return Swift(judge, _all_keys)


def _all_keys(_run: Run, new: Any, _key: str) -> bool:
    """Whether each is one of configMap's keys, word for word."""
    interrupts = new.get("configInterrupts") if type(new) is dict else None
    if interrupts is None:
        return True
    config = new.get("configMap")
    named = type(interrupts) is dict and type(config) is dict
    return named and interrupts.keys() <= config.keys()
