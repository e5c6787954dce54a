"""What a profile comes to as policies, and what is said of the rest; the verdicts are in `cluster/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from webhook.building import profile_of
from webhook.catalog import MORE_PROFILES, PROFILES, shipped
from webhook.cli.manifests_policy import policy
from webhook.core.finding import Severity
from webhook.lifecycle.load import build_profile
from webhook.manifests.policy import LEFT_OUT, Choices, policy_set, policy_text

if TYPE_CHECKING:
    from pathlib import Path

    from webhook.manifests.policy import PolicySet

ALL = [*PROFILES, *MORE_PROFILES]


def made(**families: Any) -> PolicySet:
    match = {"group": "example.com", "kind": "Widget", "plural": "widgets", "versions": ["v1"]}
    return policy_set(
        build_profile({"profile": "w", "match": match, **families}, "w", lambda _: {})
    )


@pytest.mark.parametrize("name", ALL)
def test_every_rule_is_covered_or_listed(name: str) -> None:
    profile = shipped(name)
    found = policy_set(profile)
    told = {rule.removeprefix(f"{name}.") for rule in found.covered}
    told |= {part.rule for part in found.left_out}
    told |= {rule.partition(".")[0] for rule in told}
    silent = {rule.id for guard in profile.guards for rule in guard.rules() if rule.id not in told}
    harmless = {r.id for g in profile.guards for r in g.rules() if r.usually or r.releases}
    assert silent <= harmless


@pytest.mark.parametrize("name", ALL)
def test_what_is_left_out_stands_in_the_output(name: str) -> None:
    profile = shipped(name)
    found = policy_set(profile)
    text = policy_text(found, profile)
    for part in found.left_out:
        assert f"#   {part.rule}: {part.why}" in text
        assert part.why
    assert list(yaml.safe_load_all(text)) == found.objects


def test_json_in_an_annotation_is_named_as_the_reason() -> None:
    found = made(
        tracks=[{"id": "t", "path": 'metadata.annotations."x"|json.stage', "values": ["a"]}],
        monotone=[{"id": "m", "path": "status.t", "order": "time", "ahead": 5}],
        requires=[
            {"id": "r", "severity": "deny", "when": [{"path": "a", "matches": "(?=x)y"}]},
            {
                "id": "p",
                "severity": "deny",
                "when": [{"path": "a", "present": True}, {"predicate": "q"}],
            },
        ],
        checks=[{"id": "c", "use": "orphan", "severity": "deny"}],
    )
    assert {part.rule: part.why for part in found.left_out} == {
        "t": "CEL cannot see JSON inside a string",
        "m.ahead": "CEL has no clock",
        "r": "CEL cannot see the expression (?=x)y, which RE2 does not know",
        "p": "CEL cannot see the condition q is code",
        "c": "the check orphan is code",
    }
    [deny, binding] = found.objects
    assert deny["metadata"]["annotations"][LEFT_OUT] == "t, m.ahead, r, p, c"
    assert binding["spec"]["validationActions"] == ["Deny"]


def test_what_denies_and_what_warns_are_two_policies() -> None:
    found = policy_set(shipped("machine-pr531"), Choices(exempt=("break-glass",), fail=True))
    names = [o["metadata"]["name"] for o in found.objects]
    assert names == ["machine-pr531-machines"] * 2 + ["machine-pr531-machines-odd"] * 2
    deny, _, warn, binding = found.objects
    assert deny["spec"]["failurePolicy"] == "Fail"
    assert binding["spec"]["validationActions"] == ["Warn"]
    conditions = {c["name"]: c["expression"] for c in warn["spec"]["matchConditions"]}
    assert conditions["not-exempt"] == '!(request.userInfo.username in ["break-glass"])'
    assert "system:serviceaccount:" in conditions["a-person"]
    assert found.covered["machine-pr531.phase.edge"] is Severity.DENY
    assert found.covered["machine-pr531.phase.skip"] is Severity.WARN
    quiet = policy_set(shipped("machine-pr531"), Choices(odd=False))
    assert [o["metadata"]["name"] for o in quiet.objects] == names[:2]


def test_of_a_release_that_was_not_recorded_only_closed_values_deny() -> None:
    found = policy_set(shipped("nodewright"))
    assert found.covered["nodewright.status.value"] is Severity.DENY
    assert found.covered["nodewright.complete-needs-nodes"] is Severity.WARN
    denying = {rule for rule, grade in found.covered.items() if grade is Severity.DENY}
    assert not {rule for rule in denying if rule.endswith((".edge", ".entry", ".down", ".over"))}


def test_subresources_and_versions_follow_the_match() -> None:
    [rule] = policy_set(shipped("olm-operatorcondition")).objects[0]["spec"]["matchConstraints"][
        "resourceRules"
    ]
    assert rule["resources"] == ["operatorconditions", "operatorconditions/status"]
    assert rule["apiVersions"] == ["v2"]
    assert rule["operations"] == ["CREATE", "UPDATE"]


def test_a_profile_of_ones_own_is_printed_with_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "widget.yaml"
    file.write_text(
        "profile: widget\nextends: conditions\n"
        "match: {group: example.com, kind: Widget, plural: widgets, versions: [v1]}\n"
    )
    assert policy.main([str(file)], standalone_mode=False) == 0
    out = capsys.readouterr()
    assert list(yaml.safe_load_all(out.out)) == policy_set(profile_of(str(file))).objects
    assert "left out: transition-moves: the check transition_time is code" in out.err
