"""Short answers leave nothing out: with and without them every write has the same findings.

Examples of every rule, recorded reviews, and both damaged (seed in the name), as they are and as new
objects: short answers are asked of what is new.
"""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec
import pytest

from tests.fuzz.corpora import reviews
from tests.fuzz.mutating import mutated
from webhook.catalog import PROFILES, profile_code, rule_examples, shipped
from webhook.core.evidence import GivenNodes, NoEvidence
from webhook.core.view import View
from webhook.core.writer import Writer
from webhook.lifecycle.compile import compile_profile
from webhook.lifecycle.plan import Plan
from webhook.lifecycle.run import Run
from webhook.reviews.rulebook import CLOCK, samples

if TYPE_CHECKING:
    from webhook.core.evidence import Evidence
    from webhook.core.finding import Finding
    from webhook.lifecycle.compile import CompiledGuard
    from webhook.lifecycle.swift import Clean

PER_SEED: Final = 1000


class WalkedPlan(Plan):
    """Without short answers."""

    def add(self, path: str, judge: Any, clean: Clean | None = None) -> None:
        del clean
        super().add(path, judge)


class CountedPlan(Plan):
    """With short answers that are counted."""

    answers: ClassVar[Counter[tuple[str, bool]]] = Counter()

    def add(self, path: str, judge: Any, clean: Clean | None = None) -> None:
        def counted(run: Run, new: Any, key: str) -> bool:
            assert clean is not None
            answer = clean(run, new, key)
            self.answers[clean.__qualname__, answer] += 1
            return answer

        super().add(path, judge, None if clean is None else counted)


def _compiled(plan: type[Plan]) -> dict[str, list[CompiledGuard]]:
    found: dict[str, list[CompiledGuard]] = {}
    for name in PROFILES:
        profile = shipped(name)
        for guard in compile_profile(profile, profile_code(profile), usually=True, make_plan=plan):
            found.setdefault(guard.match.kind, []).append(guard)
    return found


SWIFT, WALKED = _compiled(CountedPlan), _compiled(WalkedPlan)
HARDLY_EVER_NO: Final = {"always", "on_creation", "_no_globs"}
"""Always yes; of old objects only; behind another that says no to nearly the same."""
NODES: Final = GivenNodes(
    {"a": (View.of({"metadata": {"name": "a", "labels": {"gpu": "yes"}}, "spec": {"taints": [{"key": "x_tuning"}]}}),)},
    True,
    {},
)  # fmt: skip


def _objects() -> list[tuple[str, View | None, bytes]]:
    """(kind, old, new) of examples and recorded reviews."""
    found: list[tuple[str, Any, Any]] = []
    for name in PROFILES:
        told = samples(shipped(name), rule_examples(name))
        found += [(one.guard.match.kind, one.old, one.new) for one in told]
    for text in reviews():
        request = json.loads(text)["request"]
        found.append((request["kind"]["kind"], request.get("oldObject"), request.get("object")))
    return [
        (kind, None if old is None else View.of(old), msgspec.json.encode(new))
        for kind, old, new in found
        if kind in SWIFT and new is not None
    ]


OBJECTS: Final = _objects()


def _damaged(text: bytes, chance: Random) -> bytes:
    """The same with some damage, and JSON still."""
    for _ in range(20):
        out = mutated(text, chance)
        try:
            out.decode()
            msgspec.json.decode(out, type=dict[str, msgspec.Raw])
        except (ValueError, msgspec.DecodeError):
            continue
        return out
    return text


def _told(
    guards: list[CompiledGuard], old: View | None, new: bytes, writer: Writer, known: Evidence
) -> list[Finding]:
    found = []
    for guard in guards:
        view, release = View(msgspec.Raw(new)), guard.release
        run = Run(old, view, writer, "somebody", "v1alpha1", CLOCK, known, release=release)
        found += guard.plan.judge(run)
    return sorted(found, key=lambda f: (f.rule, str(f.field), f.severity, f.message))


def _compare(kind: str, old: View | None, new: bytes, chance: Random) -> None:
    writer = chance.choice(list(Writer))
    known: Evidence = chance.choice((NoEvidence(), NODES))
    short = _told(SWIFT[kind], old, new, writer, known)
    assert short == _told(WALKED[kind], old, new, writer, known), new


def test_examples_and_recorded_reviews() -> None:
    chance = Random(1)
    for kind, old, new in OBJECTS:
        for before in (old, None):
            _compare(kind, before, new, chance)


@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_objects(seed: int) -> None:
    chance = Random(seed)
    for _ in range(PER_SEED):
        kind, old, new = chance.choice(OBJECTS)
        _compare(kind, chance.choice((old, None, None)), _damaged(new, chance), chance)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3, 40))
def test_many_more_damaged_objects(seed: int) -> None:
    test_damaged_objects(seed)


def test_each_short_answer_is_met_both_ways() -> None:
    """What is never yes is no use; what is never no was not tried."""
    chance = Random(4)
    CountedPlan.answers.clear()
    for _ in range(2 * PER_SEED):
        kind, old, new = chance.choice(OBJECTS)
        _compare(kind, chance.choice((None, old)), _damaged(new, chance), chance)
    answers = CountedPlan.answers
    asked = {name for name, _ in answers}
    assert len(asked) > 25
    assert {name for name in asked if not answers[name, True]} == set()
    assert {name for name in asked if not answers[name, False]} <= HARDLY_EVER_NO


def test_a_number_that_nobody_can_read_under_an_unknown_key_of_a_selector() -> None:
    """Found here: with Nodes known, asking which of them it selects failed."""
    text = b'{"spec":{"nodeSelectors":{"matchLabels":{"gpu":"yes"},"more":1e400}}}'
    _compare("Skyhook", None, text, Random(5))
    assert _told(SWIFT["Skyhook"], None, text, Writer.PERSON, NODES) == []
