"""Lists L and M of the transitions, tried for real: an API server that asks us, and our real answers.

The stage is set to the recorded old object, then the planted one is written, by the operator and by people.
What the CRD's schema refuses before us is counted apart.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.e2e.stage import HAND, WENT_THROUGH, Stage
from tests.planted.generator import (
    LIST_L,
    odd_but_legal,
    operator_only,
    person_claims_done,
    planted,
    variants,
)
from tests.planted.status_conditions import said
from tests.planted.variant import Expect, Variant, Writer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.e2e.guarding import Guard
    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane

SEED = 20261129
NEEDS_NODES = {1, 2, 39}
"""The Node tells; without sight of it only a person is refused."""
NEEDS_THE_SKYHOOK = {13}
"""An uninstall without an uninstall block: the Node alone does not tell, so nobody is refused."""
MENDED = {31}
"""A twin left behind: our own mutating webhook makes it follow before anybody judges."""


class Outcome(StrEnum):
    """What became of a write."""

    THROUGH = "through"
    OURS = "refused by us"
    SCHEMA = "refused by the API server before us"


def outcome(answer: Response) -> Outcome:
    if answer.status in WENT_THROUGH:
        return Outcome.THROUGH
    by_us = 'admission webhook "validate-' in answer.body.get("message", "")
    return Outcome.OURS if by_us else Outcome.SCHEMA


@dataclass(slots=True)
class Tried:
    """Variants written live."""

    stage: Stage
    counts: Counter[Outcome] = field(default_factory=Counter)
    kinds: dict[Outcome, set[int]] = field(default_factory=lambda: {one: set() for one in Outcome})
    wrong: dict[str, Any] = field(default_factory=dict)

    def all(self, planted: Iterable[Variant], expected: Any) -> None:
        """Writes each; what does not come out as `expected(variant)` is kept as wrong."""
        for variant in planted:
            answer = self.stage.write(variant.review["request"], actor_of(variant))
            got = outcome(answer)
            self.counts[got] += 1
            self.kinds[got].add(variant.kind)
            if got not in {*expected(variant), Outcome.SCHEMA}:
                self.wrong[variant.id] = (variant.what, answer.status, str(answer.body)[:500])
            elif got is Outcome.SCHEMA:
                assert answer.status in (400, 422), (variant.id, answer)

    def check(self, least: int) -> None:
        print({str(k): n for k, n in self.counts.items()})
        assert not self.wrong, f"{len(self.wrong)}: {dict(list(self.wrong.items())[:5])}"
        assert sum(self.counts.values()) >= least


def actor_of(variant: Variant) -> str:
    """The variant's writer; the stage hand, whom the guard leaves alone, is somebody else here."""
    user: str = variant.review["request"]["userInfo"]["username"]
    return "sre-oncall" if user == HAND else user


def illegal(variant: Variant) -> set[Outcome]:
    if variant.kind in NEEDS_THE_SKYHOOK or (variant.kind in MENDED and not by_person(variant)):
        return {Outcome.THROUGH}
    if variant.kind in NEEDS_NODES and not by_person(variant):
        return {Outcome.THROUGH, Outcome.OURS}  # other rules may be sure without the Node
    return {Outcome.OURS}


def refused(variant: Variant) -> set[Outcome]:
    assert variant.expect is Expect.DENY
    return {Outcome.OURS}


def legal(variant: Variant) -> set[Outcome]:
    assert variant.expect in {Expect.ALLOW, Expect.WARN}
    return {Outcome.THROUGH}


def by_person(variant: Variant) -> bool:
    return variant.writer is Writer.PERSON


@pytest.fixture(scope="module")
def reviews() -> list[dict[str, Any]]:
    return [r for r in reading.distilled() if reading.origin(r) not in reading.EXCEPTIONS]


def test_every_kind_of_illegal_write_is_refused_live(
    cluster: ControlPlane, guard: Guard, reviews: list[dict[str, Any]]
) -> None:
    tried = Tried(Stage(cluster))
    tried.all(variants(reviews, seed=SEED, per_kind=3), illegal)
    tried.check(100)
    every = {kind.number for kind in LIST_L} - NEEDS_THE_SKYHOOK
    assert tried.kinds[Outcome.OURS] == every
    assert guard.metric("skyhook_webhook_reviews_total", allowed="false") >= 100


def test_odd_but_legal_writes_go_through_live(
    cluster: ControlPlane, guard: Guard, reviews: list[dict[str, Any]]
) -> None:
    tried = Tried(Stage(cluster))
    tried.all(odd_but_legal(reviews, seed=SEED, per_kind=3), legal)
    tried.check(110)


def test_what_a_person_claims_and_what_the_operator_never_does_is_refused_live(
    cluster: ControlPlane, guard: Guard, reviews: list[dict[str, Any]]
) -> None:
    tried = Tried(Stage(cluster))
    tried.all(person_claims_done(reviews, seed=SEED, per_kind=4), refused)
    tried.all(operator_only(reviews, seed=SEED, per_kind=4), refused)
    tried.check(25)


def twins_left_behind(reviews: list[dict[str, Any]], count: int) -> list[Variant]:
    kinds = [kind for kind in LIST_L if kind.number in MENDED]
    planted_ones = planted(kinds, reviews, family="L", seed=SEED, per_kind=count)
    found = [v for v in planted_ones if not by_person(v)]
    assert len(found) >= count // 2
    return found


def test_a_twin_left_behind_by_the_operator_is_made_to_follow(
    cluster: ControlPlane, guard: Guard, reviews: list[dict[str, Any]]
) -> None:
    stage = Stage(cluster)
    for variant in twins_left_behind(reviews, 8):
        answer = stage.write(variant.review["request"], actor_of(variant))
        assert answer.status == 200, (variant.id, answer.body)
        stored = {c["type"]: c for c in answer.body["status"]["conditions"]}
        bare = next(path[-1] for path in variant.fields if "/" not in path[-1])
        assert said(stored[bare]) == said(stored[f"skyhook.nvidia.com/{bare}"]), variant.id


def test_without_our_mutating_webhook_a_twin_left_behind_is_refused(
    cluster: ControlPlane, guard: Guard, reviews: list[dict[str, Any]]
) -> None:
    stage = Stage(cluster)
    with guard.without_mutation(cluster):
        for variant in twins_left_behind(reviews, 8):
            answer = stage.write(variant.review["request"], actor_of(variant))
            assert outcome(answer) is Outcome.OURS, (variant.id, answer.body)


@pytest.mark.nightly
def test_thousands_of_planted_writes_live(
    cluster: ControlPlane, guard: Guard, reviews: list[dict[str, Any]]
) -> None:
    tried = Tried(Stage(cluster))
    for seed in (1, 2):
        tried.all(variants(reviews, seed=seed, per_kind=30), illegal)
        tried.all(odd_but_legal(reviews, seed=seed, per_kind=30), legal)
    tried.check(4000)
