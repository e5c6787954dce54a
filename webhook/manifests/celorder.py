"""Monotone rules as CEL: generations, counters, times, and what is set once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity
from webhook.manifests.cel import NEW, OLD, both, either, literal, with_names
from webhook.manifests.celtests import KNOWN_BEFORE
from webhook.manifests.validation import LeftOut, Validation, unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webhook.lifecycle.model import Monotone
    from webhook.manifests.cel import Bound, Cel

_TIME: Final = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$"
_DIGITS: Final = "^[0-9]{1,18}$"


def monotone(cel: Cel, rule: Monotone) -> Iterator[Validation | LeftOut]:
    """What a rule says of old and new value, a validation for each way to break it."""
    yield from _Order(cel, rule).validations()


class _Order:
    """One monotone rule under translation."""

    def __init__(self, cel: Cel, rule: Monotone) -> None:
        self.cel, self.rule = cel, rule

    def validations(self) -> Iterator[Validation | LeftOut]:
        rule = self.rule
        if rule.order == "latch":
            yield self._part(
                "down", rule.down, self._latch, "set once, it stays as it is", removed=True
            )
            return
        if rule.format is not Severity.ALLOW:
            yield self._part("format", rule.format, self._format, f"no {rule.order}", closed=True)
        yield self._part("down", rule.down, self._down, "it never goes back")
        if rule.removal is not Severity.ALLOW:
            yield self._part(
                "removal", rule.removal, self._kept, "once set it stays set", removed=True
            )
        if rule.bound is not None:
            yield self._part("over", rule.over, self._over, f"it never exceeds {rule.bound}")
        if rule.least is not None:
            text = f"it is never less than {rule.least}"
            yield self._part("least", Severity.DENY, self._least, text, closed=True)
        if rule.climb is not None:
            text = f"it rises by {rule.climb.up} a write at most"
            yield self._part("climb", Severity.DENY, self._climb, text)
        if rule.ahead is not None:
            yield LeftOut(f"{rule.id}.ahead", "CEL has no clock")
        if rule.flip is not None:
            yield self._flip()

    def _part(
        self,
        name: str,
        severity: Severity,
        holds: Callable[[str, str, Bound], str],
        text: str,
        *,
        removed: bool = False,
        closed: bool = False,
    ) -> Validation:
        def body(bound: Bound) -> str:
            places = (("was", OLD), ("now", NEW))
            values = {n: self.cel.value(self.rule.path, root, bound) for n, root in places}

            def moved(old: str, new: str) -> str:
                return either(f"{old} == {new}", holds(old, new, bound))

            return unless(self.cel, self.rule, bound, with_names(bound, values, moved))

        local = not self.rule.unless
        whole = self.cel.everywhere(self.rule.path, body, removed=removed, local=local)
        message = f"{self.rule.path}: {text}"
        return Validation(f"{self.rule.id}.{name}", severity, whole, message, closed=closed)

    def _readable(self, value: str) -> str:
        if self.rule.order == "time":
            return f"type({value}) == string && {value}.matches({literal(_TIME)})"
        digits = f"type({value}) == string && {value}.matches({literal(_DIGITS)})"
        return f"type({value}) == int || ({digits})"

    def _number(self, value: str) -> str:
        return f"timestamp({value})" if self.rule.order == "time" else f"int({value})"

    def _latch(self, old: str, _new: str, _bound: Bound) -> str:
        on = f"{old} != null"
        if self.rule.latch_on is not None:
            on = f"{old} == {literal(self.rule.latch_on)}"
        return f"!({on})"

    def _format(self, old: str, new: str, _bound: Bound) -> str:
        was_so = both(f"{old} != null", f"!({self._readable(old)})")
        return either(f"{new} == null", self._readable(new), was_so)

    def _down(self, old: str, new: str, _bound: Bound) -> str:
        back = both(
            self._readable(old), self._readable(new), f"{self._number(new)} < {self._number(old)}"
        )
        if self.rule.climb is not None and self.rule.climb.to:
            back = both(back, f"!({self._number(new)} in {literal(self.rule.climb.to)})")
        return f"!({back})"

    def _kept(self, old: str, new: str, _bound: Bound) -> str:
        return f"{old} == null || {new} != null"

    def _over(self, old: str, new: str, bound: Bound) -> str:
        return f"!({both(self._exceeds(new, NEW, bound), f'!({self._exceeds(old, OLD, bound)})')})"

    def _exceeds(self, value: str, root: str, bound: Bound) -> str:
        limit = self.cel.value(self.rule.bound or "", root, bound)
        most = self._number(limit) + (f" + {self.rule.grace}" if self.rule.grace else "")
        return both(self._readable(value), self._readable(limit), f"{self._number(value)} > {most}")

    def _least(self, old: str, new: str, _bound: Bound) -> str:
        low, was = (
            both(self._readable(v), f"{self._number(v)} < {self.rule.least}") for v in (new, old)
        )
        return f"!({both(low, f'!({was})')})"

    def _climb(self, old: str, new: str, _bound: Bound) -> str:
        up = self.rule.climb.up if self.rule.climb else 0
        high = f"{self._number(new)} - {self._number(old)} > {up}"
        return f"!({both(self._readable(old), self._readable(new), high)})"

    def _flip(self) -> Validation:
        """A change of the sibling must carry the newest stamp; no stamp is no answer, and no lie."""
        flip, cel = self.rule.flip, self.cel
        path = flip.path if flip is not None else ""

        def body(bound: Bound) -> str:
            old, new = (cel.value(path, root, bound) for root in (OLD, NEW))
            stamp = cel.value(self.rule.path, NEW, bound)
            newest = cel.value(self.rule.bound or "", NEW, bound)
            moved = both(KNOWN_BEFORE, f"{new} != null", f"{old} != {new}", f"{stamp} != null")
            return unless(cel, self.rule, bound, f"!({both(moved, f'{stamp} != {newest}')})")

        whole = cel.everywhere(path, body, removed=False, local=False)
        severity = flip.severity if flip is not None else Severity.ALLOW
        message = f"{path}: it changed, so {self.rule.path} must be {self.rule.bound}"
        return Validation(f"{self.rule.id}.flip", severity, whole, message)
