"""Modes: in general, by rule, by writer; and what becomes of a finding then."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.conftest import NOW
from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, body
from webhook.catalog import Catalog, shipped
from webhook.core.field import FieldPath
from webhook.core.finding import Finding, Severity
from webhook.core.writer import UserGlobs
from webhook.reviews.engine import Engine
from webhook.reviews.policy import Mode, ModeRule, Policy

ENFORCE, WARN, AUDIT, OFF = Mode.ENFORCE, Mode.WARN, Mode.AUDIT, Mode.OFF
ILLEGAL = (
    node({"foo|1.0": entry("apply/in_progress")}),
    node({"foo|1.0": entry("interrupt/skipped")}),
)
ODD = (node({"foo|1.0": entry("config/complete")}), node({"foo|1.0": entry("apply/in_progress")}))


def globs(*names):
    return UserGlobs.of(names)


def verdict(engine, write, user=PERSON, *, groups=None, **policy):
    changed = replace(engine, policy=replace(engine.policy, **policy))
    return changed.judge_body(body(*write, user, groups=groups)).verdict


def effects(found):
    return {"deny": len(found.denied), "warn": len(found.warned), "audit": len(found.audited)}


def only(**counts):
    return {"deny": 0, "warn": 0, "audit": 0, **counts}


def test_modes_are_the_words_of_the_settings():
    assert [m.value for m in Mode] == ["enforce", "warn", "audit", "off"]


def test_without_settings_everything_is_enforced_for_everybody(engine):
    assert engine.policy.mode is ENFORCE
    assert engine.policy.overrides == ()
    assert not engine.policy.documented
    for user in (OPERATOR, ACCOUNT, PERSON, None):
        found = verdict(engine, ILLEGAL, user)
        assert not found.allowed
        assert found.would_deny == ()


@pytest.mark.parametrize(
    ("mode", "person", "controller"),
    [
        (ENFORCE, only(deny=1), only(deny=1)),
        (WARN, only(warn=1), only(audit=1)),
        (AUDIT, only(audit=1), only(audit=1)),
        (OFF, only(), only()),
    ],
)
def test_a_denial_under_each_mode(engine, mode, person, controller):
    for user, expected in (
        (PERSON, person),
        (None, person),
        (OPERATOR, controller),
        (ACCOUNT, controller),
    ):
        found = verdict(engine, ILLEGAL, user, mode=mode)
        assert effects(found) == expected, user
        assert found.allowed is (mode is not ENFORCE)
        less = ("skyhook.node-package-step.edge",) if mode in (WARN, AUDIT) else ()
        assert found.would_deny == less


@pytest.mark.parametrize(
    ("mode", "expected"),
    [(ENFORCE, only(warn=1)), (WARN, only(warn=1)), (AUDIT, only(audit=1)), (OFF, only())],
)
def test_a_warning_under_each_mode(engine, mode, expected):
    found = verdict(engine, ODD, PERSON, mode=mode)
    assert effects(found) == expected
    assert found.would_deny == ()


@pytest.mark.parametrize(
    ("override", "mode"),
    [
        (ModeRule(WARN, rules=globs("skyhook.node-package-step.edge")), WARN),
        (ModeRule(WARN, rules=globs("skyhook.node-*")), WARN),
        (ModeRule(WARN, rules=globs("skyhook.node-package-step")), ENFORCE),
        (ModeRule(WARN, rules=globs("nodewright.*")), ENFORCE),
        (ModeRule(OFF, writers=globs("sre-*")), OFF),
        (ModeRule(OFF, writers=globs("system:authenticated")), OFF),
        (ModeRule(OFF, writers=globs("admin-*")), ENFORCE),
        (ModeRule(AUDIT, rules=globs("*.edge"), writers=globs("sre-*")), AUDIT),
        (ModeRule(AUDIT, rules=globs("*.edge"), writers=globs("admin")), ENFORCE),
        (ModeRule(AUDIT, rules=globs("*.value"), writers=globs("sre-*")), ENFORCE),
        (ModeRule(AUDIT), AUDIT),
    ],
)
def test_a_mode_may_be_that_of_some_rules_or_some_writers(engine, override, mode):
    finding = Finding("skyhook.node-package-step.edge", FieldPath(), Severity.DENY, "x")
    policy = Policy(overrides=(override,))
    assert policy.mode_for(finding, ("sre-oncall", "system:authenticated")) is mode
    assert verdict(engine, ILLEGAL, overrides=(override,)).allowed is (mode is not ENFORCE)


def test_the_first_override_that_applies_counts():
    finding = Finding("p.r", FieldPath(), Severity.DENY, "x")
    policy = Policy(
        WARN,
        (
            ModeRule(OFF, rules=globs("q.*")),
            ModeRule(AUDIT, rules=globs("p.*")),
            ModeRule(ENFORCE, rules=globs("p.r")),
        ),
    )
    assert policy.mode_for(finding, ()) is AUDIT
    assert policy.mode_for(replace(finding, rule="x.y"), ()) is WARN


def test_one_rule_off_hides_no_other(engine):
    off = (ModeRule(OFF, rules=globs("skyhook.node-package-step.*")),)
    old, new = (
        node({"foo|1.0": entry("apply/in_progress")}, status="waiting"),
        node({"foo|1.0": entry("apply/skipped")}, status="x"),
    )
    found = verdict(engine, (old, new), overrides=off)
    assert [f.rule for f in found.denied] == ["skyhook.node-status-annotation.value"]


def test_a_flood_in_a_rule_that_only_warns_hides_no_denial(engine):
    many = {f"p{i:04d}|1.0": f"p{i:04d}|1.0" for i in range(1500)}
    old = node({k: entry("apply/in_progress", k) for k in many}, status="waiting")
    new = node({k: entry("interrupt/skipped", k) for k in many}, status="x")
    less = (ModeRule(WARN, rules=globs("skyhook.node-package-step.*")),)
    assert [f.rule for f in verdict(engine, (old, new), overrides=less).denied] == [
        "skyhook.node-status-annotation.value"
    ]


def test_findings_come_denials_first_then_by_place(engine):
    old = node(
        {"b|1.0": entry("apply/in_progress", "b|1.0"), "a|1.0": entry("config/complete", "a|1.0")}
    )
    new = node(
        {
            "b|1.0": entry("interrupt/skipped", "b|1.0"),
            "a|1.0": entry("apply/in_progress", "a|1.0"),
        },
        status="x",
    )
    found = verdict(engine, (old, new))
    assert [(f.severity.value, str(f.field).rpartition("/")[2]) for f in found.findings] == [
        ("deny", "nodeState_gpu][b|1.0]"),
        ("deny", "status_gpu]"),
        ("warn", "nodeState_gpu][a|1.0]"),
    ]


def test_on_creation_there_is_no_old_object_and_the_new_one_is_judged(engine):
    good, bad = node({"foo|1.0": entry("interrupt/skipped")}), node({}, status="failed")
    assert engine.judge_body(body(None, good, PERSON)).verdict.findings == ()
    found = engine.judge_body(body(None, bad, PERSON)).verdict
    assert [f.rule for f in found.denied] == ["skyhook.node-status-annotation.value"]


@pytest.mark.parametrize("operation", ["DELETE", "CONNECT", ""])
def test_only_creations_and_updates_are_judged(engine, operation):
    found = engine.judge_body(body(*ILLEGAL, PERSON, operation=operation)).verdict
    assert found.findings == ()


def test_a_write_that_changes_nothing_is_allowed_at_once(engine):
    bad = skyhook(status="done", nodeState=[1])
    assert engine.judge_body(body(bad, bad, PERSON)).verdict.findings == ()


@pytest.mark.parametrize("new", [5, "x", [], True])
def test_an_object_that_is_none_is_denied(engine, new):
    whole = json.loads(body(skyhook(), skyhook(), PERSON))
    whole["request"]["object"] = new
    judged = engine.judge_body(json.dumps(whole).encode())
    assert [(f.rule, f.message) for f in judged.verdict.denied] == [
        ("skyhook.shape", "the object must be a JSON object")
    ]
    assert not judged.response.allowed


@pytest.mark.parametrize(
    ("kind", "judged"),
    [
        ({"group": "skyhook.nvidia.com", "version": "v1alpha1", "kind": "Skyhook"}, True),
        ({"group": "skyhook.nvidia.com", "version": "v1beta1", "kind": "Skyhook"}, True),
        ({"group": "skyhook.nvidia.com", "version": "", "kind": "Skyhook"}, True),
        ({"group": "skyhook.nvidia.com", "version": "v9", "kind": "Skyhook"}, False),
        ({"group": "skyhook.nvidia.com", "version": "v1alpha1", "kind": "Other"}, False),
        ({"group": "other.io", "version": "v1alpha1", "kind": "Skyhook"}, False),
        ({}, False),
    ],
)
def test_only_kinds_and_versions_that_a_profile_guards_are_judged(engine, kind, judged):
    old, new = skyhook(status="waiting"), skyhook(status="done")
    assert engine.judge_body(body(old, new, PERSON, kind=kind)).verdict.allowed is not judged


def test_strictness_documented_warns_outside_the_operators_own_document(engine):
    step = (
        node({"foo|1.0": entry("interrupt/erroring")}),
        node({"foo|1.0": entry("config/in_progress")}),
    )
    assert verdict(engine, step, None).findings == ()
    found = verdict(engine, step, None, documented=True)
    assert effects(found) == only(warn=1)
    assert found.warned[0].message == (
        "interrupt/erroring -> config/in_progress is unusual; usual from interrupt/erroring: interrupt/complete"
    )
    documented = (
        node({"foo|1.0": entry("apply/complete")}),
        node({"foo|1.0": entry("config/in_progress")}),
    )
    assert verdict(engine, documented, None, documented=True).findings == ()


@pytest.mark.parametrize(
    ("release", "effect"), [(None, "deny"), ("0.16", "deny"), ("0.15", "warn"), ("0.18", "warn")]
)
def test_under_a_release_that_was_not_recorded_edges_warn_and_closed_values_deny(release, effect):
    catalog = Catalog.of([shipped("skyhook")], {} if release is None else {"skyhook": release})
    engine = Engine(catalog, Policy(operators=UserGlobs.of(catalog.operators())), lambda: NOW)
    assert effects(engine.judge_body(body(*ILLEGAL, PERSON)).verdict) == only(**{effect: 1})
    word = (node({}, status="waiting"), node({}, status="failed"))
    assert effects(engine.judge_body(body(*word, PERSON)).verdict) == only(deny=1)


def test_the_answer_repeats_the_envelopes_version_and_uid(engine):
    whole = json.loads(body(*ILLEGAL, PERSON))
    whole["apiVersion"] = "admission.k8s.io/v1beta1"
    whole["request"]["uid"] = "another"
    got = json.loads(engine.judge_body(json.dumps(whole).encode()).encode())
    assert (got["apiVersion"], got["kind"]) == ("admission.k8s.io/v1beta1", "AdmissionReview")
    assert (got["response"]["uid"], got["response"]["allowed"]) == ("another", False)


def test_dry_runs_get_the_same_verdict(engine):
    wet, dry = (engine.judge_body(body(*ILLEGAL, PERSON, dryRun=d)).response for d in (False, True))
    assert wet == dry


def test_a_rule_about_the_future_needs_a_clock(engine):
    old = skyhook(nodePriority={}, nodeStatus={"n1": "waiting"})
    new = skyhook(nodePriority={"n1": "2027-06-01T00:00:00Z"}, nodeStatus={"n1": "waiting"})
    assert [f.rule for f in verdict(engine, (old, new), OPERATOR).denied] == [
        "skyhook.node-priority.ahead"
    ]
    assert replace(engine, clock=None).judge_body(body(old, new)).verdict.allowed
