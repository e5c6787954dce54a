"""Tracks as CEL: closed values, edges, entry, removal and gates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.lifecycle.edges import edge_table
from webhook.lifecycle.model import ABSENT
from webhook.lifecycle.track import legal_values
from webhook.manifests.cel import NEW, OLD, UNBOUND, UnseenError, both, either, literal, with_names
from webhook.manifests.celtests import KNOWN_BEFORE
from webhook.manifests.validation import LeftOut, Validation, changed, unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webhook.lifecycle.edges import EdgeTable
    from webhook.lifecycle.model import Profile, Track
    from webhook.manifests.cel import Bound, Cel

_LISTED: Final = 12
_OF_WHAT_GOES: Final = frozenset({"edge", "skip", "removal"})
"""The parts of a track that also judge a value that vanishes."""


def track(cel: Cel, rule: Track, profile: Profile) -> Iterator[Validation | LeftOut]:
    """A closed value that moves along edges, as up to five validations. Raises UnseenError."""
    yield from _TrackRules(cel, rule, profile).validations()


class _TrackRules:
    """One track under translation."""

    def __init__(self, cel: Cel, rule: Track, profile: Profile) -> None:
        release = profile.releases.assumed if profile.releases else "0.0"
        self.cel, self.rule = cel, rule
        self.values = legal_values(rule, release)
        if not all(isinstance(v, str) for v in self.values):
            raise UnseenError("values that are no texts")
        self.table: EdgeTable | None = edge_table(rule, self.values, profile.classes)
        self.words = cel.shared(literal([*self.values, *rule.reserved]))
        self.removed = rule.removal is not Severity.ALLOW or rule.table is not None

    def validations(self) -> Iterator[Validation | LeftOut]:
        yield self._value()
        if self.rule.table is None and self.rule.removal is not Severity.ALLOW:
            yield self._part(
                "removal", self.rule.removal, self._kept, "a value that is set stays set"
            )
        if self.table is not None:
            yield from self._steps(self.table)
        if self.rule.gate is not None:
            yield self._gate()
        if self.rule.siblings:
            yield LeftOut(f"{self.rule.id}.needs", "what else an entry needs beside it is code")
        if self.rule.reserved:
            yield self._reserved()

    def _part(
        self, name: str, severity: Severity, holds: Callable[[Bound, str, str], str], text: str
    ) -> Validation:
        """``holds`` of old and new value, wherever the track's path leads."""

        def body(bound: Bound) -> str:
            old, new = self._values(bound)
            text = with_names(bound, {"was": old, "now": new}, partial(holds, bound))
            return unless(self.cel, self.rule, bound, text)

        local = self.rule.within is None and not self.rule.unless and name != "gate"
        removed = self.removed and name in _OF_WHAT_GOES
        whole = self.cel.everywhere(self.rule.path, body, removed=removed, local=local)
        return Validation(f"{self.rule.id}.{name}", severity, whole, f"{self.rule.path}: {text}")

    def _values(self, bound: Bound) -> tuple[str, str]:
        """Old and new value; of several parts, joined as the engine joins them."""
        sides = []
        for root in (OLD, NEW):
            whole = self.cel.value(self.rule.path, root, bound)
            parts = [
                f"{self.cel.value(f'{self.rule.path}.{part}', root, bound)}"
                for part in self.rule.parts
            ]
            joined = ' + "/" + '.join(f"({p} == null ? '' : string({p}))" for p in parts)
            sides.append(f"({whole} == null ? dyn(null) : dyn({joined}))" if parts else whole)
        return sides[0], sides[1]

    def _value(self) -> Validation:
        def holds(_bound: Bound, old: str, new: str) -> str:
            known = f"{new} == null || {new} in {self.words}"
            return either(known, f"{old} != null && !({old} in {self.words})")

        noun = self.rule.noun or self.rule.id.replace("-", " ")
        text = f"not a {noun}; legal: {', '.join(map(str, self.values[:_LISTED]))}"
        return replace(self._part("value", Severity.DENY, holds, text), closed=True)

    def _reserved(self) -> Validation:
        words = literal(self.rule.reserved)
        text = f"a known value that nobody writes yet: {', '.join(map(str, self.rule.reserved))}"
        return self._part(
            "reserved", Severity.WARN, lambda _b, o, n: f"{n} == {o} || !({n} in {words})", text
        )

    def _kept(self, _bound: Bound, old: str, new: str) -> str:
        return f"{new} != null || {old} == null || !({old} in {self.words})"

    def _steps(self, table: EdgeTable) -> Iterator[Validation]:
        """Edges and entry; steps that nobody makes, and steps that are odd."""
        steps = {pair: self._severity(table, *pair) for pair in self._pairs()}
        for severity, names in (
            (Severity.DENY, ("edge", "entry")),
            (Severity.WARN, ("skip", "entry")),
        ):
            passing = {pair for pair, grade in steps.items() if grade is not severity}
            for name in names:
                starts = [ABSENT] if name == "entry" else self.values
                pairs = [(a, b) for a in starts for b in self._ends(a)]
                if any(pair not in passing for pair in pairs):
                    yield self._edge(name, severity, passing)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        for start in (*map(str, self.values), ABSENT):
            for end in self._ends(start):
                yield start, end

    def _ends(self, start: object) -> list[str]:
        """Where a step may end; vanishing is a step only where the table says so."""
        ends = [*map(str, self.values), *([ABSENT] if self.rule.table is not None else [])]
        return [end for end in ends if end != start]

    def _severity(self, table: EdgeTable, start: str, end: str) -> Severity:
        found = table.severity(start, end, Writer.UNKNOWN)
        return self.rule.otherwise if found is None else found

    def _edge(self, name: str, severity: Severity, passing: set[tuple[str, str]]) -> Validation:
        rows = {
            start: [end for end in self._ends(start) if (start, end) in passing]
            for start in (*map(str, self.values), ABSENT)
        }
        if name == "entry":
            legal = self.cel.shared(literal(rows[ABSENT]))
            text = f"cannot start there; legal: {', '.join(rows[ABSENT][:_LISTED])}"
            return self._part(name, severity, lambda b, o, n: self._begins(b, o, n, legal), text)
        table = self.cel.shared(literal({k: v for k, v in rows.items() if k != ABSENT}))
        text = "this step is " + ("never made" if severity is Severity.DENY else "unusual")
        found = self._part(name, severity, lambda b, o, n: self._goes(b, o, n, table), text)
        return replace(found, telling=self._telling(table, severity))

    def _fresh(self, bound: Bound) -> str:
        """That a new run has begun: the sibling in ``within`` changed."""
        return changed(self.cel, self.rule.within, bound) if self.rule.within else "false"

    def _begins(self, bound: Bound, old: str, new: str, legal: str) -> str:
        begun = either(f"{old} == null", self._fresh(bound))
        free = "false"
        if self.rule.birth == "free":
            above = self.rule.path.rpartition(".")[0]
            free = both(f"{old} == null", f"{self.cel.value(above, OLD, bound)} == null")
        outside = f"{new} == null || !({new} in {self.words}) || {new} in {legal}"
        return either(f"!({both(KNOWN_BEFORE, begun)})", outside, free)

    def _goes(self, bound: Bound, old: str, new: str, table: str) -> str:
        ended = f'({new} == null ? "{ABSENT}" : {new})' if self.rule.table is not None else new
        judged = both(f"{old} in {self.words}", f"{new} == null || {new} in {self.words}")
        legal = f"{ended} in {table}[{old}]"
        same = f"{old} == {new}"
        unmoved = either(same, self._fresh(bound), f"!({judged})")
        if self.rule.table is None:
            unmoved = either(unmoved, f"{new} == null")
        reserved = (
            f"{old} in {literal(self.rule.reserved)} || {new} in {literal(self.rule.reserved)}"
        )
        excused = either(unmoved, reserved) if self.rule.reserved else unmoved
        return either(excused, legal)

    def _telling(self, table: str, severity: Severity) -> str:
        if any(step in self.rule.path for step in ("*", "{")):
            return ""
        old, new = self._values(UNBOUND)
        what = "cannot go" if severity is Severity.DENY else "it is unusual to go"
        return (
            f'{literal(f"{self.rule.path}: {what} from ")} + string({old}) + " to " + string({new})'
            f' + "; legal from there: " + {table}[{old}].join(", ")'
        )

    def _gate(self) -> Validation:
        gate = self.rule.gate
        if gate is None:
            raise UnseenError("no gate")

        def holds(bound: Bound, old: str, new: str) -> str:
            held = f"{self.cel.value(gate.path, OLD, bound)} in {literal(gate.one_of)}"
            unmoved = f"{old} == null || {new} == null || {old} == {new}"
            return either(unmoved, self._fresh(bound), held)

        return self._part("gate", gate.severity, holds, f"{gate.path} does not let it go on yet")
