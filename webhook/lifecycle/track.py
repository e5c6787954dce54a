"""Tracks: a closed value that moves along edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from webhook.core.finding import CauseType, Finding, Severity
from webhook.core.nearest import did_you_mean
from webhook.core.release import within
from webhook.core.view import same
from webhook.core.writer import Writer
from webhook.lifecycle.atoms import compile_any, member, value_of
from webhook.lifecycle.edges import EdgeTable, edge_table
from webhook.lifecycle.history import formerly
from webhook.lifecycle.model import ABSENT, Track, Word
from webhook.lifecycle.path import Lookup, StepKind, Trail
from webhook.lifecycle.rule import listed, show
from webhook.lifecycle.swift import on_creation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.model import Scalar
    from webhook.lifecycle.rule import Scope, SiblingTest
    from webhook.lifecycle.run import Run

_NOT_A_WORD: Final = object()


def legal_values(track: Track, release: str) -> list[Scalar]:
    """The values that the release knows."""
    return [
        v.word if isinstance(v, Word) else v
        for v in track.values
        if not isinstance(v, Word) or within(release, v.releases)
    ]


class _TrackJudge:
    """One compiled track."""

    def __init__(self, track: Track, scope: Scope) -> None:
        self.track = track
        self.rule = scope.rule_id(track.id)
        self.values = legal_values(track, scope.release)
        self.table: EdgeTable | None = edge_table(track, self.values, scope.classes)
        self.known = {v for v in self.values if isinstance(v, str)}
        self.noun = track.noun or track.id.replace("-", " ")
        self.place = Lookup(track.path)
        self.run_key = Lookup(track.within) if track.within else None
        self.gate = Lookup(track.gate.path) if track.gate else None
        self.container = self.place.parent()
        self.listed = self.place.steps[-1].kind in (StepKind.TYPE, StepKind.ANY_TYPE)
        self.siblings: list[tuple[Any, SiblingTest]] = [
            (s, scope.siblings[s.needs]) for s in track.siblings
        ]
        self.excused = compile_any(track.unless, scope.predicates)

    def __call__(
        self, run: Run, old: View | None, new: View | None, trail: Trail
    ) -> Iterable[Finding]:
        was, now = self._read(old), self._read(new)
        fresh = now is not None and self._new_run(run, trail)
        if now is not None and not self._legal(now):
            wrong = list(self._wrong_parts(old, new, trail))
            return wrong or self._no_word(was, now, trail)
        if (now != was or fresh) and not self.excused(run, trail):
            return self._step(run, None if fresh else was, now, trail)
        return ()

    def clean(self, run: Run, new: Any, _key: str) -> bool:
        """The short answer: in a new object, a legal word."""
        word = new
        if self.track.parts:
            words = [new.get(part) for part in self.track.parts] if type(new) is dict else []
            word = "/".join(word for word in words if type(word) is str)
        return run.old is None and type(word) is str and word in self.known

    def begun_anew(
        self, run: Run, _old: View | None, _new: View | None, trail: Trail
    ) -> Iterator[Finding]:
        """Where ``within`` changed: a value that stayed as it was begins a new run too."""
        old, new = self.place(run.old, trail), self.place(run.new, trail)
        if new is not None and same(old, new):
            there = Trail(self.place.field(trail), trail.stars, trail.names)
            yield from self(run, old, new, there)

    def _new_run(self, run: Run, trail: Trail) -> bool:
        key = self.run_key
        return key is not None and not same(key(run.old, trail), key(run.new, trail))

    def _read(self, view: View | None) -> Any:
        if view is None:
            return None
        if not self.track.parts:
            return view.value
        return "/".join([word or "" for word in view.texts(self.track.parts)])

    def _legal(self, value: Any) -> bool:
        return value in self.known if isinstance(value, str) else member(value, self.values)

    def _finding(self, trail: Trail, severity: Severity, message: str) -> Finding:
        return Finding(self.rule, trail.field, severity, message)

    def _wrong_parts(self, old: View | None, new: View | None, trail: Trail) -> Iterator[Finding]:
        """Which of the words that make up the value are no words at all."""
        for part, words in self.track.parts.items():
            now = value_of(new.child(part)) if new is not None else None
            if not member(now, words):
                was = value_of(old.child(part)) if old is not None else None
                text = self._not_one_of(part, was, now, words)
                yield self._value_finding(trail.field.child(part), text)

    def _not_one_of(self, noun: str, was: Any, now: Any, words: list[Scalar]) -> str:
        change = f"{show(was)} -> {show(now)}" if was is not None and was != now else show(now)
        end = ""
        if isinstance(now, str):
            note = self.track.notes.get(now)
            one_word = noun is not self.noun or not self.track.parts
            end = f"; {note}" if note else did_you_mean(now, map(str, words)) if one_word else ""
        return f"{change} is not a {noun}; legal: {listed(words, 24)}{end}"

    def _value_finding(self, field: FieldPath, text: str) -> Finding:
        kind = CauseType.NOT_SUPPORTED
        return Finding(f"{self.rule}.value", field, Severity.DENY, text, kind, closed=True)

    def _no_word(self, was: Any, now: Any, trail: Trail) -> Iterator[Finding]:
        if member(now, self.track.reserved):
            text = f"{show(now)} is a known {self.noun} that nobody writes"
            yield Finding(f"{self.rule}.reserved", trail.field, Severity.WARN, text)
            return
        if self.track.note and isinstance(now, str):
            text = f"{now if was is None else f'{was} -> {now}'}: {self.track.note}"
        else:
            text = self._not_one_of(self.noun, was, now, self.values)
        yield self._value_finding(trail.field, text)

    def _step(self, run: Run, was: Any, now: Any, trail: Trail) -> Iterator[Finding]:
        if was is not None and not self._legal(was):
            return  # from an illegal value every legal one, and none, is a repair
        if self.table is None or run.old is None:
            if now is None and self.table is None and run.new is not None:
                yield from self._removed(was, trail)
            return
        if now is None:
            if self.track.table is None:
                yield from self._removed(was, trail)
                return
        elif was is None and self._born_free(run, trail):
            return
        old, new = ABSENT if was is None else was, ABSENT if now is None else now
        severity = self.table.severity(old, new, run.writer)
        if severity is None or severity is Severity.DENY:
            former = self._lost_update(run, new, trail) if self.track.lost_updates else None
            if former is None:
                yield self._never(was, now, trail)
                return
            yield self._put_back(former, old, new, trail)
            yield from self._needs(run, former, new, trail)
            return
        if run.documented and not self.table.documented(old, new) and ABSENT not in (old, new):
            severity = Severity.WARN
        if severity is not Severity.ALLOW:
            yield self._odd(severity, was, now, trail)
        yield from self._needs(run, old, new, trail)
        yield from self._gated(run, was, now, trail)

    def _removed(self, was: Any, trail: Trail) -> Iterator[Finding]:
        if self.track.removal is not Severity.ALLOW:
            text = f"{show(was)} -> absent: a {self.noun}, once set, stays set"
            yield Finding(
                f"{self.rule}.removal", trail.field, self.track.removal, text, CauseType.REQUIRED
            )

    def _born_free(self, run: Run, trail: Trail) -> bool:
        """A whole container that appears (restored, copied, re-registered) may hold any pair.

        So may one in the place of something that is no container at all.
        """
        if self.track.birth != "free":
            return False
        held = self.container(run.old, trail)
        return held is None or (held.items if self.listed else held.fields) is None

    def _never(self, was: Any, now: Any, trail: Trail) -> Finding:
        if was is None:
            legal = listed(self.table.onward(ABSENT)) if self.table else ""
            text = f"cannot start at {now}; legal to start at: {legal}"
            return Finding(f"{self.rule}.entry", trail.field, self.track.otherwise, text)
        text = f"cannot go from {was} to {ABSENT if now is None else now}{self.onward(was)}"
        text += self.way(was, now)
        if now is None:
            return Finding(f"{self.rule}.removal", trail.field, self.track.otherwise, text)
        return Finding(f"{self.rule}.edge", trail.field, self.track.otherwise, text)

    def _lost_update(self, run: Run, new: Scalar, trail: Trail) -> Scalar | None:
        """A value that it lately had and from which the step is legal, or is none.

        A writer with a stale cache writes over what it did not see (0.3, B.6). A person's tool puts
        back what it read just before; it takes no steps of its own.
        """
        for entry in formerly(run, trail):
            was = self._read(entry)
            old = ABSENT if was is None else was
            steps = self.table is not None and run.writer is not Writer.PERSON
            severity = self.table.severity(old, new, run.writer) if self.table and steps else None
            if old == new or severity not in (None, Severity.DENY):
                return cast("Scalar", old)
        return None

    def _put_back(self, former: Scalar, old: Scalar, new: Scalar, trail: Trail) -> Finding:
        text = f"{old} -> {new}: written over {former}, which stood there a moment ago"
        return Finding(f"{self.rule}.lost-update", trail.field, Severity.AUDIT, text)

    def _odd(self, severity: Severity, was: Any, now: Any, trail: Trail) -> Finding:
        name = "entry" if was is None else "skip"
        start = "absent" if was is None else was
        text = f"{start} -> {now} is unusual"
        if was is not None and self.table is not None:
            usual = [value for value in self.table.onward(was) if value != now]
            text += f"; usual from {was}: {listed(usual, 4)}" if usual else ""
        return Finding(f"{self.rule}.{name}", trail.field, severity, text)

    def _needs(self, run: Run, old: Scalar, new: Scalar, trail: Trail) -> Iterator[Finding]:
        for sibling, test in self.siblings:
            if new in sibling.to and old not in sibling.unless_from:
                container = self.container(run.new, trail)
                if not test(container, trail.last):
                    text = f"cannot go from {old} to {new}: {sibling.why}"
                    yield Finding(f"{self.rule}.needs", trail.field, Severity.DENY, text)

    def _gated(self, run: Run, was: Any, now: Any, trail: Trail) -> Iterator[Finding]:
        gate = self.track.gate
        if gate is None or self.gate is None or was is None or now is None:
            return
        held = value_of(self.gate(run.old, trail))
        if not member(held, gate.one_of):
            text = (
                f"left {was} while {self.gate.field(trail)} was {show(held)};"
                f" it must be {listed(gate.one_of)}"
            )
            yield Finding(f"{self.rule}.gate", trail.field, gate.severity, text)

    def onward(self, was: Any) -> str:
        """What is legal from here, as the end of a sentence."""
        if self.table is None:
            return ""
        targets = self.table.onward(was)
        return f"; legal from {was}: {listed(targets) if targets else 'nothing'}"

    def way(self, was: Any, now: Any) -> str:
        """The documented way there, when it takes more than one step."""
        way = self.table.way(was, now) if self.table and now is not None else []
        return f"; step by step it is {' -> '.join(map(str, way))}" if len(way) > 2 else ""

    def steps(self, old: View | None, new: View | None) -> str:
        """Old -> new of two values, for messages of other rules."""
        was, now = self._read(old), self._read(new)
        return f"{was or ABSENT} -> {now or ABSENT}"

    def onward_for(self, old: View | None, new: View | None) -> str:
        """What is legal from the old value for the one who writes it."""
        was, now = self._read(old), self._read(new)
        if self.table is None or was not in self.known or was == now:
            return ""
        return f"; legal from {was}, for the operator: {listed(self.table.onward(was, 1))}"


def compile_track(track: Track, scope: Scope) -> _TrackJudge:
    """Adds a track's judge to the plan. Raises ValueError for a table that does not add up.

    ``unless`` excuses a step, never a word: closed sets are closed.
    """
    judge = _TrackJudge(track, scope)
    scope.plan.add(track.path, scope.guarded(judge, []), judge.clean)
    if track.within is not None:
        scope.plan.add(track.within, scope.guarded(judge.begun_anew, []), on_creation)
    return judge
