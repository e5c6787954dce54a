"""Table G, row by row: what is denied, with which words, and what must pass beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.specs.write import judge, lines, package

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

P = "spec.packages[tuning]"


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": fields}


def one(**fields: Any) -> dict[str, Any]:
    return spec(packages={"tuning": package(**fields)})


DENIED: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "interruption-budget",
        spec(interruptionBudget={"percent": 0, "count": 0}),
        "spec.interruptionBudget",
        "percent 0 and count 0 are both set; keep one of them",
    ),
    (
        "policy-or-budget",
        spec(deploymentPolicy="canary", interruptionBudget={"percent": 10}),
        "spec.deploymentPolicy",
        (
            '"canary" and an interruptionBudget (percent 10) are both set;'
            " remove spec.interruptionBudget, or spec.deploymentPolicy"
        ),
    ),
    (
        "package-key",
        spec(packages={"My_Package": package()}),
        "spec.packages[My_Package]",
        (
            '"My_Package" is no package name; legal: 2 to 43 characters: small letters, digits and -,'
            ' beginning and ending with a letter; for example "my-package"'
        ),
    ),
    (
        "package-key",
        spec(packages={"a": package()}),
        "spec.packages[a]",
        (
            '"a" is no package name; legal: 2 to 43 characters: small letters, digits and -,'
            " beginning and ending with a letter"
        ),
    ),
    (
        "package-version",
        one(version="not-a-version"),
        f"{P}.version",
        '"not-a-version" is no semantic version; write MAJOR.MINOR.PATCH, such as "1.2.3"',
    ),
    (
        "package-version",
        one(version="V1.02.3"),
        f"{P}.version",
        (
            '"V1.02.3" is no semantic version; write MAJOR.MINOR.PATCH, such as "1.2.3";'
            ' did you mean "v1.2.3"?'
        ),
    ),
    (
        "package-version",
        spec(packages={"tuning": {"image": "x"}}),
        f"{P}.version",
        'is missing; write MAJOR.MINOR.PATCH, such as "1.2.3"',
    ),
    ("package-version", one(version=1.1), f"{P}.version", "1.1 must be a string"),
    (
        "package-resources",
        one(resources={"cpuRequest": "100m", "memoryRequest": "0"}),
        f"{P}.resources",
        (
            "cpuLimit, memoryRequest, memoryLimit missing (0 counts as not set) beside cpuRequest;"
            " set all four, or none"
        ),
    ),
    (
        "package-resources",
        one(
            resources={
                "cpuRequest": 1,
                "cpuLimit": "999m",
                "memoryRequest": "1Mi",
                "memoryLimit": "1Mi",
            }
        ),
        f"{P}.resources.cpuLimit",
        '"999m" is less than cpuRequest, which is 1; a limit is at least its request',
    ),
    (
        "package-resources",
        one(
            resources={
                "cpuRequest": "-1",
                "cpuLimit": "1",
                "memoryRequest": "1e6",
                "memoryLimit": "1M",
            }
        ),
        f"{P}.resources.cpuRequest",
        '"-1" must be more than 0',
    ),
    (
        "package-resources",
        one(
            resources={
                "cpuRequest": "1",
                "cpuLimit": "1",
                "memoryRequest": "1Gi",
                "memoryLimit": "2GB",
            }
        ),
        f"{P}.resources.memoryLimit",
        (
            '"2GB" is no quantity; write a number with at most one unit, such as "500m", "2" or "1.5Gi";'
            ' did you mean "2G" or "2Gi"?'
        ),
    ),
    (
        "config-interrupts",
        one(configMap={"a.conf": ""}, configInterrupts={"*.sh": {"type": "noop"}}),
        f"{P}.configInterrupts[*.sh]",
        '"*.sh" matches no key of configMap (its keys: "a.conf")',
    ),
    (
        "config-interrupts",
        one(configMap={"a.conf": ""}, configInterrupts={"b?conf": {"type": "noop"}}),
        f"{P}.configInterrupts[b?conf]",
        '"b?conf" is no key of configMap (its keys: "a.conf"); did you mean "a.conf"?',
    ),
    (
        "config-interrupts",
        one(configInterrupts={"x": {"type": "noop"}}),
        f"{P}.configInterrupts[x]",
        '"x" is no key of configMap (it has no keys); name one of them, or a glob such as "*.conf"',
    ),
    (
        "uninstall-enabled",
        one(uninstall={"apply": True}),
        f"{P}.uninstall.apply",
        f"true while {P}.uninstall.enabled is not true; set enabled to true, or apply to false",
    ),
    (
        "depends-on",
        one(dependsOn={"tunning": "1.2.3"}),
        f"{P}.dependsOn[tunning]",
        '"tunning" is no package of this spec, which has: tuning 1.2.3; did you mean "tuning"?',
    ),
    (
        "depends-on",
        one(dependsOn={"tuning": "1.2"}),
        f"{P}.dependsOn[tuning]",
        '"tuning" is "1.2.3" in this spec, not "1.2"; write "1.2.3", exactly as there',
    ),
    (
        "depends-on",
        one(dependsOn={"tuning": ""}),
        f"{P}.dependsOn[tuning]",
        'the version of "tuning" is empty; write "1.2.3"',
    ),
]

PASSES: list[tuple[str, dict[str, Any]]] = [
    ("an empty spec", spec()),
    ("no spec", {}),
    ("nulls, as an API server that has not dropped them sends", spec(packages=None, interruptionBudget=None)),
    ("a policy and an empty budget", spec(deploymentPolicy="p", interruptionBudget={})),
    ("no policy's name is no policy", spec(deploymentPolicy="", interruptionBudget={"count": 1})),
    ("an empty name follows the key", one(name="")),
    ("short versions", one(version="1.2")),
    ("an image with a port and no tag", one(image="registry.example:5000/pkgs/tuning")),
    ("an image with a tag: it is cut off", one(image="registry.example/pkgs/tuning:9.9.9")),
    ("an image with a digest", one(image="registry.example/pkgs/tuning@sha256:" + "a" * 64)),
    ("resources of nothing", one(resources={})),
    ("resources that are all zero", one(resources=dict.fromkeys(("cpuRequest", "cpuLimit"), "0"))),
    ("a package that depends on itself", one(dependsOn={"tuning": "1.2.3"})),
    ("uninstall with its defaults", one(uninstall={})),
    ("an exact key that looks like a glob", one(configMap={"[x]*": ""}, configInterrupts={"[x]*": {}})),
    ("unknown fields", one(somethingNew={"a": 1})),
    (
        "a cycle",
        spec(
            packages={
                "aa": package(dependsOn={"bb": "1.2.3"}),
                "bb": package(dependsOn={"aa": "1.2.3"}),
            }
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "new", "field", "words"), DENIED, ids=[d[3][:60] for d in DENIED])
def test_a_created_object_is_denied_in_these_words(
    engine: Engine, rule: str, new: dict[str, Any], field: str, words: str
) -> None:
    assert lines(judge(engine, new)) == [(f"skyhook.{rule}", field, words)]


BEYOND = {"package-image", "dependency-cycle", "config-keys"}
"""What upstream takes as well, and we warn about (test_warnings)."""


@pytest.mark.parametrize(("why", "new"), PASSES, ids=[p[0] for p in PASSES])
def test_a_created_object_passes(engine: Engine, why: str, new: dict[str, Any]) -> None:
    told = {f.rule.removeprefix("skyhook.") for f in judge(engine, new).findings}
    assert not told - BEYOND, why


def test_all_findings_of_a_spec_come_at_once(engine: Engine) -> None:
    new = spec(
        interruptionBudget={"percent": 1, "count": 1},
        deploymentPolicy="p",
        nodeSelectors={"matchLabels": {"a": "b c"}},
        packages={
            "tuning": package(version="x", uninstall={"apply": True}, dependsOn={"no": "1"}),
            "X": package(name="y"),
        },
    )
    found = judge(engine, new).denied
    assert {f.rule.partition(".")[2] for f in found} == {
        "interruption-budget", "policy-or-budget", "node-selectors", "package-version",
        "uninstall-enabled", "depends-on", "package-key", "package-name",
    }  # fmt: skip
    assert len(found) == 8


def test_a_new_group_and_the_kind_of_later_operators_have_the_same_rules(engine: Engine) -> None:
    new = one(version="x")
    verdict = judge(engine, new, kind="NodeWright", group="nodewright.nvidia.com")
    assert [f.rule for f in verdict.denied] == ["nodewright.package-version"]
