"""Removal, lower versions and cancelled uninstalls, judged on the step and the old nodeState."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.specs.write import judge, lines, package

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine


def skyhook(
    version: str = "2.0.0",
    *,
    enabled: bool = True,
    apply: bool = False,
    nodes: int = 0,
    name: str | None = None,
) -> dict[str, Any]:
    more = {} if name is None else {"name": name}
    uninstall = {"enabled": enabled, "apply": apply}
    entry = {
        "name": "tuning",
        "version": version,
        "image": "x",
        "stage": "config",
        "state": "complete",
    }
    states = {f"node-{n}": {f"tuning|{version}": entry} for n in range(nodes)}
    return {
        "spec": {"packages": {"tuning": package(version=version, uninstall=uninstall, **more)}},
        "status": {"nodeState": states or {"node-0": {}}},
    }


GONE: dict[str, Any] = {"spec": {"packages": {}}}


def test_a_package_that_is_still_installed_is_not_removed(engine: Engine) -> None:
    assert lines(judge(engine, GONE, skyhook(nodes=2))) == [
        (
            "skyhook.package-removal",
            "spec.packages[tuning]",
            (
                'removed while "2.0.0" is still on 2 nodes (node-0, node-1) and uninstall.enabled is true;'
                " put it back, set spec.packages[tuning].uninstall.apply to true, wait until"
                " status.nodeState no longer names it, then remove it"
            ),
        )
    ]


@pytest.mark.parametrize("spec", [{"spec": {}}, {"spec": {"packages": None}}, {}])
def test_it_is_not_removed_with_all_packages_either(engine: Engine, spec: dict[str, Any]) -> None:
    assert [d[0] for d in lines(judge(engine, spec, skyhook(nodes=1)))] == [
        "skyhook.package-removal"
    ]


def test_a_running_uninstall_is_waited_for(engine: Engine) -> None:
    [(_, _, words)] = lines(judge(engine, GONE, skyhook(apply=True, nodes=1)))
    assert words.endswith(
        "put it back, wait until status.nodeState no longer names it, then remove it"
    )


@pytest.mark.parametrize(
    "old",
    [
        skyhook(enabled=False, nodes=3),
        skyhook(apply=True),
        skyhook(apply=False),
        {**skyhook(apply=True), "status": {}},
        {"spec": skyhook()["spec"]},
    ],
    ids=["without uninstall", "uninstalled", "never installed", "no node", "no status"],
)
def test_a_package_may_be_removed(engine: Engine, old: dict[str, Any]) -> None:
    assert not judge(engine, GONE, old).findings


def test_a_lower_version_needs_the_uninstall_first(engine: Engine) -> None:
    assert lines(judge(engine, skyhook("1.9.0"), skyhook("1.10.0"))) == [
        (
            "skyhook.package-downgrade",
            "spec.packages[tuning].version",
            (
                '"1.10.0" -> "1.9.0" lowers the version of a package with uninstall.enabled; keep "1.10.0",'
                " set spec.packages[tuning].uninstall.apply to true, wait until status.nodeState no longer"
                " names it, then lower it"
            ),
        )
    ]


def test_a_lower_version_waits_for_the_uninstall_to_finish(engine: Engine) -> None:
    new, old = skyhook("1.0.0", apply=True), skyhook("2.0.0", apply=True, nodes=1)
    [(rule, _, words)] = lines(judge(engine, new, old))
    assert rule == "skyhook.package-downgrade"
    assert "it is still on 1 node (node-0)" in words


def test_ending_the_uninstall_and_lowering_at_once_only_warns(engine: Engine) -> None:
    verdict = judge(engine, skyhook("1.0.0"), skyhook("2.0.0", apply=True, nodes=1))
    assert verdict.allowed
    assert sorted(f.rule for f in verdict.warned) == [
        "skyhook.package-downgrade",
        "skyhook.uninstall-cancelled",
    ]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (skyhook("2.0.1"), skyhook("2.0.0", nodes=1)),
        (skyhook("2.0"), skyhook("2.0.0", nodes=1)),
        (skyhook("1.0.0", apply=True), skyhook("2.0.0", apply=True)),
        (skyhook("1.0.0", enabled=False), skyhook("2.0.0", enabled=False, nodes=1)),
        (skyhook("1.0.0"), skyhook("2.0.0", enabled=False, nodes=1)),
        (skyhook("1.0.0"), skyhook("newest", nodes=1)),
    ],
    ids=[
        "higher",
        "equal",
        "uninstalled",
        "without uninstall",
        "uninstall only now",
        "not comparable",
    ],
)
def test_a_version_may_change(engine: Engine, new: dict[str, Any], old: dict[str, Any]) -> None:
    assert judge(engine, new, old).allowed


def test_the_state_is_found_under_the_name_of_the_old_package(engine: Engine) -> None:
    old = skyhook(nodes=1, name="other")
    old["status"]["nodeState"] = {"node-0": {"other|2.0.0": {}}}
    assert "skyhook.package-removal" in [d[0] for d in lines(judge(engine, GONE, old))]


def test_the_steps_of_a_release_that_was_not_recorded_only_warn(engine: Engine) -> None:
    verdict = judge(
        engine, skyhook("1.0.0"), skyhook("2.0.0"), kind="NodeWright", group="nodewright.nvidia.com"
    )
    assert verdict.allowed
    assert [f.rule for f in verdict.warned] == ["nodewright.package-downgrade"]
