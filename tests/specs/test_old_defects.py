"""Only what a write does to the spec is judged; what was wrong before stays writable."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.specs.write import judge, lines, package

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

OPERATOR = "system:serviceaccount:skyhook:skyhook-operator-controller-manager"
BAD: dict[str, Any] = {
    "spec": {
        "interruptionBudget": {"percent": 1, "count": 1},
        "nodeSelectors": {"matchLabels": {"a b": "c"}},
        "packages": {"tuning": package(version="newest", dependsOn={"gone": "1"})},
    }
}


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"a": "b"}},
        {"finalizers": ["skyhook.nvidia.com/skyhook"]},
        {"deletionTimestamp": "2026-11-29T12:00:00Z", "finalizers": []},
    ],
    ids=["label", "finalizer added", "finalizer of a dying object removed"],
)
def test_a_write_to_the_metadata_never_fails_on_the_spec(
    engine: Engine, metadata: dict[str, Any]
) -> None:
    assert not judge(engine, {**BAD, "metadata": metadata}, BAD, user=OPERATOR).findings


def test_a_write_to_the_status_never_fails_on_the_spec(engine: Engine) -> None:
    new = {**BAD, "status": {"completeNodes": "0/1"}}
    assert not judge(engine, new, BAD, user=OPERATOR, subresource="status").findings


def test_what_the_operator_fills_in_beside_its_finalizer_passes(engine: Engine) -> None:
    tidied = package(version="newest", dependsOn={"gone": "1"}, name="tuning")
    spec = {**BAD["spec"], "podNonInterruptLabels": {}, "packages": {"tuning": tidied}}
    new = {"spec": spec, "metadata": {"finalizers": ["skyhook.nvidia.com/skyhook"]}}
    assert judge(engine, new, BAD, user=OPERATOR).allowed


def test_an_image_that_the_operator_cuts_at_a_port_passes(engine: Engine) -> None:
    old = {"spec": {"packages": {"tuning": package(image="localhost:5000/foo")}}}
    new = {"spec": {"packages": {"tuning": package(image="localhost", name="tuning")}}}
    assert not judge(engine, new, old, user=OPERATOR).findings


def test_an_old_defect_beside_a_new_one_only_warns(engine: Engine) -> None:
    packages = {**BAD["spec"]["packages"], "kernel": package(version="also bad")}
    verdict = judge(engine, {"spec": {**BAD["spec"], "packages": packages}}, BAD)
    assert [d[1] for d in lines(verdict)] == ["spec.packages[kernel].version"]
    assert "spec.packages[tuning].dependsOn[gone]" in {str(f.field) for f in verdict.warned}


def test_a_defect_that_another_package_causes_is_new(engine: Engine) -> None:
    old = {
        "spec": {
            "packages": {"kernel": package(), "tuning": package(dependsOn={"kernel": "1.2.3"})}
        }
    }
    new = {"spec": {"packages": {**old["spec"]["packages"], "kernel": package(version="2.0.0")}}}
    assert lines(judge(engine, new, old)) == [
        (
            "skyhook.depends-on",
            "spec.packages[tuning].dependsOn[kernel]",
            '"kernel" is "2.0.0" in this spec, not "1.2.3"; write "2.0.0", exactly as there',
        )
    ]


def test_a_repair_of_one_defect_passes_with_the_others_left(engine: Engine) -> None:
    spec = {**BAD["spec"], "interruptionBudget": {"count": 1}}
    assert judge(engine, {"spec": spec}, BAD).allowed


@pytest.mark.parametrize("spec", ["not-a-map", ["a"], 7, True])
def test_a_spec_of_the_wrong_type_is_denied_by_name(engine: Engine, spec: Any) -> None:
    assert lines(judge(engine, {"spec": spec})) == [
        ("skyhook.shape", "spec", "spec must be an object")
    ]


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"packages": []}, "spec.packages"),
        ({"packages": {"tuning": "1.2.3"}}, "spec.packages[tuning]"),
        ({"packages": {"tuning": package(resources=1)}}, "spec.packages[tuning].resources"),
        ({"packages": {"tuning": package(dependsOn=["a"])}}, "spec.packages[tuning].dependsOn"),
        ({"packages": {"tuning": package(uninstall={"apply": "yes"})}}, "spec.packages[tuning].uninstall.apply"),
        ({"packages": {"tuning": package(name=1)}}, "spec.packages[tuning].name"),
        ({"packages": {"tuning": package(configMap=1)}}, "spec.packages[tuning].configMap"),
        ({"nodeSelectors": "gpu"}, "spec.nodeSelectors"),
        ({"interruptionBudget": 1}, "spec.interruptionBudget"),
        ({"interruptionBudget": {"count": "1"}}, "spec.interruptionBudget.count"),
        ({"deploymentPolicy": 1}, "spec.deploymentPolicy"),
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_type_is_denied_by_name(
    engine: Engine, spec: dict[str, Any], field: str
) -> None:
    verdict = judge(engine, {"spec": spec})
    assert {str(f.field) for f in verdict.denied} == {field}
    assert {f.type.value for f in verdict.denied} <= {"FieldValueTypeInvalid", "FieldValueInvalid"}


def test_thousands_of_defects_cost_seconds_not_minutes(engine: Engine) -> None:
    bad = {f"p{n}a": package(dependsOn={f"q{n}": "1"}) for n in range(5_000)}
    start = time.process_time()
    assert not judge(engine, {"spec": {"packages": bad}}).allowed
    more = {"spec": {"packages": {**bad, "tuning": package()}}}
    assert judge(engine, more, {"spec": {"packages": bad}}).allowed
    assert time.process_time() - start < 10
