"""The generators: list L planted into recorded reviews, list M, and a person who claims.

Each makes one pass over the reviews, keeps a seeded sample of the places where a kind can be
planted, then yields the variants in order of kind. Same reviews, seed and count: same variants.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

from tests.planted import (
    node_edges,
    node_keys,
    node_values,
    odd_counters,
    odd_edges,
    odd_node,
    odd_status,
    person_claims,
    status_conditions,
    status_done,
    status_values,
    with_evidence,
)
from tests.planted.people import PEOPLE
from tests.planted.sampling import Sample
from tests.planted.variant import Expect, Kind, Variant, Writer
from tests.planted.view import Scope, View

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.planted.sampling import Place

WITHDRAWN: Final = frozenset({35})


def _in_order(*modules: Any) -> tuple[Kind, ...]:
    kinds = [kind for module in modules for kind in module.KINDS]
    return tuple(sorted(kinds, key=lambda kind: kind.number))


LIST_L: Final = _in_order(
    with_evidence, status_done, node_edges, node_values, status_values, node_keys, status_conditions
)
LIST_M: Final = _in_order(odd_status, odd_edges, odd_node, odd_counters)


def variants(reviews: Iterable[dict[str, Any]], *, seed: int, per_kind: int) -> Iterator[Variant]:
    """List L but the withdrawn: at most `per_kind` of each, by the operator and by a person."""
    return planted(LIST_L, reviews, family="L", seed=seed, per_kind=per_kind)


def operator_only(
    reviews: Iterable[dict[str, Any]], *, seed: int, per_kind: int
) -> Iterator[Variant]:
    """The two steps of B.7 that only the operator never takes (kinds 41 and 42)."""
    kinds = node_edges.OPERATOR_ONLY
    return planted(kinds, reviews, family="B7-", seed=seed, per_kind=per_kind)


def odd_but_legal(
    reviews: Iterable[dict[str, Any]], *, seed: int, per_kind: int
) -> Iterator[Variant]:
    """List M: as recorded where it was seen, and planted. All allowed, silent from the operator."""
    return planted(LIST_M, reviews, family="M", seed=seed, per_kind=per_kind)


def person_claims_done(
    reviews: Iterable[dict[str, Any]], *, seed: int, per_kind: int
) -> Iterator[Variant]:
    """A person reports a package, a node, the Skyhook or Ready as done. All denied."""
    kinds = person_claims.KINDS
    return planted(kinds, reviews, family="P", seed=seed, per_kind=per_kind)


def planted(
    kinds: Iterable[Kind],
    reviews: Iterable[dict[str, Any]],
    *,
    family: str,
    seed: int,
    per_kind: int,
) -> Iterator[Variant]:
    """Plant any kinds. `reviews` are read once and not changed."""
    samples = [Sample(kind, seed, per_kind) for kind in kinds]
    of_operator, of_anyone = _by_scope(samples)
    scenario, known = "", dict[str, dict[str, Any]]()
    for review in reviews:
        if review["scenario"] != scenario:
            scenario, known = review["scenario"], {}
        view = View(review)
        if view.scope in {Scope.STATUS, Scope.SKYHOOK}:
            known[view.name] = view.object
        view.known = known
        interested = of_operator if view.by_operator else of_anyone
        for sample in interested[view.scope]:
            sample.look(view)
    for sample in samples:
        for number, (form, writer, place) in enumerate(sample.chosen(per_kind)):
            label = f"{family}{sample.kind.number}-{form}-{writer}-s{seed}-{number}"
            yield _variant(label, sample.kind, form, writer, place)


def _by_scope(samples: list[Sample]) -> tuple[dict[Scope, list[Sample]], dict[Scope, list[Sample]]]:
    """Who looks at the operator's reviews, and who at those of others."""
    every = {scope: [s for s in samples if scope in s.kind.scopes] for scope in Scope}
    some = {scope: [s for s in every[scope] if s.kind.every_writer] for scope in Scope}
    return every, some


def _variant(label: str, kind: Kind, form: str, writer: Writer, place: Place) -> Variant:
    view, change = place.planted()
    by_operator = view.by_operator and writer is not Writer.PERSON
    if writer is Writer.PERSON:
        view.request["userInfo"] = Random(label).choice(PEOPLE)
    expect = kind.expected(writer)
    review = {name: view.review[name] for name in ("apiVersion", "kind", "request")}
    return Variant(
        id=f"{label}-{place.scenario}#{place.seq}",
        kind=kind.number,
        form=form,
        writer=writer,
        what=change.what,
        review=review,
        fields=change.fields,
        touched=change.touched or change.fields,
        evidence=change.evidence,
        expect=expect,
        silent=expect is Expect.ALLOW and by_operator,
        base=change.base,
        scenario=place.scenario,
        seq=place.seq,
        uid=view.request["uid"],
    )
