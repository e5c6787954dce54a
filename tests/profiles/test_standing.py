"""May I rely on this condition now? Is the lock held, by whose word? May OLM upgrade?"""

from __future__ import annotations

from typing import Any

import pytest

from webhook.catalog import shipped
from webhook.checks.standing import GO_AHEAD, LOCK, UPGRADE, standings
from webhook.core.view import View
from webhook.lifecycle.stamps import Trust, stamps


def condition(kind: str, status: str, stamp: int | None = None, **more: str) -> dict[str, Any]:
    whole = {"type": kind, "status": status, **more}
    return whole if stamp is None else {**whole, "observedGeneration": stamp}


def operator_condition(
    spec: list[Any], status: list[Any], overrides: list[Any] | None = None
) -> View:
    return View.of(
        {
            "metadata": {"name": "op.v1", "generation": 4},
            "spec": {"conditions": spec, "overrides": overrides or []},
            "status": {"conditions": status},
        }
    )


ASKED = condition("Upgradeable", "False", reason="Migration", message="moving the data")
COPIED = {**ASKED, "observedGeneration": 4}


def answers(root: View, profile: str = "olm-operatorcondition") -> dict[str, tuple[str, str, str]]:
    found = standings(root, shipped(profile).guards)
    return {s.question: (s.answer, str(s.by), s.why) for s in found}


@pytest.mark.parametrize(
    ("spec", "status", "answer", "by", "says"),
    [
        ([], [], "no", "spec.conditions[Upgradeable]", "nobody has set it"),
        ([condition("Upgradeable", "True")], [], "no", "spec.conditions[Upgradeable]", '"True"'),
        (
            [ASKED],
            [COPIED],
            "not yet",
            "spec.conditions[Upgradeable]",
            "Migration: moving the data",
        ),
        (
            [ASKED],
            [COPIED, condition("Acknowledged", "True", 4)],
            "yes",
            "status.conditions[Acknowledged]",
            "acknowledged for generation 4",
        ),
        (
            [ASKED],
            [COPIED, condition("Acknowledged", "True", 3)],
            "no longer",
            "status.conditions[Acknowledged]",
            "for generation 3, and the spec is at generation 4",
        ),
        (
            [ASKED],
            [COPIED, condition("Acknowledged", "False", 4, reason="UpgradeInProgress")],
            "no",
            "status.conditions[Acknowledged]",
            "denied for generation 4 (UpgradeInProgress)",
        ),
        (
            [condition("Upgradable", "False")],
            [condition("Acknowledged", "True", 4)],
            "yes",
            "status.conditions[Acknowledged]",
            "acknowledged",
        ),
    ],
)
def test_how_the_lock_stands(
    spec: list[Any], status: list[Any], answer: str, by: str, says: str
) -> None:
    found = answers(operator_condition(spec, status))[LOCK]
    assert found[:2] == (answer, by)
    assert says in found[2]


@pytest.mark.parametrize(
    ("status", "overrides", "answer", "by"),
    [
        ([], [], "yes", "status.conditions[Upgradeable]"),
        ([COPIED], [], "no", "status.conditions[Upgradeable]"),
        ([condition("Upgradeable", "True", 4)], [], "yes", "status.conditions[Upgradeable]"),
        ([condition("Upgradeable", "Unknown", 4)], [], "yes", "status.conditions[Upgradeable]"),
        ([condition("Upgradeable", "True", 3)], [], "no", "status.conditions[Upgradeable]"),
        ([condition("Upgradeable", "True")], [], "no", "status.conditions[Upgradeable]"),
        ([condition("Upgradeable", "True", 9)], [], "no", "status.conditions[Upgradeable]"),
        ([COPIED], [condition("Upgradeable", "True")], "yes", "spec.overrides[Upgradeable]"),
        ([], [condition("Upgradeable", "False")], "no", "spec.overrides[Upgradeable]"),
        ([], [condition("Upgradeable", "Unknown")], "no", "spec.overrides[Upgradeable]"),
        ([COPIED], [condition("Other", "True")], "no", "status.conditions[Upgradeable]"),
    ],
)
def test_what_olm_decides_today(
    status: list[Any], overrides: list[Any], answer: str, by: str
) -> None:
    """As operatorconditions.go:15-55: no condition and Unknown let through, a stale stamp does not."""
    assert answers(operator_condition([ASKED], status, overrides))[UPGRADE][:2] == (answer, by)


@pytest.mark.parametrize(
    ("annotations", "conditions", "answer"),
    [
        ({}, [condition("Upgradable", "True", 4)], "no"),
        ({"operator-sdk.io/can-upgrade": "5"}, [], "not yet"),
        ({"operator-sdk.io/can-upgrade": "5"}, [condition("Upgradable", "True", 3)], "not yet"),
        ({"operator-sdk.io/can-upgrade": "5"}, [condition("Upgradable", "True")], "not yet"),
        ({"operator-sdk.io/can-upgrade": "5"}, [condition("Upgradable", "False", 4)], "no"),
        ({"operator-sdk.io/can-upgrade": "5"}, [condition("Upgradable", "True", 4)], "yes"),
    ],
)
def test_whether_there_is_a_go_ahead(
    annotations: dict[str, str], conditions: list[Any], answer: str
) -> None:
    root = View.of(
        {
            "metadata": {"generation": 4, "annotations": annotations},
            "status": {"conditions": conditions},
        }
    )
    assert answers(root, "olm-can-upgrade")[GO_AHEAD][0] == answer


def test_a_profile_without_locks_has_no_answers() -> None:
    assert standings(View.of({}), shipped("cluster-api-machine").guards) == []


def test_which_stamps_one_may_rely_on() -> None:
    root = View.of(
        {
            "metadata": {"generation": 5},
            "status": {
                "observedGeneration": 4,
                "conditions": [
                    condition("Ready", "True", 5, reason="Fine"),
                    condition("Old", "False", 2),
                    condition("Early", "True", 7),
                    condition("Plain", "True"),
                ],
            },
        }
    )
    found = {str(s.field): s for s in stamps(root)}
    assert {field: s.trust for field, s in found.items()} == {
        "status": Trust.STALE,
        "status.conditions[Ready]": Trust.FRESH,
        "status.conditions[Old]": Trust.STALE,
        "status.conditions[Early]": Trust.AHEAD,
        "status.conditions[Plain]": Trust.UNSTAMPED,
    }
    assert found["status.conditions[Old]"].sentence() == (
        'status.conditions[Old] says "False": stale, do not rely on it: it speaks of generation 2,'
        " and metadata.generation is 5 (3 behind)"
    )
    assert 'says "True" (Fine): fresh' in found["status.conditions[Ready]"].sentence()
    assert "look fresh" in found["status.conditions[Early]"].sentence()


def test_stamps_in_other_places_come_from_the_profile() -> None:
    conditions = [condition("Ready", "True", 1)]
    root = View.of(
        {"metadata": {"generation": 2}, "status": {"v1beta2": {"conditions": conditions}}}
    )
    assert stamps(root) == []
    [found] = stamps(root, shipped("cluster-api-machine-v1beta1").guards)
    assert (str(found.field), found.trust) == ("status.v1beta2.conditions[Ready]", Trust.STALE)


def test_an_object_without_a_generation_has_no_stamps() -> None:
    assert stamps(View.of({"status": {"observedGeneration": 1}})) == []
    assert stamps(View.of({"metadata": {"generation": "x"}, "status": {"conditions": 3}})) == []
