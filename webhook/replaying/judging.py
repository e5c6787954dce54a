"""Judges a part of a stream: one engine, many writes, what they come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.replaying.differences import differences
from webhook.replaying.occurrence import Occurrence, occurrence_of
from webhook.replaying.rollout import Step, steps_of
from webhook.replaying.summary import Summary
from webhook.replaying.write import Outcome, Unjudged, Why, Write
from webhook.reviews.decode import ReviewError, decode_with, request_of
from webhook.reviews.remembering import Remembering
from webhook.reviews.verdict import judge
from webhook.reviews.wire import AdmissionReview

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Line:
    """One line that holds an AdmissionReview, not read yet."""

    source: str
    number: int
    body: bytes


Item = Line | Write | Unjudged


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is kept of each write beside the counts.

    Attributes:
        changes: what the writes that rules had findings about changed.
        steps: the steps of rollouts, of all writes.
        remember: judge copies of Nodes by what earlier writes of the same source showed.
        least: "audit" for every finding, "warn" for those that people are told, "deny" for
            denials, real and averted ones, only.
    """

    changes: bool = False
    steps: bool = False
    remember: bool = False
    least: str = "audit"


@dataclass(slots=True)
class Part:
    """What a part of a stream comes to.

    Attributes:
        summary: the counts.
        occurrences: writes with findings, in order.
        steps: the steps of rollouts, in order.
        unjudged: writes that could not be judged, the first ones of each reason.
        unreadable: lines that are no review, as (source, line, why).
    """

    summary: Summary = field(default_factory=Summary)
    occurrences: list[Occurrence] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    unjudged: list[Unjudged] = field(default_factory=list)
    unreadable: list[tuple[str, int, str]] = field(default_factory=list)


class _Recorded(AdmissionReview, frozen=True, rename="camel"):
    """A review, and what recordings say beside it: when (seconds since 1970), what came of it."""

    ts: Any = None
    outcome: Any = None


_RECORDED: Final = msgspec.json.Decoder(_Recorded)
_MOST_UNJUDGED: Final = 20
_REFUSALS: Final = (400, 403, 422)
"""How the API server answers what a webhook denied; a conflict or a missing object is none."""


class Judging:
    """Judges items with one engine."""

    def __init__(self, engine: Engine, wanted: Wanted) -> None:
        self._engine = engine
        self._wanted = wanted
        self._story = Remembering(engine.catalog) if wanted.remember else None

    def part(self, items: Iterable[Item]) -> Part:
        """The verdicts on items, summed up."""
        part = Part()
        for item in items:
            if isinstance(item, Unjudged):
                part.summary.skip(item)
                if len(part.unjudged) < _MOST_UNJUDGED:
                    part.unjudged.append(item)
                continue
            write = self._read(item, part) if isinstance(item, Line) else item
            if write is not None:
                # A file of reviews is one story; the logs of all API servers together are one.
                self._judge(write, part, write.source if isinstance(item, Line) else "")
        return part

    def _read(self, line: Line, part: Part) -> Write | None:
        try:
            return write_of(line)
        except ReviewError as error:
            part.unreadable.append((line.source, line.number, error.message))
            part.summary.skip(Unjudged(Why.UNREADABLE, line.source, line.number))
            return None

    def _judge(self, write: Write, part: Part, story: str) -> None:
        wanted = self._wanted
        verdict = self._verdict(write, story)
        part.summary.add(write, verdict)
        loud = verdict.denied or verdict.would_deny
        if wanted.least != "deny":
            loud = loud or verdict.warned
        if wanted.least == "audit":
            loud = loud or verdict.audited
        if loud:
            request = write.request
            changes = differences(request.old_object, request.object) if wanted.changes else []
            part.occurrences.append(occurrence_of(write, verdict, changes))
        if wanted.steps:
            part.steps.extend(steps_of(write, verdict))

    def _verdict(self, write: Write, story: str) -> Verdict:
        engine, known = self._engine, self._story
        now = None if write.time is None else datetime.fromtimestamp(write.time, UTC)
        evidence = engine.evidence if known is None else known.evidence(story, write.time)
        verdict = judge(write.request, engine.catalog, engine.policy, now=now, evidence=evidence)
        if known is not None:
            made = write.outcome is not Outcome.REFUSED
            known.learn(write.request, verdict, write.time, made=made)
        return verdict


def write_of(line: Line) -> Write:
    """The write that a line records. Raises ReviewError."""
    recorded = decode_with(_RECORDED, line.body)
    request = request_of(recorded)
    outcome = Outcome.DRY_RUN if request.dry_run else Outcome.UNKNOWN
    if isinstance(recorded.outcome, int):
        outcome = _outcome(recorded.outcome, outcome)
    time = float(recorded.ts) if isinstance(recorded.ts, int | float) else None
    return Write(request, line.source, line.number, time, outcome)


def _outcome(code: int, otherwise: Outcome) -> Outcome:
    if otherwise is Outcome.DRY_RUN:
        return otherwise
    if 200 <= code < 300:
        return Outcome.DONE
    return Outcome.REFUSED if code in _REFUSALS else otherwise
