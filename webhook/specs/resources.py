"""Resources of a package's Pods: all four or none, positive, limits not below requests."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from webhook.core.quantity import QuantityError, UnusualQuantityError, parse_quantity
from webhook.lifecycle.rule import listed, show
from webhook.lifecycle.swift import Swift
from webhook.specs.reading import AN_OBJECT, invalid, required, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run

_PAIRS: Final = (("cpuRequest", "cpuLimit"), ("memoryRequest", "memoryLimit"))
NAMES: Final = tuple(name for pair in _PAIRS for name in pair)

_NONE: Final = [None] * len(NAMES)


def package_resources(_parameters: Mapping[str, Any]) -> CheckJudge:
    """All four quantities or none (skyhook_webhook.go validateResourceOverrides).

    A zero counts as not set. Asked on ``spec.packages.*.resources``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None:
            return
        if new.fields is None:
            yield wrong_type(trail.field, new, AN_OBJECT)
            return
        values: dict[str, Decimal | None] = {}
        for name in NAMES:
            there = new.child(name)
            try:
                values[name] = Decimal(0) if there is None else _quantity(there)
            except (QuantityError, TypeError) as error:
                yield invalid(trail.field.child(name), f"{show(there and there.value)} {error}")
                values[name] = None
        yield from _complete(new, values, trail)
        yield from _in_order(new, values, trail)

    return Swift(judge, _amounts_fit)


def _amounts_fit(_run: Run, new: Any, _key: str) -> bool:
    """None of them; or all, as texts, in order."""
    if type(new) is not dict:
        return False
    texts = [new.get(name) for name in NAMES]
    if texts == _NONE:
        return True
    try:
        cpu, most_cpu, memory, most_memory = map(parse_quantity, texts)
    except (QuantityError, UnusualQuantityError, TypeError):  # the last: it is no text
        return False
    return 0 < cpu <= most_cpu and 0 < memory <= most_memory


def _quantity(there: View) -> Decimal | None:
    """The value; None for one that is not compared. Raises QuantityError, TypeError."""
    value = there.value
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError('must be a quantity: a whole number, or a string such as "500m"')
    try:
        return parse_quantity(str(value))
    except UnusualQuantityError:
        return None


def _complete(new: View, values: Mapping[str, Decimal | None], trail: Trail) -> Iterator[Mark]:
    missing = [name for name in NAMES if values[name] == 0]
    if not missing or len(missing) == len(NAMES):
        return
    zero = [name for name in missing if new.child(name) is not None]
    note = " (0 counts as not set)" if zero else ""
    have = listed(name for name in NAMES if name not in missing)
    text = f"{listed(missing)} missing{note} beside {have}; set all four, or none"
    yield required(trail.field, text)


def _in_order(new: View, values: Mapping[str, Decimal | None], trail: Trail) -> Iterator[Mark]:
    for name in NAMES:
        value, there = values[name], new.child(name)
        if value is not None and value < 0 and there is not None:
            yield invalid(trail.field.child(name), f"{show(there.value)} must be more than 0")
    if not all(values[name] != 0 for name in NAMES):
        return
    for request, limit in _PAIRS:
        low, high = values[request], values[limit]
        asked, most = new.child(request), new.child(limit)
        if low is not None and high is not None and high < low and asked and most:
            text = f"{show(most.value)} is less than {request}, which is {show(asked.value)}"
            yield invalid(trail.field.child(limit), f"{text}; a limit is at least its request")
