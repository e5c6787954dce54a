"""How a lock, a go-ahead and an upgrade stand, by whose word: answers about one object, for a person.

What is asked follows from the profile: its checks ``ack_lock``, ``answer_revoked``,
``override_in_force`` and ``mirror`` say which fields carry the words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from webhook.checks.locks import Handshake, LockState
from webhook.checks.mirrors import conditions, status_of
from webhook.checks.parameters import path, word
from webhook.lifecycle.path import START
from webhook.lifecycle.rule import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.model import Guard
    from webhook.lifecycle.path import Lookup

LOCK: Final = "is the lock held?"
GO_AHEAD: Final = "is there a go-ahead?"
UPGRADE: Final = "may OLM upgrade now?"


@dataclass(frozen=True, slots=True)
class Standing:
    """One answer.

    Attributes:
        question: what was asked.
        answer: the answer in a word.
        by: whose word it is: the field that decides.
        why: one sentence.
    """

    question: str
    answer: str
    by: FieldPath
    why: str

    def sentence(self) -> str:
        """Question and answer, as one line that stands alone."""
        return f"{self.question} {self.answer}: {self.why} (by {self.by})"


def standings(root: View, guards: Iterable[Guard]) -> list[Standing]:
    """What the profile's locks and decisions come to for one object; [] when it has none."""
    found: list[Standing] = []
    for guard in guards:
        checks = {check.use: check.parameters for check in guard.checks}
        if "ack_lock" in checks:
            found.append(_lock(root, Handshake.of(checks["ack_lock"])))
        if "answer_revoked" in checks:
            found.append(_go_ahead(root, checks["answer_revoked"]))
        if {"ack_lock", "override_in_force", "mirror"} <= checks.keys():
            found.append(_upgrade(root, checks))
    return found


def _lock(root: View, handshake: Handshake) -> Standing:
    request, answer = handshake.request_of(root), handshake.answer_of(root)
    asked = handshake.requests.field(START).key(_kind(request, handshake.types[0]))
    given = handshake.answers.field(START).key(handshake.answer)
    generation = root.number("metadata", "generation")
    match handshake.state(root):
        case LockState.NONE:
            have = "nobody has set it" if request is None else f"it is {show(status_of(request))}"
            return Standing(LOCK, "no", asked, f'only "False" asks for a lock, and {have}')
        case LockState.PENDING:
            why = f"the operator asks for it{_because(request)}, and nobody has acknowledged it yet"
            return Standing(LOCK, "not yet", asked, why)
        case LockState.STALE:
            stamp = answer.number("observedGeneration") if answer is not None else None
            why = (
                f"the acknowledgement is for generation {stamp}, and the spec is at generation"
                f" {generation}: it must be given again"
            )
            return Standing(LOCK, "no longer", given, why)
        case LockState.HELD:
            why = (
                f"the operator holds it{_because(request)}, acknowledged for generation"
                f" {generation}, the newest"
            )
            return Standing(LOCK, "yes", given, why)
        case LockState.DENIED:
            why = f"the request was denied for generation {generation}{_because(answer)}"
            return Standing(LOCK, "no", given, why)


def _kind(condition: View | None, otherwise: str) -> str:
    return (condition.text("type") if condition is not None else None) or otherwise


def _because(condition: View | None) -> str:
    if condition is None:
        return ""
    said = [text for name in ("reason", "message") if (text := condition.text(name))]
    return f" ({': '.join(said)})" if said else ""


def _go_ahead(root: View, parameters: Mapping[str, Any]) -> Standing:
    question, answers = path(parameters, "question"), path(parameters, "answers")
    kind = word(parameters, "type")
    asked, answer = question(root, START), conditions(root, answers).get(kind)
    place = answers.field(START).key(kind)
    generation = root.number("metadata", "generation")
    if asked is None:
        return Standing(GO_AHEAD, "no", question.field(START), "nobody asks")
    if answer is None:
        return Standing(GO_AHEAD, "not yet", place, f"question {show(asked.value)} has no answer")
    stamp = answer.number("observedGeneration")
    if stamp != generation:
        given = "no generation" if stamp is None else f"generation {stamp}"
        why = f"the answer is for {given}, and the spec is at generation {generation}"
        return Standing(GO_AHEAD, "not yet", place, why)
    have = status_of(answer)
    if have != "True":
        why = f"the answer to question {show(asked.value)} is {show(have)}{_because(answer)}"
        return Standing(GO_AHEAD, "no", place, why)
    why = (
        f"the answer to question {show(asked.value)} is {show(have)} for generation {generation};"
        " if the question did not make that generation, the answer may be older than it"
    )
    return Standing(GO_AHEAD, "yes", place, why)


def _upgrade(root: View, checks: Mapping[str, Mapping[str, Any]]) -> Standing:
    """What OLM decides today by this object alone (operatorconditions.go:15-55).

    The decision and the sync read two caches, so even a fresh copy is no commitment (issue 1973).
    """
    kind = Handshake.of(checks["ack_lock"]).types[0]
    overridden = _overridden(root, checks["override_in_force"], kind)
    return overridden or _copied(root, path(checks["mirror"], "to"), kind)


def _overridden(root: View, parameters: Mapping[str, Any], kind: str) -> Standing | None:
    overrides, opens = path(parameters, "overrides"), str(parameters.get("opens", "True"))
    override = conditions(root, overrides).get(kind)
    if override is None:
        return None
    have = status_of(override)
    why = f"an admin's override says {show(have)}, and only {show(opens)} lets through"
    answer = "yes" if have == opens else "no"
    return Standing(UPGRADE, answer, overrides.field(START).key(kind), why + _because(override))


def _copied(root: View, copies: Lookup, kind: str) -> Standing:
    condition, place = conditions(root, copies).get(kind), copies.field(START).key(kind)
    if condition is None:
        return Standing(UPGRADE, "yes", place, "no condition holds it back")
    have, stamp = status_of(condition), condition.number("observedGeneration") or 0
    generation = root.number("metadata", "generation")
    if stamp != generation:
        why = (
            f"the condition is for generation {stamp}, and the spec is at generation {generation}:"
            " OLM waits until it is copied again"
        )
        return Standing(UPGRADE, "no", place, why)
    why = f"the operator says {show(have)} for generation {generation}{_because(condition)}"
    return Standing(UPGRADE, "no" if have == "False" else "yes", place, why)
