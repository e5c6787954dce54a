"""Package entries: whole, filed under their own name, in words that exist."""

from __future__ import annotations

import json

import pytest

from tests.lifecycle.skyhook import STATE, entry, judged, node, packages, rules, skyhook

PLACE = f"metadata.annotations[{STATE}]"
OLD = packages(foo_1_0="config/in_progress")


def found(new, old=OLD):
    return [
        (f.rule.removeprefix("skyhook."), str(f.field), f.message)
        for f in judged(node(old), node(new))
        if f.severity.value == "deny"
    ]


def changed(**fields):
    return {"foo|1.0": {k: v for k, v in {**OLD["foo|1.0"], **fields}.items() if v is not None}}


STOPS = (
    'and the operator stops on it; write a JSON map from "<name>|<version>" to package entries,'
    " or remove the annotation"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{broken", '"{broken" is not JSON, ' + STOPS),
        ("", '"" is not JSON, ' + STOPS),
        ("{} {}", '"{} {}" is not JSON, ' + STOPS),
        ("null", '"null" is JSON but not a map of packages, ' + STOPS),
        ("[]", '"[]" is JSON but not a map of packages, ' + STOPS),
        ('"x"', '""x"" is JSON but not a map of packages, ' + STOPS),
        ("5", '"5" is JSON but not a map of packages, ' + STOPS),
    ],
)
def test_an_annotation_that_stops_the_operator_is_denied(text, message):
    assert found(text) == [("node-state-json", PLACE, message)]


@pytest.mark.parametrize("text", ["{}", " {} ", json.dumps(packages(foo_1_0="config/complete"))])
def test_a_map_of_packages_is_fine(text):
    assert found(text) == []


@pytest.mark.parametrize("broken", ["{broken", "", "null", "[]", '"x"', "5"])
def test_a_broken_annotation_may_be_repaired_removed_and_kept(broken):
    for new in (packages(foo_1_0="interrupt/skipped", bar_1_0="upgrade/in_progress"), "{}", None):
        assert judged(node(broken), node(new)) == []
    assert judged(node(broken), node(broken, status="waiting")) == []


@pytest.mark.parametrize(
    ("fields", "below", "message"),
    [
        ({"name": "bar"}, ".name", '"bar" stands under the key "foo|1.0": it must be "foo"'),
        ({"version": "2.0"}, ".version", '"2.0" stands under the key "foo|1.0": it must be "1.0"'),
        ({"name": None}, ".name", "is missing; each entry has name, version, stage, state"),
        ({"version": None}, ".version", "is missing; each entry has name, version, stage, state"),
        ({"version": ""}, ".version", '"" stands under the key "foo|1.0": it must be "1.0"'),
        ({"image": 5}, ".image", "5 must be a string"),
        ({"containerSHA": ["x"]}, ".containerSHA", '["x"] must be a string'),
        ({"name": {"a": 1}}, ".name", '{"a": 1} must be a string'),
        ({"restarts": -1}, ".restarts", "-1 must be a whole number, 0 or more"),
        ({"restarts": 1.5}, ".restarts", "1.5 must be a whole number, 0 or more"),
        ({"restarts": True}, ".restarts", "true must be a whole number, 0 or more"),
        ({"restarts": "2"}, ".restarts", '"2" must be a whole number, 0 or more'),
        ({"restarts": 2**31}, ".restarts", "2147483648 must be a whole number, 0 or more"),
        ({"Image": "x"}, ".Image", 'the operator would read "Image" as "image"; write "image"'),
        ({"STAGE": "apply"}, ".STAGE", 'the operator would read "STAGE" as "stage"; write "stage"'),
        (
            {"containersha": "x"},
            ".containersha",
            'the operator would read "containersha" as "containerSHA"; write "containerSHA"',
        ),
    ],
)
def test_an_entry_is_whole_and_says_its_own_name(fields, below, message):
    assert found(changed(**fields)) == [("node-package-entry", f"{PLACE}[foo|1.0]{below}", message)]


def test_what_is_wrong_in_an_entry_is_so_for_every_release():
    new = changed(name="bar", version=None, state=5, restarts=-1, Image="x")
    wrong = [f for f in judged(node(OLD), node(new)) if f.rule == "skyhook.node-package-entry"]
    assert len(wrong) == 5
    assert all(f.closed for f in wrong)


@pytest.mark.parametrize(
    "fields",
    [
        {"restarts": 0},
        {"restarts": 2**31 - 1},
        {"restarts": None},
        {"image": None},
        {"containerSHA": "sha"},
        {"newField": [1]},
    ],
)
def test_what_an_entry_may_hold(fields):
    assert found(changed(**fields)) == []


@pytest.mark.parametrize("key", ["foo", "|1.0", "foo|"])
def test_a_key_is_a_name_and_a_version(key):
    got = found({key: entry("apply/in_progress")}, {})
    assert (
        "node-package-entry",
        f"{PLACE}[{key}]",
        f'"{key}" must be "<name>|<version>", as in "tuning|1.2.3"',
    ) in got


def test_an_entry_that_is_no_object_is_denied():
    messages = {(rule, field): message for rule, field, message in found({"foo|1.0": 5})}
    message = messages["node-package-entry", f"{PLACE}[foo|1.0]"]
    assert message.startswith('5 is not a package entry; {"name", ')


def test_only_a_package_skipped_while_its_version_rose_keeps_the_old_version_inside():
    old = {"foo|2.0": entry("interrupt/skipped", "foo|2.0")}
    new = {"foo|2.0": entry("interrupt/complete", "foo|2.0", version="1.0")}
    assert found(new, old) == []
    new["foo|2.0"]["name"] = "bar"
    assert [rule for rule, _, _ in found(new, old)] == ["node-package-entry"]


@pytest.mark.parametrize(
    ("stage", "state", "message"),
    [
        ("apply-check", "in_progress",
         ('"config" -> "apply-check" is not a stage; legal: apply, config, interrupt, post-interrupt, upgrade, uninstall,'
         " uninstall-interrupt; the check is part of the stage apply, its name is no value of the API")),
        ("config", "done",
         '"in_progress" -> "done" is not a state; legal: complete, in_progress, skipped, erroring, unknown'),
        ("config", "unknown",
         "config/in_progress -> config/unknown: state unknown is never written, and state skipped only at stage interrupt"),
        ("apply", "skipped",
         "config/in_progress -> apply/skipped: state unknown is never written, and state skipped only at stage interrupt"),
    ],
)  # fmt: skip
def test_a_word_outside_is_denied_at_both_levels(stage, state, message):
    new = changed(stage=stage, state=state)
    assert [m for r, _, m in found(new) if r == "node-package-step.value"] == [message]
    copies = judged(skyhook(nodeState={"n1": OLD}), skyhook(nodeState={"n1": new}))
    assert [f.message for f in copies if f.rule == "skyhook.package-step.value"] == [message]


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"name": "bar"}, "package-entry"),
        ({"restarts": -1}, "package-entry"),
        ({"Stage": "x"}, None),
        ({"image": "other"}, None),
    ],
)
def test_in_the_copy_the_api_server_has_checked_types_and_fields(fields, rule):
    got = judged(skyhook(nodeState={"n1": OLD}), skyhook(nodeState={"n1": changed(**fields)}))
    assert rules(got) == ([] if rule is None else [f"deny {rule}"])


LOWER = {"foo|1.0": entry("config/complete")}


@pytest.mark.parametrize(
    ("beside", "legal"),
    [
        (["foo|1.0"], True),
        (["foo|v1.9.9"], True),
        (["foo|2.0.0-rc1"], True),
        (["foo|not-semver"], True),
        (["foo|3.0"], False),
        (["bar|1.0"], False),
        ([], False),
    ],
)
def test_an_upgrade_needs_a_lower_version_of_the_same_package_beside_it(beside, legal):
    others = {key: entry("config/complete", key) for key in beside}
    new = {**others, "foo|2.0": entry("upgrade/in_progress", "foo|2.0")}
    got = [m for r, _, m in found(new, others) if r == "node-package-step.needs"]
    text = (
        "cannot go from absent to upgrade/in_progress: an upgrade needs an entry of the same package"
        " with a lower version in the same annotation"
    )
    assert got == ([] if legal else [text])


def test_an_upgrade_under_way_needs_nothing_any_more():
    old = {"foo|2.0": entry("upgrade/erroring", "foo|2.0")}
    assert found({"foo|2.0": entry("upgrade/in_progress", "foo|2.0")}, old) == []


def test_a_whole_annotation_that_appears_may_hold_every_legal_pair():
    new = packages(
        foo_1_0="interrupt/skipped",
        bar_1_0="post-interrupt/in_progress",
        baz_2_0="upgrade/in_progress",
    )
    assert judged(node(None), node(new)) == []
    assert [r for r, _, _ in found(new, {})] == ["node-package-step.entry"] * 2 + [
        "node-package-step.needs"
    ]


def test_the_migration_of_0_5_files_an_entry_under_its_full_name():
    old = {"foo": {"name": "foo", "version": "1.0", "stage": "post-interrupt", "state": "complete"}}
    assert judged(node(old), node(packages(foo_1_0="post-interrupt/complete"))) == []
    kept = {**old, **packages(foo_1_0="interrupt/skipped")}
    assert [r for r, _, _ in found(kept, old)] == ["node-package-step.entry"]
