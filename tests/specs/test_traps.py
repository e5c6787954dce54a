"""What upstream lets through, and what stands still afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.alone import place, told
from webhook.lifecycle.path import START
from webhook.specs.cycles import dependency_cycles
from webhook.specs.deletion import deletion_erring
from webhook.specs.dependencies import depends_on
from webhook.specs.images import package_image
from webhook.specs.traps import interrupt_removed
from webhook.specs.uninstalls import package_downgrade

NOTE = "skyhook.nvidia.com/nodeState_gpu"


def state(stage: str, state: str) -> dict[str, Any]:
    entry = {"name": "tuning", "version": "1.0", "stage": stage, "state": state}
    return {"status": {"nodeState": {"node-a": {"tuning|1.0": entry}}}}


@pytest.mark.parametrize(
    ("stage", "word", "stuck"),
    [
        ("uninstall-interrupt", "in_progress", True),
        ("uninstall-interrupt", "erroring", True),
        ("uninstall-interrupt", "complete", False),
        ("interrupt", "in_progress", False),
        ("uninstall", "erroring", False),
    ],
)
def test_an_interrupt_is_needed_while_it_runs_after_an_uninstall(
    stage: str, word: str, stuck: bool
) -> None:
    judge = interrupt_removed({"annotation": NOTE})
    found = told(judge, {}, {"interrupt": {"type": "reboot"}}, whole=(state(stage, word), {}))
    assert [field for field, _ in found] == ["spec.packages[tuning].interrupt"] * stuck


@pytest.mark.parametrize(
    ("stage", "word", "held"),
    [
        ("config", "erroring", True),
        ("config", "in_progress", False),
        ("uninstall", "erroring", False),
    ],
)
def test_a_deletion_waits_for_what_errs_before_its_uninstall(
    stage: str, word: str, held: bool
) -> None:
    package = {"version": "1.0", "uninstall": {"enabled": True}}
    old = {"spec": {"packages": {"tuning": package}}, **state(stage, word)}
    judge = deletion_erring({"annotation": NOTE, "tool": "kubectl skyhook"})
    found = told(judge, None, old, whole=(old, None), at=START)
    assert [field for field, _ in found] == ["status.nodeState"] * held
    assert all(
        "tuning" in text and f"{stage}/{word} on " in text and "node-a" in text for _, text in found
    )


def test_each_package_that_is_named_in_vain_is_told() -> None:
    wrong: dict[str, Any] = {"a": "1", "b": 5, "c": "1", "tuning": "2", "base": None}
    packages = {
        "base": {"version": "1"},
        "tuning": {"version": "1", "dependsOn": wrong},
        "z": {"version": "1", "dependsOn": "base"},
    }
    found = told(depends_on({}), packages)
    assert [
        (field.rpartition("dependsOn")[2], text.partition(";")[0]) for field, text in found
    ] == [
        ("[a]", '"a" is no package of this spec, which has: base 1, tuning 1, z 1'),
        ("[b]", "5 must be a string"),
        ("[c]", '"c" is no package of this spec, which has: base 1, tuning 1, z 1'),
        ("[tuning]", '"tuning" is "1" in this spec, not "2"'),
        ("[base]", 'the version of "base" is empty'),
        ("", '"base" must be an object'),
    ]


@pytest.mark.parametrize(
    ("was", "now", "lower"),
    [("2.0", "1.0", True), ("1.0", "1.0", False), ("1.0", "2.0", False), ("1.0", None, False),
     (None, "1.0", False), ("1.0", "nonsense", False), ("nonsense", "1.0", False)],
)  # fmt: skip
def test_only_what_is_lower_is_a_downgrade(was: str | None, now: str | None, lower: bool) -> None:
    def package(version: str | None) -> dict[str, Any]:
        return {"uninstall": {"enabled": True}, **({} if version is None else {"version": version})}

    found = told(package_downgrade({}), package(now), package(was))
    assert [field for field, _ in found] == ["spec.packages[tuning].version"] * lower


@pytest.mark.parametrize(("version", "pulls"), [({"version": "1.2"}, "reg:1.2"), ({}, "reg:")])
def test_an_image_with_a_port_is_cut_by_old_operators(version: dict[str, str], pulls: str) -> None:
    package = {"image": "reg:5000/x", **version}
    [(field, text)] = told(package_image({}), package, release="0.17")
    assert field == "spec.packages[tuning].image"
    assert f'it pulls "{pulls}"' in text
    assert told(package_image({}), package, release="0.18") == []


def test_a_circle_is_told_where_it_may_be_cut() -> None:
    def needs(**packages: str) -> list[str]:
        given = {name: {"dependsOn": {other: "1"}} for name, other in packages.items()}
        return [field for field, _ in told(dependency_cycles({}), given, at=place("spec.packages"))]

    assert needs(aa="bb", bb="cc", cc="aa") == ["spec.packages[aa].dependsOn[bb]"]
    assert needs(aa="aa", bb="bb") == [f"spec.packages[{n}].dependsOn[{n}]" for n in ("aa", "bb")]
    assert needs(aa="bb", bb="cc") == []
    for given, itself in (({"aa": "aa"}, True), ({"aa": "bb", "bb": "aa"}, False)):
        packages = {name: {"dependsOn": {other: "1"}} for name, other in given.items()}
        [(_, text)] = told(dependency_cycles({}), packages, at=place("spec.packages"))
        assert ("depends on itself" in text) is itself
