"""What the API server would refuse of a file, which fields it would drop, and in which words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.specs.oracle.questions import SCHEMA_ANSWERS, load
from webhook.core.finding import Severity
from webhook.documents import read_documents
from webhook.schema import check_structure

SKYHOOK = ("skyhook.nvidia.com", "Skyhook")
_KEY = re.compile(r"\[([^0-9\]][^\]]*)\]")
META = {"metadata": {"name": "gpu"}}


def found(value: Any, kind: tuple[str, str] = SKYHOOK, **more: Any) -> list[tuple[str, str, str]]:
    return [
        (f.severity.value, str(f.field), f.message) for f in check_structure(kind, value, **more)
    ]


def package(**fields: Any) -> dict[str, Any]:
    whole = {"version": "1.2.3", "image": "registry.example/pkgs/tuning", **fields}
    return {**META, "spec": {"packages": {"tuning": whole}}}


P = "spec.packages[tuning]"
SAID = [
    (package(version=1.1), f"{P}.version", "a number stands here; it must be a string, in quotes"),
    (package(version=None), f"{P}.version", "version is required"),
    (package(image=["x"]), f"{P}.image", "must be a string, not a list"),
    (package(configMap={"on": True}), f"{P}.configMap[on]", "a boolean stands here; it must be a string, in quotes"),
    (package(configMap="a"), f"{P}.configMap", '"a" must be an object of keys and values'),
    (package(env={"A": "b"}), f"{P}.env", "must be a list, not an object"),
    (package(env=[None]), f"{P}.env[0]", "must be an object of keys and values, not null"),
    (package(env=[{"value": "x"}]), f"{P}.env[0].name", "name is required"),
    (package(interrupt={"type": "Reboot"}), f"{P}.interrupt.type",
     '"Reboot" is none of: service, reboot, noop, restartAllServices; did you mean "reboot"?'),
    (package(name="Tuning_1"), f"{P}.name",
     '"Tuning_1" must be 2 to 43 characters: small letters, digits and -, beginning and ending with a letter'),
    (package(name="a" * 44), f"{P}.name",
     '"' + "a" * 44 + '" has 44 characters; 43 are the most'),
    (package(uninstall={"apply": "true"}), f"{P}.uninstall.apply", '"true" must be true or false, without quotes'),
    (package(resources={"cpuLimit": "1 core"}), f"{P}.resources.cpuLimit",
     '"1 core" is no quantity; write a number with at most one unit, such as "500m", "2" or "1.5Gi"'),
    (package(resources={"cpuLimit": 0.5}), f"{P}.resources.cpuLimit",
     "a number stands here; it must be a string, in quotes"),
    ({**META, "spec": {"priority": 0}}, "spec.priority", "0 is less than 1, the smallest legal value"),
    ({**META, "spec": {"priority": "200"}}, "spec.priority", '"200" must be a whole number, without quotes'),
    ({**META, "spec": {"priority": 1.5}}, "spec.priority", "1.5 must be a whole number"),
    ({**META, "spec": {"priority": 2**63}}, "spec.priority", f"{2**63} must be a whole number"),
    ({**META, "spec": {"interruptionBudget": {"percent": 101}}}, "spec.interruptionBudget.percent",
     "101 is more than 100, the largest legal value"),
    ({**META, "spec": {"sequencing": "Node"}}, "spec.sequencing", '"Node" is none of: all, node; did you mean "node"?'),
    ({**META, "spec": []}, "spec", "must be an object of keys and values, not a list"),
    ({**META, "status": {"conditions": [{"type": "Ready"}] * 2}}, "status.conditions[1]", 'type "Ready" occurs twice'),
    ({"metadata": {"name": "Gpu"}}, "metadata.name",
     '"Gpu" is no name: must be small letters, digits, - and ., every part beginning and ending with a letter or digit'),
    ({"metadata": {"name": "a", "labels": {"x": 1}}}, "metadata.labels[x]",
     "a number stands here; it must be a string, in quotes"),
    ({"metadata": {"name": "a", "annotations": {"x.io/" + "n" * 64: ""}}}, "metadata.annotations[x.io/" + "n" * 64 + "]",
     '"x.io/' + "n" * 51 + "... is no annotation key: the part behind the / has 64 characters; 63 are the most"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "field", "words"), SAID, ids=[s[2][:50] for s in SAID])
def test_what_the_api_server_refuses_is_denied_in_these_words(
    value: Any, field: str, words: str
) -> None:
    assert ("deny", field, words) in found(value)


PASSES = [
    package(),
    package(uninstall={}),
    package(uninstall={"apply": None}),
    package(interrupt=None, dependsOn=None),
    package(resources={"cpuLimit": 1, "cpuRequest": "500m"}),
    {**META, "spec": {"priority": 3.0}},
    {**META, "spec": {"priority": None, "interruptionBudget": {"percent": None}}},
    {**META, "spec": None, "status": {}},
    {"metadata": {"generateName": "gpu-", "creationTimestamp": None}},
]


@pytest.mark.parametrize("value", PASSES, ids=str)
def test_what_the_api_server_takes_passes(value: Any) -> None:
    assert found(value) == []


def test_unknown_fields_are_warned_about_with_the_field_that_was_meant() -> None:
    value = {**META, "spec": {"nodeSelector": {"matchLabels": {"a": "b"}}}}
    words = "no such field; the API server drops it, and kubectl refuses it as unknown"
    assert found(value) == [
        ("warn", "spec.nodeSelector", f'{words}; did you mean "nodeSelectors"?')
    ]


def test_a_required_field_under_a_wrong_name_is_recognised() -> None:
    value = {**META, "spec": {"packages": {"tuning": {"verison": "1.2.3", "image": "x"}}}}
    assert ("deny", f"{P}.version", 'version is required; is "verison" meant to be it?') in found(
        value
    )


def test_a_missing_name_only_warns() -> None:
    assert found({}) == [("warn", "metadata.name", "the API server takes no object without a name")]


def test_a_write_to_one_half_is_not_judged_by_the_other() -> None:
    value = {**META, "spec": {"priority": 0}, "status": {"status": "done"}}
    assert [f[1] for f in found(value)] == ["spec.priority", "status.status"]
    assert [f[1] for f in found(value, subresource="")] == ["spec.priority"]
    assert [f[1] for f in found(value, subresource="status")] == ["status.status"]


def test_kinds_of_others_have_no_findings() -> None:
    assert found({"spec": 1}, ("apps", "Deployment")) == []


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_an_object_that_is_none_is_one_finding(value: Any) -> None:
    assert [f[:2] for f in found(value)] == [("deny", "")]


TRAPS = """
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata: {name: gpu-init}
spec:
  packages:
    tuning: {version: 1.10, image: registry.example/pkgs/tuning}
    other: {version: 2, image: registry.example/pkgs/other}
    third:
      image: registry.example/pkgs/third
      version: "1"
      configMap: {enabled: yes, mode: 010}
"""


def test_scalars_that_yaml_read_as_something_else_are_quoted_as_written() -> None:
    [document] = read_documents(TRAPS.encode(), "a.yaml")
    said = {f[1]: f[2] for f in found(document.value, written=document.written)}
    quote = "write it as a quoted string:"
    assert said == {
        "spec.packages[tuning].version": f'1.10 is a number here; {quote} "1.10"',
        "spec.packages[other].version": f'2 is a number here; {quote} "2"',
        "spec.packages[third].configMap[enabled]": f'yes is a boolean here; {quote} "yes"',
        "spec.packages[third].configMap[mode]": f'010 is a number here; {quote} "010"',
    }


def flat(path: Any) -> str:
    """A path as kube-openapi prints it: keys of maps behind a dot."""
    return _KEY.sub(r".\1", str(path))


def test_verdicts_and_fields_agree_with_the_api_servers_own_code() -> None:
    asked = load(SCHEMA_ANSWERS, "schema")
    for question in asked:
        group, _, kind = question["schema"].partition("/")
        findings = check_structure((group, kind), question["value"])
        denied = {flat(f.field) for f in findings if f.severity is Severity.DENY}
        warned = {flat(f.field) for f in findings if f.severity is Severity.WARN}
        answer = question["answer"]
        assert (not denied) == answer["ok"], (question, denied)
        assert denied == set(answer["fields"] or []) - {"<nil>"}, question
        below = tuple(f"{field}{sign}" for field in denied for sign in ".[")
        unknown = set(answer["unknown"] or [])
        assert {w for w in warned ^ unknown if not w.startswith(below)} == set(), question
    assert len(asked) >= 800
    assert 0.3 < sum(q["answer"]["ok"] for q in asked) / len(asked) < 0.9


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY = st.recursive(
    LEAVES,
    lambda kids: (
        st.lists(kids, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["spec", "status", "packages", "metadata", "labels", "name", "conditions", "a"]
            )
            | st.text(max_size=4),
            kids,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_nothing_raises_on_any_value(value: Any) -> None:
    for group, kind in (SKYHOOK, ("skyhook.nvidia.com", "DeploymentPolicy")):
        check_structure((group, kind), value)
