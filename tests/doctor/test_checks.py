"""n faults planted, all found; on a healthy cluster none is invented."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from tests.doctor.faults import FAULTS, Fault
from tests.doctor.healthy import KEYRING, NOW, find, objects, snapshot
from webhook.certs.authority import Authority, service_names
from webhook.doctor.checks import CHECKS, NEED_SETTINGS, diagnose
from webhook.doctor.diagnosis import Level
from webhook.manifests.options import Tls
from webhook.profile_files import texts_of

if TYPE_CHECKING:
    from pathlib import Path

    from webhook.doctor.snapshot import Snapshot

COUSINS = {
    # What follows from a fault, and is rightly said beside it.
    "certificate expired": {"ca-bundle"},
}
ALONE = {"installed", "settings", "secret", "expiry", "service-names", "rotation"}
"""Checks whose faults take away or replace what others are planted in."""


def faults(found: Snapshot) -> dict[str, list[Any]]:
    """Errors and warnings, by check."""
    by_check: dict[str, list[Any]] = {}
    for one in diagnose(found):
        if one.level is not Level.NOTE:
            by_check.setdefault(one.check, []).append(one)
    return by_check


@pytest.mark.parametrize("tls", list(Tls))
@pytest.mark.parametrize("served", [False, True], ids=["one-version", "two-versions"])
@pytest.mark.parametrize(
    "chosen",
    [{}, {"replicas": 3}, {"fail_specs": True, "timeout_seconds": 7}, {"host_network": True, "port": 10250},
     {"monitoring": True, "conversion": True}, {"overrides": {"mode": "audit"}},
     {"settings": {"profiles": ["nodewright"]}}, {"settings": {"operator_version": {"nodewright": "0.18"}}}],
    ids=str,
)  # fmt: skip
def test_nothing_is_invented_on_a_healthy_cluster(tls: Tls, served: bool, chosen: dict[str, Any]):
    assert faults(snapshot(objects(tls, served=served, **chosen))) == {}


def test_a_profile_that_is_in_the_cluster_only_is_read_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    profile = shutil.copy(ROOT / "tests" / "doctor" / "own.yaml", tmp_path)
    names = ["skyhook", str(profile)]
    monkeypatch.chdir(tmp_path)
    found = objects(settings={"profiles": names}, profile_files=texts_of(names))
    (tmp_path / "own.yaml").unlink()
    assert faults(snapshot(found)) == {}
    ours = find(found, "ValidatingWebhookConfiguration")
    ours["webhooks"] = [w for w in ours["webhooks"] if "example.com" not in str(w["rules"])]
    assert set(faults(snapshot(found))) == {"drift"}, "that its kind is not sent to us is seen"


def test_one_replica_is_healthy_too_while_one_version_is_served():
    assert faults(snapshot(objects(replicas=1))) == {}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_and_nothing_else_is_said(fault: Fault):
    found = objects(served=fault.served)
    fault.plant(found)
    told = diagnose(snapshot(found))
    mine = [
        one
        for one in told
        if one.check == fault.check and fault.says in f"{one.message} {one.about}"
    ]
    assert mine, [(one.check, one.message) for one in told]
    assert {one.level.value for one in mine} == {fault.level}
    assert any(one.fix is not None for one in mine) == fault.fixable
    further = {one.check for one in told if one.level is not Level.NOTE} - {fault.check}
    assert further <= COUSINS.get(fault.name, set())


def test_each_check_finds_something():
    found_by = {fault.check for fault in FAULTS}
    assert found_by == {*CHECKS, *NEED_SETTINGS, "settings"}


@pytest.mark.parametrize("seed", range(0, len(FAULTS), 4))
def test_several_faults_at_once_are_all_found(seed: int):
    """Any three whose objects are still there afterwards."""
    chosen: list[Fault] = []
    found = objects()
    for fault in FAULTS[seed:] + FAULTS[:seed]:
        apart = all(fault.check != other.check for other in chosen)
        if apart and fault.check not in ALONE and not fault.served and len(chosen) < 3:
            fault.plant(found)
            chosen.append(fault)
    told = diagnose(snapshot(found))
    for fault in chosen:
        assert any(one.check == fault.check for one in told), fault.name


def test_a_replica_that_shows_another_leaf_is_named():
    """What is served counts more than what the Secret holds."""
    good = KEYRING.leaf.cert_pem
    old = Authority.make("yesterday", now=NOW).sign(
        service_names("skyhook-webhook", "skyhook-webhook-system"), now=NOW
    )
    found = snapshot(objects(), leaves={"pod-a": good, "pod-b": old.cert_pem})
    told = faults(found)
    assert set(told) == {"ca-bundle"}
    assert all("replica pod-b" in one.message for one in told["ca-bundle"])
    assert faults(snapshot(objects(), leaves={"pod-a": good, "pod-b": good})) == {}


def test_what_could_not_be_read_is_said_and_nothing_is_made_of_its_absence():
    found = objects()
    found.remove(find(found, "Secret", "skyhook-webhook-certs"))
    told = faults(snapshot(found, unread={"Secret": "GET …: forbidden"}))
    assert set(told) == {"unread"}
    assert "forbidden" in told["unread"][0].message


def test_an_empty_cluster_is_told_in_one_line():
    (one,) = faults(snapshot([])).values()
    assert "nothing of ours is here" in one[0].message


def test_the_worst_comes_first():
    found = objects()
    for fault in FAULTS:
        if fault.check in ("policies", "replicas", "operator-configurations"):
            fault.plant(found)
    levels = [one.level for one in diagnose(snapshot(found))]
    assert levels == sorted(levels, key=list(Level).index)


def test_settings_are_found_under_the_name_that_kustomize_gave_them():
    found = objects(settings={"operator_version": {"skyhook": "0.15"}})
    find(found, "ConfigMap", "skyhook-webhook-settings")["metadata"]["name"] = (
        "skyhook-webhook-settings-abc"
    )
    volumes = find(found, "Deployment")["spec"]["template"]["spec"]["volumes"]
    for volume in volumes:
        if "configMap" in volume:
            volume["configMap"]["name"] = "skyhook-webhook-settings-abc"
    assert snapshot(found).settings().operator_version == {"skyhook": "0.15"}


def test_variables_win_over_the_settings_document():
    found = objects(overrides={"mode": "audit", "profiles": ["nodewright"]})
    read = snapshot(found).settings()
    assert read.mode.value == "audit"
    assert read.profiles == ["nodewright"]


def test_the_release_that_is_assumed_is_always_told():
    told = [one.message for one in diagnose(snapshot(objects())) if one.check == "releases"]
    assert told == [
        "profile skyhook: release 0.16 (assumed)",
        "profile nodewright: release 0.18 (assumed; not recorded, so only closed values deny)",
    ]


def test_a_snapshot_is_never_changed_by_looking_at_it():
    found = objects(served=True)
    before = str(found)
    diagnose(replace(snapshot(found)))
    assert str(found) == before
