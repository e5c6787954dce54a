"""Handshakes over one object: one party asks, the other answers, the generation dates both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from webhook.checks.mirrors import conditions, status_of
from webhook.checks.parameters import known, part, path, word, words
from webhook.core.finding import Severity
from webhook.core.view import same
from webhook.lifecycle.path import START
from webhook.lifecycle.rule import Mark, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Lookup, Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


class LockState(StrEnum):
    """Where a requested lock stands."""

    NONE = "none"
    PENDING = "pending"
    STALE = "stale"
    HELD = "held"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Handshake:
    """Who asks for a lock and who grants it (OLM issue 1973, first proposal).

    Attributes:
        requests: the list in which the request is made, by status False.
        types: the request's types; the first that is there counts.
        answers: the list in which the answer is given.
        answer: the answer's type.
    """

    requests: Lookup
    types: tuple[str, ...]
    answers: Lookup
    answer: str

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """From ``request: {path, types}`` and ``ack: {path, type}``. Raises ParameterError."""
        known(parameters, "request", "ack")
        request, ack = part(parameters, "request"), part(parameters, "ack")
        known(request, "path", "types")
        known(ack, "path", "type")
        return cls(
            path(request, "path"), words(request, "types"), path(ack, "path"), word(ack, "type")
        )

    def request_of(self, root: View | None) -> View | None:
        """The condition that asks, whatever its status."""
        there = conditions(root, self.requests)
        return next((there[kind] for kind in self.types if kind in there), None)

    def answer_of(self, root: View | None) -> View | None:
        """The condition that answers."""
        return conditions(root, self.answers).get(self.answer)

    def state(self, root: View | None) -> LockState:
        """Where the lock stands: held only by an answer that is stamped with the newest spec."""
        if root is None or status_of(self.request_of(root)) != "False":
            return LockState.NONE
        answer = self.answer_of(root)
        if answer is None:
            return LockState.PENDING
        if answer.number("observedGeneration") != root.number("metadata", "generation"):
            return LockState.STALE
        granted = {"True": LockState.HELD, "False": LockState.DENIED}
        return granted.get(status_of(answer) or "", LockState.PENDING)


def ack_lock(parameters: Mapping[str, Any]) -> CheckJudge:
    """An acknowledged lock is a promise for its generation: it may end only with a new request.

    Parameters: ``request: {path, types}``, ``ack: {path, type}``.
    """
    handshake = Handshake.of(parameters)
    place = handshake.answers.field(START).key(handshake.answer)

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        if run.new is None:
            return
        was, now = handshake.state(run.old), handshake.state(run.new)
        before, after = handshake.answer_of(run.old), handshake.answer_of(run.new)
        if was is LockState.HELD and after is None and _same_spec(run):
            text = (
                "a held lock was dropped; it ends only when the request changes,"
                f" in {handshake.requests.text}"
            )
            yield Mark(place, text, Severity.DENY)
        if was is LockState.HELD and now is LockState.STALE:
            text = (
                "this change of the spec makes the acknowledged lock stale;"
                " it is not held again until it is acknowledged again"
            )
            yield Mark(place, text, Severity.WARN)
        if after is not None and now is LockState.NONE and not same(before, after):
            yield Mark(place, f"acknowledges a lock that nobody asks for: {_asks(handshake, run)}")
        if was is LockState.DENIED and now is LockState.HELD:
            text = "a denied request is granted later, for the same generation"
            yield Mark(place, text, Severity.WARN)

    return judge


def _same_spec(run: Run) -> bool:
    if run.old is None or run.new is None:
        return False
    return run.old.number("metadata", "generation") == run.new.number("metadata", "generation")


def _asks(handshake: Handshake, run: Run) -> str:
    request = handshake.request_of(run.new)
    kind = handshake.types[0] if request is None else request.text("type")
    have = "absent" if request is None else show(status_of(request))
    return f'{handshake.requests.text}[{kind}] is {have}, and only "False" asks'


def answer_revoked(parameters: Mapping[str, Any]) -> CheckJudge:
    """A go-ahead holds while the same question stands (OLM issue 1973, second proposal).

    Parameters: ``question``: a path; ``answers``: a list of conditions; ``type``: the answer's.
    """
    known(parameters, "question", "answers", "type")
    question, answers = path(parameters, "question"), path(parameters, "answers")
    kind = word(parameters, "type")
    place = answers.field(START).key(kind)

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        asked = question(run.new, START)
        if asked is None or not same(question(run.old, START), asked):
            return
        before, after = (conditions(root, answers).get(kind) for root in (run.old, run.new))
        if status_of(before) != "True" or not _fresh(run.old, before):
            return
        taken_back = status_of(after) != "True" and _same_spec(run) and _fresh(run.new, after)
        if after is None or taken_back:
            yield Mark(place, f"the go-ahead for question {show(asked.value)} was taken back")

    return judge


def _fresh(root: View | None, condition: View | None) -> bool:
    stamp = condition.number("observedGeneration") if condition is not None else None
    return root is not None and stamp is not None and stamp == root.number("metadata", "generation")
