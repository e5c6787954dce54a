"""Promise 2: every kind of illegal write is denied, planted into what the operator really wrote.

Each variant's id names list, kind, form, writer, seed and the recorded review it was planted in.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.planted.generator import odd_but_legal, operator_only, person_claims_done, variants
from tests.planted.variant import Expect, field
from webhook.core.evidence import GivenNodes
from webhook.core.view import View

if TYPE_CHECKING:
    from tests.planted.variant import Variant
    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict

SEED = 20261129
SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"


@pytest.fixture(scope="module")
def reviews() -> list[dict[str, Any]]:
    return list(reading.distilled())


def judged(engine: Engine, variant: Variant) -> Verdict:
    given = variant.evidence or {}
    if given:
        nodes = {name: (View.of(node),) for name, node in given.get("nodes", {}).items()}
        owners = {
            f"{SKYHOOKS}/{name}": (View.of(skyhook),)
            for name, skyhook in given.get("skyhooks", {}).items()
        }
        evidence = GivenNodes(nodes, complete=given.get("complete", False), owners=owners)
        engine = replace(engine, evidence=evidence)
    return engine.judge_body(json.dumps(variant.review).encode()).verdict


def wrong(verdict: Verdict, variant: Variant) -> bool:
    if variant.expect is Expect.DENY:
        return verdict.allowed or not _at_the_place(verdict, variant)
    if variant.expect is Expect.WARN:  # what another rule is sure of may deny as well
        return not verdict.warned and verdict.allowed
    return not verdict.allowed or (variant.silent and bool(verdict.warned))


def _at_the_place(verdict: Verdict, variant: Variant) -> bool:
    places = [field(path) for path in variant.fields]
    found = [str(f.field) for f in verdict.denied]
    return any(one.startswith(place) or place.startswith(one) for one in found for place in places)


def check(engine: Engine, planted: list[Variant], least: int) -> None:
    assert len(planted) >= least
    failed = {
        v.id: (v.what, [(str(f.field), f.rule) for f in verdict.findings])
        for v in planted
        if wrong(verdict := judged(engine, v), v)
    }
    assert not failed, f"{len(failed)} of {len(planted)}: {dict(list(failed.items())[:5])}"


def test_every_kind_of_illegal_write_is_denied(
    engine: Engine, reviews: list[dict[str, Any]]
) -> None:
    planted = list(variants(reviews, seed=SEED, per_kind=25))
    assert {v.kind for v in planted} == set(range(1, 41)) - {35}
    check(engine, planted, 850)


def test_what_the_operator_alone_never_does_is_denied_to_it(
    engine: Engine, reviews: list[dict[str, Any]]
) -> None:
    check(engine, list(operator_only(reviews, seed=SEED, per_kind=25)), 40)


def test_a_person_who_reports_something_as_done_is_denied(
    engine: Engine, reviews: list[dict[str, Any]]
) -> None:
    check(engine, list(person_claims_done(reviews, seed=SEED, per_kind=40)), 200)


def test_odd_but_legal_writes_are_allowed_and_silent_from_the_operator(
    engine: Engine, reviews: list[dict[str, Any]]
) -> None:
    planted = odd_but_legal(reviews, seed=SEED, per_kind=25)
    kept = [v for v in planted if (v.scenario, v.seq) not in reading.EXCEPTIONS]
    check(engine, kept, 850)


@pytest.mark.nightly
@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
@pytest.mark.parametrize("seed", range(1, 6))
def test_thousands_of_illegal_writes_planted_in_all_recordings_are_denied(
    engine: Engine, seed: int
) -> None:
    everything = reading.reviews(reading.SHARED)
    planted = variants(everything, seed=seed, per_kind=300)
    check(engine, list(planted), 8000)
