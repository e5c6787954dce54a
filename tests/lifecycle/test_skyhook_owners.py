"""A package begins its uninstall where its Skyhook allows it; what is not known of that denies nothing (L13)."""

from __future__ import annotations

import pytest

from tests.lifecycle.skyhook import PREFIX, STATE, entry, judged, look, node, skyhook
from webhook.core.evidence import GivenNodes
from webhook.core.writer import Writer

RULE = "skyhook.node-uninstall-asked"
PATH = f"/apis/{PREFIX}/v1alpha1/skyhooks/gpu"
WORDS = (
    'begins its uninstall, but Skyhook "gpu" does not allow that:'
    " spec.packages[foo].uninstall.enabled is not true"
)


def owner(uninstall=None, version="1.0", name="foo", **meta):
    package = {"name": name, "version": version, "image": "reg/foo"}
    if uninstall is not None:
        package["uninstall"] = uninstall
    return look(skyhook(spec={"packages": {name: package}}, meta=meta))


def found(old, new, *owners, writer=Writer.OPERATOR, path=PATH):
    evidence = GivenNodes({}, complete=False, owners={path: owners} if owners else {})
    sides = (node({} if pair is None else {"foo|1.0": entry(pair)}) for pair in (old, new))
    got = judged(*sides, writer, evidence=evidence)
    return [(f.severity.value, str(f.field), f.message) for f in got if f.rule == RULE]


@pytest.mark.parametrize(
    ("writer", "severity"),
    [(Writer.OPERATOR, "warn"), (Writer.SERVICE_ACCOUNT, "warn"), (Writer.PERSON, "deny"), (Writer.UNKNOWN, "warn")],
)  # fmt: skip
@pytest.mark.parametrize(
    "uninstall", [None, {"enabled": False, "apply": False}, {"enabled": "true"}]
)
def test_an_uninstall_that_the_skyhook_does_not_allow_is_found(writer, severity, uninstall):
    got = found("config/complete", "uninstall/in_progress", owner(uninstall), writer=writer)
    assert got == [(severity, f"metadata.annotations[{STATE}][foo|1.0]", WORDS)]


@pytest.mark.parametrize(
    "states",
    [
        (),
        (owner({"enabled": True, "apply": True}),),
        (owner({"enabled": True, "apply": False}),),  # while it is being deleted, or lately
        (owner(), owner({"enabled": True, "apply": True})),
        (owner({"enabled": True, "apply": True}), owner()),
        (owner(deletionTimestamp="2026-11-29T10:00:00Z"),),
        (owner(version="2.0"),),
        (owner(name="bar"),),
    ],
)
def test_what_the_skyhook_allows_or_lately_allowed_or_nobody_knows_passes(states):
    assert found("config/complete", "uninstall/in_progress", *states, writer=Writer.PERSON) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("uninstall/erroring", "uninstall/in_progress"),
        ("uninstall/in_progress", "uninstall/erroring"),
        ("uninstall/in_progress", None),
        ("config/complete", "config/in_progress"),
        ("uninstall/in_progress", "uninstall-interrupt/in_progress"),
    ],
)
def test_only_the_beginning_is_asked_about(old, new):
    assert found(old, new, owner(), writer=Writer.PERSON) == []


def test_another_skyhook_tells_nothing():
    other = PATH.replace("gpu", "net")
    assert found("config/complete", "uninstall/in_progress", owner(), path=other) == []
