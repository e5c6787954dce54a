"""DeploymentPolicy: budgets, strategies, names and selectors of compartments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.specs.write import judge, lines

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict

DEFAULT: dict[str, Any] = {"budget": {"percent": 50}, "strategy": {"fixed": {}}}


def compartment(name: str, **more: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"pool": name}}
    return {"name": name, "selector": selector, "budget": {"count": 1}, **more}


def policy(*compartments: Any, default: Any = DEFAULT) -> dict[str, Any]:
    return {"spec": {"default": default, "compartments": list(compartments)}}


def judged(engine: Engine, new: dict[str, Any], old: dict[str, Any] | None = None) -> Verdict:
    return judge(engine, new, old, kind="DeploymentPolicy")


DENIED = [
    ({}, "spec.default.budget", "sets neither percent nor count; set exactly one"),
    (
        policy(default={**DEFAULT, "budget": {"precent": 5}}),
        "spec.default.budget",
        'sets neither percent nor count; set exactly one; did you mean "percent"?',
    ),
    (
        policy(default={**DEFAULT, "budget": {"precent": 5, "cuont": 1}}),
        "spec.default.budget",
        'sets neither percent nor count; set exactly one; did you mean "percent"?',
    ),
    (
        policy(
            compartment("cpu", selector={"matchLabels": {"a": None}}),
            compartment("gpu", selector={"matchLabels": {"a": ""}}),
        ),
        "spec.compartments[gpu].selector",
        (
            "is identical to that of spec.compartments[cpu]; the first one takes all nodes,"
            " change or remove one"
        ),
    ),
    (
        policy(compartment("gpu", budget={"percent": 5, "count": 1})),
        "spec.compartments[gpu].budget",
        "percent 5 and count 1 are both set; keep exactly one",
    ),
    (
        policy(default={**DEFAULT, "strategy": {}}),
        "spec.default.strategy",
        "sets no strategy; set exactly one of fixed, linear, exponential",
    ),
    (
        policy(compartment("gpu", strategy={"fixed": {}, "exponential": {}})),
        "spec.compartments[gpu].strategy",
        'sets "fixed", "exponential"; keep exactly one',
    ),
    (
        policy(compartment("__default__")),
        "spec.compartments[__default__].name",
        '"__default__" is reserved for the nodes of no compartment; choose another name',
    ),
    (
        policy(compartment("gpu"), compartment("gpu", selector={})),
        "spec.compartments[1].name",
        '"gpu" is the name of another compartment too; choose another',
    ),
    (
        policy(compartment("gpu", selector={"matchLabels": {"a b": "c"}})),
        "spec.compartments[gpu].selector.matchLabels[a b]",
        (
            '"a b" is no label key: must be letters, digits, -, _ and ., beginning and ending with a'
            " letter or digit"
        ),
    ),
    (
        policy(compartment("one"), compartment("two", selector={"matchLabels": {"pool": "one"}})),
        "spec.compartments[two].selector",
        (
            "is identical to that of spec.compartments[one]; the first one takes all nodes, change or"
            " remove one"
        ),
    ),
]


@pytest.mark.parametrize(("new", "field", "words"), DENIED, ids=[d[2][:50] for d in DENIED])
def test_a_created_policy_is_denied_in_these_words(
    engine: Engine, new: dict[str, Any], field: str, words: str
) -> None:
    assert (field, words) in [d[1:] for d in lines(judged(engine, new))]


def test_a_legal_policy_passes(engine: Engine) -> None:
    new = policy(compartment("gpu"), compartment("cpu", strategy={"linear": {"delta": 1}}))
    assert not judged(engine, new).findings


def test_selectors_that_only_mean_the_same_warn(engine: Engine) -> None:
    new = policy(compartment("one", selector={}), compartment("two", selector={"matchLabels": {}}))
    verdict = judged(engine, new)
    assert verdict.allowed
    assert [str(f.field) for f in verdict.warned] == ["spec.compartments[two].selector"]


def test_an_old_defect_stays_known_when_compartments_are_added_before_it(engine: Engine) -> None:
    bad = compartment("gpu", budget={})
    verdict = judged(engine, policy(compartment("new"), bad), policy(bad))
    assert verdict.allowed
    assert [str(f.field) for f in verdict.warned] == ["spec.compartments[gpu].budget"]


def test_a_write_that_leaves_the_spec_alone_is_never_judged(engine: Engine) -> None:
    old = policy(default={})
    new = {**old, "metadata": {"labels": {"a": "b"}}}
    assert not judged(engine, new, old).findings


@pytest.mark.parametrize("spec", ["text", [], {"default": 1}, {"default": {"budget": []}}])
def test_wrong_types_are_denied_and_name_the_field(engine: Engine, spec: Any) -> None:
    verdict = judged(engine, {"spec": spec})
    assert not verdict.allowed
    assert all(str(f.field).startswith("spec") for f in verdict.denied)


def test_a_spec_that_goes_is_judged_as_an_empty_one(engine: Engine) -> None:
    assert ("spec.default.budget", "sets neither percent nor count; set exactly one") in [
        d[1:] for d in lines(judged(engine, {}, policy()))
    ]


def test_every_wrong_budget_is_told(engine: Engine) -> None:
    new = policy(
        compartment("a", budget=5), compartment("b", budget={}), default={**DEFAULT, "budget": []}
    )
    fields = {d[1] for d in lines(judged(engine, new))}
    assert fields >= {
        "spec.default.budget",
        "spec.compartments[a].budget",
        "spec.compartments[b].budget",
    }
