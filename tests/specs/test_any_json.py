"""No spec rule raises on any JSON, whatever is old and whatever is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.specs.write import judge, package, review
from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
    st.sampled_from(["1.2.3", "1Gi", "-1", "tuning", "*", "In", "[", "__default__", "\x00"]),
)
ANY = st.recursive(
    LEAVES,
    lambda kids: (
        st.lists(kids, max_size=3) | st.dictionaries(st.text(max_size=5), kids, max_size=3)
    ),
    max_leaves=8,
)


def fields(**known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with some of the known fields, or anything else instead."""
    return st.one_of(
        ANY, st.fixed_dictionaries({}, optional={k: v | ANY for k, v in known.items()})
    )


def keyed(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(["tuning", "kernel", "X_1", "a.conf", "*.conf", "cpuLimit"]) | st.text(
        max_size=4
    )
    return st.dictionaries(keys, values, max_size=3) | ANY


SELECTOR = fields(
    matchLabels=keyed(LEAVES),
    matchExpressions=st.lists(
        fields(key=LEAVES, operator=LEAVES, values=st.lists(LEAVES)), max_size=2
    ),
)
PACKAGE = fields(
    name=LEAVES,
    version=LEAVES,
    uninstall=fields(enabled=st.booleans(), apply=st.booleans()),
    dependsOn=keyed(LEAVES),
    configMap=keyed(LEAVES),
    configInterrupts=keyed(ANY),
    resources=fields(cpuRequest=LEAVES, cpuLimit=LEAVES, memoryRequest=LEAVES, memoryLimit=LEAVES),
)
BUDGET = fields(percent=LEAVES, count=LEAVES)
STRATEGY = fields(fixed=ANY, linear=ANY, exponential=ANY)
SKYHOOK = fields(
    packages=keyed(PACKAGE),
    nodeSelectors=SELECTOR,
    podNonInterruptLabels=SELECTOR,
    interruptionBudget=BUDGET,
    deploymentPolicy=LEAVES,
)
POLICY = fields(
    default=fields(budget=BUDGET, strategy=STRATEGY),
    compartments=st.lists(
        fields(name=LEAVES, selector=SELECTOR, budget=BUDGET, strategy=STRATEGY), max_size=3
    ),
)
STATE = fields(nodeState=st.dictionaries(st.text(max_size=3), keyed(ANY), max_size=2))
FEW = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@FEW
@given(SKYHOOK, SKYHOOK, STATE)
def test_no_rule_raises_on_any_skyhook(engine: Engine, old: Any, new: Any, status: Any) -> None:
    judge(engine, {"spec": new})
    judge(engine, {"spec": new}, {"spec": old, "status": status})


@FEW
@given(POLICY, POLICY)
def test_no_rule_raises_on_any_policy(engine: Engine, old: Any, new: Any) -> None:
    judge(engine, {"spec": new}, kind="DeploymentPolicy")
    judge(engine, {"spec": new}, {"spec": old}, kind="DeploymentPolicy")


@FEW
@given(SKYHOOK, SKYHOOK)
def test_a_repeated_write_is_never_denied(engine: Engine, old: Any, label: Any) -> None:
    """With an old object on both sides but for a label, whatever the spec."""
    new = {"spec": old, "metadata": {"labels": {"a": str(label)[:10]}}}
    assert not judge(engine, new, {"spec": old}).findings


def test_what_no_reader_can_hold_is_denied_not_raised(engine: Engine) -> None:
    body = review({"spec": {"packages": {"tuning": package(version="HUGE", resources="HUGE")}}})
    unreadable = body.replace(b'"HUGE"', b"1e999")
    verdict = engine.judge_request(request_of(decode_admission(unreadable)))
    assert {str(f.field) for f in verdict.denied} == {
        "spec.packages[tuning].version",
        "spec.packages[tuning].resources",
    }


def test_deep_nesting_is_no_fault(engine: Engine) -> None:
    deep: Any = {}
    for _ in range(400):
        deep = {"a": deep}
    for spec in ({"nodeSelectors": deep}, {"packages": {"tuning": deep}}, {"compartments": [deep]}):
        for kind in ("Skyhook", "DeploymentPolicy"):
            judge(engine, {"spec": spec}, {"spec": {"other": deep}}, kind=kind)
    assert msgspec.json.encode(deep)
