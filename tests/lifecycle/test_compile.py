"""Profiles compiled for a release: which rules there are, and how certain they are."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import MATCH, NO_CODE, guard, judge, profile, said
from webhook.catalog import Catalog, shipped
from webhook.core.view import View
from webhook.lifecycle.compile import Code, ProfileError, compile_profile, is_recorded
from webhook.lifecycle.load import build_profile
from webhook.lifecycle.rule import Mark
from webhook.lifecycle.run import Run

FAMILIES = {
    "tracks": {"id": "r", "path": "v", "values": ["a"]},
    "monotone": {"id": "r", "path": "v", "order": "latch"},
    "requires": {"id": "r", "severity": "deny", "when": [{"path": "v", "became": "any"}]},
    "projections": {
        "id": "r", "severity": "deny", "from": "v", "to": "w", "table": {"x": {"a": 1}, "y": {"a": 1}},
    },
    "unique": {"id": "r", "severity": "deny", "path": "v", "filled": True},
    "owned": {"id": "r", "others": {"unknown": "deny"}, "paths": [{"path": "v"}]},
}  # fmt: skip
OLD, NEW = {"v": "x", "w": {}}, {"v": "y", "w": {}}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("extra", "options", "there"),
    [
        ({}, {}, True),
        ({"releases": ">=0.16"}, {"release": "0.16"}, True),
        ({"releases": ">=0.17"}, {"release": "0.16"}, False),
        ({"usually": True}, {}, False),
        ({"usually": True}, {"usually": True}, True),
        ({"usually": True, "releases": "<0.16"}, {"usually": True, "release": "0.16"}, False),
    ],
)
def test_a_rule_may_belong_to_some_releases_or_hold_usually(family, extra, options, there):
    rules = guard(**{family: [{**FAMILIES[family], **extra}]}, **options)
    assert bool(judge(rules, OLD, NEW)) is there


@pytest.mark.parametrize("family", FAMILIES)
def test_a_rule_that_usually_holds_audits_at_most(family):
    rules = guard(**{family: [{**FAMILIES[family], "usually": True}]}, usually=True)
    assert {severity for severity, _, _ in said(judge(rules, OLD, NEW))} == {"audit"}


def gone(parameters):
    def judge(run, old, new, trail):
        yield Mark(trail.field.child("v"), f"{old.text('v')} of {run.release} leaves {new}")

    return judge


GONE = {"id": "gone", "use": "gone", "severity": "warn", "on": "delete"}
CODE = Code({"gone": gone}, {}, {})


def test_a_rule_about_deletions_is_asked_about_the_old_object_alone():
    rules = guard(code=CODE, checks=[GONE], releases=RELEASES, release="0.17")
    assert judge(rules, OLD, NEW) == []
    [finding] = rules.deletions.judge(Run(View.of(OLD), None, release=rules.release))
    assert finding.message == "x of 0.17 leaves None"


def test_a_deletion_is_never_denied():
    with pytest.raises(ProfileError, match="a deletion is never denied"):
        profile(checks=[{**GONE, "severity": "deny"}])


def test_a_profile_has_rules_of_its_own_beside_its_body():
    body = {"guards": [{"match": {**MATCH, "kind": "$kind"}, "monotone": [FAMILIES["monotone"]]}]}
    identity = dict.fromkeys(("group", "plural", "prefix", "finalizer", "tool"), "x")
    own = {"$kind": {"checks": [GONE], "monotone": [{**FAMILIES["monotone"], "id": "s"}]}}
    found = build_profile(
        {
            "profile": "p",
            "body": "b.yaml",
            "identity": {**identity, "kind": "K", "operators": []},
            "further": {**own, "Other": {"checks": [{**GONE, "id": "other"}]}},
        },
        "p.yaml",
        lambda _: body,
    )
    assert [rule.id for g in found.guards for rule in g.rules()] == ["r", "s", "gone"]


def test_beside_it_certain_rules_stay_certain():
    rules = guard(
        monotone=[FAMILIES["monotone"], {**FAMILIES["monotone"], "id": "s", "usually": True}],
        usually=True,
    )
    assert said(judge(rules, OLD, NEW)) == [("deny", "r.down", "v"), ("audit", "s.down", "v")]


def test_what_only_usually_holds_is_left_out_unless_asked_for():
    document = profile(monotone=[{**FAMILIES["monotone"], "usually": True}])
    (rules,) = compile_profile(document, NO_CODE)
    assert judge(rules, OLD, NEW) == []


RELEASES = {"assumed": "0.16", "recorded": ["0.16", "0.18"]}


@pytest.mark.parametrize(
    ("release", "severity"),
    [
        (None, "deny"),
        ("0.16", "deny"),
        ("v0.16.9", "deny"),
        ("0.18", "deny"),
        ("0.17", "warn"),
        ("0.15", "warn"),
    ],
)
def test_edges_of_a_release_that_was_not_recorded_warn(release, severity):
    rules = guard(monotone=[FAMILIES["monotone"]], releases=RELEASES, release=release)
    assert [s for s, _, _ in said(judge(rules, OLD, NEW))] == [severity]


def test_closed_values_deny_whatever_the_release():
    rules = guard(tracks=[FAMILIES["tracks"]], releases=RELEASES, release="0.99")
    assert said(judge(rules, {"v": "a"}, {"v": "y"})) == [("deny", "r.value", "v")]


@pytest.mark.parametrize(
    ("releases", "release", "recorded"),
    [
        (None, "9.9", True),
        ({"assumed": "0.16", "recorded": []}, "0.16", False),
        ({"assumed": "0.16", "recorded": ["0.16"]}, "v0.16.3", True),
        ({"assumed": "0.16", "recorded": ["0.16"]}, "0.17", False),
    ],
)
def test_what_was_recorded(releases, release, recorded):
    document = profile(**({} if releases is None else {"releases": releases}))
    assert is_recorded(document, release) is recorded


def test_shipped_profiles_say_what_is_assumed_and_recorded():
    skyhook, nodewright = shipped("skyhook").releases, shipped("nodewright").releases
    assert (skyhook.assumed, skyhook.recorded) == ("0.16", ["0.16"])
    assert nodewright.recorded == []


def test_a_guard_knows_its_profile_its_kind_and_its_tracks():
    rules = guard(tracks=[FAMILIES["tracks"], {**FAMILIES["tracks"], "id": "s"}])
    assert rules.profile.profile == "p"
    assert (rules.match.group, rules.match.kind, rules.match.versions) == ("g.io", "K", ["v1"])
    assert list(rules.tracks) == ["r", "s"]


def test_every_guard_of_a_profile_is_compiled():
    document = shipped("skyhook")
    kinds = [g.match.kind for g in Catalog.of([document]).guards["skyhook.nvidia.com", "Skyhook"]]
    assert kinds == ["Skyhook"]
    assert set(Catalog.of([document]).guards) >= {
        ("skyhook.nvidia.com", "Skyhook"),
        ("", "Node"),
    }


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"owned": [{**FAMILIES["owned"], "paths": [{"path": "v", "track": "none"}]}]},
         "guards[0].owned[r]: nothing here is called 'none'"),
        ({"owned": [{**FAMILIES["owned"], "shapes": ["none"]}]}, "guards[0].owned[r]: nothing here is called 'none'"),
        ({"tracks": [{**FAMILIES["tracks"], "siblings": [{"to": ["a"], "needs": "none"}]}]},
         "guards[0].tracks[r]: nothing here is called 'none'"),
        ({"requires": [{**FAMILIES["requires"], "need": [{"predicate": "none"}]}]},
         "guards[0].requires[r]: nothing here is called 'none'"),
        *[({family: [{**FAMILIES[family], "unless": [[{"predicate": "none"}]]}]},
           f"guards[0].{family}[r]: nothing here is called 'none'") for family in FAMILIES],
    ],
)  # fmt: skip
def test_names_that_lead_nowhere_refuse_the_whole_profile(document, reason):
    with pytest.raises(ProfileError) as raised:
        compile_profile(profile(**document), NO_CODE)
    assert str(raised.value) == f"profile p: {reason}"
