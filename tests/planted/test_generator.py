"""The generators judged by themselves: enough of each kind, and just the change they name."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from itertools import islice
from typing import Any

import msgspec
import pytest
import yaml

from tests.corpus import reading
from tests.corpus.differences import differences
from tests.planted import generator, words
from tests.planted.oracle import kinds_of
from tests.planted.people import PEOPLE
from tests.planted.variant import Expect, Variant, Writer, field
from tests.planted.view import View, pair

SEED = 20261129
PER_KIND = 24
LEAST = 20
needs_shared = pytest.mark.skipif(not reading.SHARED.is_dir(), reason="no full recordings here")
NEED_EVIDENCE = {1, 2, 13, 39}


def clean() -> Any:
    """The distilled set without the damage: what the plantings start from."""
    return (r for r in reading.distilled() if reading.origin(r) not in reading.EXCEPTIONS)


@pytest.fixture(scope="module")
def recorded() -> dict[str, bytes]:
    """Recorded reviews by uid, packed."""
    return {
        review["request"]["uid"]: zlib.compress(msgspec.json.encode(review), 1)
        for review in clean()
    }


@pytest.fixture(scope="module")
def illegal() -> list[Variant]:
    return list(generator.variants(clean(), seed=SEED, per_kind=PER_KIND))


@pytest.fixture(scope="module")
def operator_only() -> list[Variant]:
    return list(generator.operator_only(clean(), seed=SEED, per_kind=PER_KIND))


@pytest.fixture(scope="module")
def odd() -> list[Variant]:
    return list(generator.odd_but_legal(clean(), seed=SEED, per_kind=PER_KIND))


@pytest.fixture(scope="module")
def claims() -> list[Variant]:
    return list(generator.person_claims_done(clean(), seed=SEED, per_kind=PER_KIND))


@pytest.fixture(scope="module")
def everything(
    illegal: list[Variant],
    operator_only: list[Variant],
    odd: list[Variant],
    claims: list[Variant],
) -> list[Variant]:
    return [*illegal, *operator_only, *odd, *claims]


def view(variant: Variant) -> View:
    return View({**variant.review, "scenario": variant.scenario, "seq": variant.seq})


def test_each_kind_of_list_l_but_the_withdrawn_is_planted_often_by_both_writers(
    illegal: list[Variant],
) -> None:
    found = Counter((v.kind, v.writer) for v in illegal)
    wanted = set(range(1, 41)) - generator.WITHDRAWN
    assert {kind for kind, _ in found} == wanted
    for kind in wanted:
        by_writer = [found[kind, Writer.OPERATOR], found[kind, Writer.PERSON]]
        assert sum(by_writer) >= LEAST, kind
        assert min(by_writer) >= LEAST // 4, kind


def test_each_kind_of_list_m_is_there(odd: list[Variant]) -> None:
    assert {v.kind for v in odd} == set(range(1, 41))


def test_all_six_claims_are_made_often(claims: list[Variant]) -> None:
    found = Counter(v.kind for v in claims)
    assert found.keys() == set(range(1, 7))
    assert min(found.values()) >= LEAST


def test_ids_are_unique_and_show_the_seed(everything: list[Variant]) -> None:
    ids = [variant.id for variant in everything]
    assert len(set(ids)) == len(ids)
    assert all(f"-s{SEED}-" in text for text in ids)


def test_the_same_seed_gives_the_same_variants_and_another_one_others() -> None:
    kinds = [kind for kind in generator.LIST_L if kind.number in {12, 24, 36}]

    def made(seed: int) -> list[tuple[str, str]]:
        reviews = islice(clean(), 1000)
        found = generator.planted(kinds, reviews, family="L", seed=seed, per_kind=8)
        return [(v.id, json.dumps(v.review)) for v in found]

    first = made(1)
    assert len(first) == 24
    assert made(1) == first
    assert {review for _, review in made(2)} != {review for _, review in first}


def test_a_variant_differs_from_the_recorded_review_just_where_it_says(
    everything: list[Variant], recorded: dict[str, bytes]
) -> None:
    for variant in everything:
        base = msgspec.json.decode(zlib.decompress(recorded[variant.uid]))["request"]
        request = dict(variant.review["request"])
        _check_places(variant, base, request)
        for part in ("object", "oldObject", "userInfo"):
            base.pop(part)
            request.pop(part)
        assert request == base, variant.id


def _check_places(variant: Variant, base: dict[str, Any], request: dict[str, Any]) -> None:
    changed = [path for path, _, _ in differences(base[variant.base], request["object"])]
    changed_old = [path for path, _, _ in differences(base["oldObject"], request["oldObject"])]
    outside = [
        path
        for path in (*changed, *changed_old)
        if not any(path[: len(place)] == place for place in variant.touched)
    ]
    assert not outside, (variant.id, outside)
    if variant.expect is not Expect.ALLOW:
        assert changed, variant.id
        assert not changed_old, variant.id


def test_every_planted_denial_changes_one_of_the_fields_that_it_expects_a_finding_at(
    illegal: list[Variant], claims: list[Variant]
) -> None:
    for variant in (*illegal, *claims):
        request = variant.review["request"]
        changed = [path for path, _, _ in differences(request["oldObject"], request["object"])]
        hits = [p for p in changed for f in variant.fields if p[: len(f)] == f or f[: len(p)] == p]
        assert variant.fields, variant.id
        assert hits, (variant.id, variant.fields)


def test_a_variant_survives_json(everything: list[Variant]) -> None:
    for variant in everything:
        assert msgspec.json.decode(msgspec.json.encode(variant.review)) == variant.review
        assert json.loads(json.dumps(variant.review)) == variant.review
        assert json.loads(json.dumps(variant.evidence)) == variant.evidence


def test_a_person_is_one_of_the_recorded_people_and_the_operator_keeps_its_name(
    everything: list[Variant], recorded: dict[str, bytes]
) -> None:
    for variant in everything:
        user = variant.review["request"]["userInfo"]
        if variant.writer is Writer.PERSON:
            assert user in PEOPLE
        else:
            base = msgspec.json.decode(zlib.decompress(recorded[variant.uid]))
            assert user == base["request"]["userInfo"]
        if variant.writer is Writer.OPERATOR:
            assert user["username"].endswith(":skyhook-operator-controller-manager")


def test_evidence_comes_with_just_the_kinds_that_need_it(illegal: list[Variant]) -> None:
    for variant in illegal:
        assert (variant.evidence is not None) == (variant.kind in NEED_EVIDENCE), variant.id
        warned = variant.kind in NEED_EVIDENCE and variant.writer is Writer.OPERATOR
        assert variant.expect is (Expect.WARN if warned else Expect.DENY), variant.id


def test_the_oracle_finds_each_variant_to_be_of_its_kind(illegal: list[Variant]) -> None:
    for variant in illegal:
        found = kinds_of(view(variant), variant.evidence)
        assert variant.kind in found, (variant.id, variant.what)
        if variant.expect is Expect.WARN:
            assert found == {variant.kind}, (variant.id, variant.what)


def test_without_the_evidence_those_kinds_cannot_be_told(illegal: list[Variant]) -> None:
    for variant in illegal:
        if variant.kind in NEED_EVIDENCE:
            assert not kinds_of(view(variant)), variant.id


def test_the_oracle_finds_nothing_in_what_was_recorded() -> None:
    assert not [reading.origin(review) for review in clean() if kinds_of(View(review))]


def test_the_oracle_finds_nothing_in_list_m(odd: list[Variant]) -> None:
    for variant in odd:
        assert not kinds_of(view(variant)), (variant.id, variant.what)
        assert variant.expect is Expect.ALLOW
        operator = view(variant).by_operator
        assert variant.silent is operator, variant.id


def test_the_oracle_finds_the_recorded_damage() -> None:
    damaged = (r for r in reading.distilled() if reading.origin(r) in reading.EXCEPTIONS)
    missed = {reading.origin(review) for review in damaged if not kinds_of(View(review))}
    assert not missed


def test_every_claim_is_by_a_person_over_the_old_object(claims: list[Variant]) -> None:
    for variant in claims:
        assert (variant.expect, variant.writer, variant.base) == (
            Expect.DENY,
            Writer.PERSON,
            "oldObject",
        )


def test_no_near_miss_is_a_legal_word() -> None:
    assert not set(words.BAD_STATUSES) & set(words.STATUSES)
    assert not set(words.BAD_STATES) & set(words.STATES)
    assert not set(words.BAD_STAGES) & set(words.STAGES)
    assert not set(words.OTHER_READY_REASONS) & set(words.READY_REASONS)
    assert {"", "Complete", "in-progress"} <= set(words.BAD_STATUSES)
    assert {"apply-check", "post_interrupt", "Apply"} <= set(words.BAD_STAGES)


def test_a_field_is_shown_as_findings_show_it() -> None:
    key = "skyhook.nvidia.com/nodeState_gpu"
    assert field(("status", "nodeState", "n.1", "foo|1.0", "stage")) == (
        "status.nodeState[n.1][foo|1.0].stage"
    )
    assert field(("metadata", "annotations", key, "foo|1.0")) == (
        f"metadata.annotations[{key}][foo|1.0]"
    )
    assert field(("status", "conditions", "Ready")) == "status.conditions[Ready]"
    assert field(("status", "observedGeneration")) == "status.observedGeneration"


def edges(variant: Variant) -> set[tuple[str, str]]:
    """Edges (`stage/state`) of the planted packages in a Node's annotations, legal words only."""
    request = variant.review["request"]
    found = set()
    for skyhook in view(variant).skyhooks:
        old, new = (view(variant).packages(skyhook, old=before) for before in (True, False))
        for key in (old.keys() | new.keys()) if request["resource"]["resource"] == "nodes" else ():
            if pair(old.get(key)) != pair(new.get(key)):
                found.add((pair(old.get(key)), pair(new.get(key))))
    return found


@needs_shared
def test_the_edge_table_has_each_edge_of_list_m_and_none_of_those_of_list_l(
    illegal: list[Variant], odd: list[Variant]
) -> None:
    data = yaml.safe_load((reading.SHARED.parent / "skyhook.yaml").read_text())
    table = {(edge["from"], edge["to"]) for edge in data["annotation_level"]["edges"]}
    for variant in odd:
        if variant.writer is Writer.OPERATOR:
            assert edges(variant) <= table, (variant.id, edges(variant) - table)
    for variant in illegal:
        if variant.kind in {9, 10, 11, 12}:
            assert edges(variant) - table, variant.id


@needs_shared
@pytest.mark.nightly
def test_the_oracle_finds_nothing_in_all_recordings() -> None:
    found = {
        (reading.origin(review), kind)
        for review in reading.reviews(reading.SHARED)
        if reading.origin(review) not in reading.EXCEPTIONS
        for kind in kinds_of(View(review))
    }
    assert not found
