"""Amounts that are legal and hardly meant: bytes where megabytes were, cores where thousandths were."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import CauseType
from webhook.core.quantity import QuantityError, UnusualQuantityError, parse_quantity
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift
from webhook.specs.beyond import fresh

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_LITTLE_MEMORY: Final = Decimal(4 * 1024 * 1024)
"""Bytes below which no container starts (the least that runc's own init needs, and some)."""
_MUCH_CPU: Final = Decimal(4096)
"""Cores that no machine has."""
_CPU: Final = ("cpuRequest", "cpuLimit")
_MEMORY: Final = ("memoryRequest", "memoryLimit")


def odd_amounts(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Memory in bytes that a container can start with, CPU that a machine can have.

    Asked on ``spec.packages.*.resources``; what is no quantity is told by another rule.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        for name in (*_CPU, *_MEMORY):
            there = new.child(name) if new is not None else None
            amount = None if there is None else _amount(there.value)
            if there is None or amount is None or amount <= 0:
                continue
            text = str(there.value)
            if name.startswith("memory") and amount < _LITTLE_MEMORY:
                hint = _hint(text.rstrip("mkKi"), "Mi")
                say = f"{show(there.value)} is {_plain(amount)} bytes, with which no container starts{hint}"
                yield Mark(trail.field.child(name), say, type=CauseType.INVALID)
            elif name.startswith("cpu") and amount > _MUCH_CPU:
                hint = _hint(text.rstrip("kMGi"), "m")
                say = f"{show(there.value)} is {_plain(amount)} cores, which no Node has{hint}"
                yield Mark(trail.field.child(name), say, type=CauseType.INVALID)

    return Swift(fresh(judge), _meant)


def _meant(_run: Run, new: Any, _key: str) -> bool:
    if type(new) is not dict:
        return False
    try:
        for name in _CPU:
            if name in new and parse_quantity(new[name]) > _MUCH_CPU:
                return False
        for name in _MEMORY:
            if name in new and parse_quantity(new[name]) < _LITTLE_MEMORY:
                return False
    except (QuantityError, UnusualQuantityError, TypeError):  # the last: it is no text
        return False
    return True


def _hint(number: str, unit: str) -> str:
    return f'; did you mean "{number}{unit}"?' if number.isdigit() else ""


def _plain(amount: Decimal) -> str:
    return f"{amount:f}" if len(f"{amount:f}") <= 20 else f"{amount:.3e}"


def _amount(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        return parse_quantity(str(value))
    except (QuantityError, UnusualQuantityError):
        return None
