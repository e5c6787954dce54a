"""Conditions of any CRD, guarded by one short document: `extends: conditions` and a match."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from webhook.building import profile_of
from webhook.catalog import Catalog
from webhook.lifecycle.compile import ProfileError
from webhook.reviews.examples import read_examples, run_examples

if TYPE_CHECKING:
    from pathlib import Path

    from webhook.reviews.examples import Outcome

NOW = datetime(2026, 1, 1, 0, 10, tzinfo=UTC)
WIDGET = "match: {group: example.com, kind: Widget, plural: widgets, versions: [v1]}\n"


def ready(status: str = "True", **more: Any) -> dict[str, Any]:
    """A condition as meta.SetStatusCondition leaves it."""
    whole = {
        "type": "Ready",
        "status": status,
        "reason": "Fine",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        "observedGeneration": 3,
    }
    return {k: v for k, v in {**whole, **more}.items() if v is not None}


def judged(
    tmp_path: Path, old: list[Any], new: list[Any], extends: str = "conditions", **fields: Any
) -> Outcome:
    """A write that turns the conditions `old` into `new`, against a profile that extends ours."""
    file = tmp_path / "widget.yaml"
    file.write_text(f"profile: widget\nextends: {extends}\n{WIDGET}")
    profile = profile_of(str(file))
    document = {
        "base": {"metadata": {"name": "w", "generation": 3}, "status": {"conditions": old}},
        "deny": [{"id": "x", "new": {"status.conditions": new, **fields}}],
    }
    match = profile.guards[0].match
    [outcome] = run_examples(read_examples(document), match, Catalog.of([profile]), NOW)
    return outcome


def said(outcome: Outcome) -> set[str]:
    return {f"{f.severity} {f.rule}" for f in outcome.findings}


def test_what_set_status_condition_writes_is_silent(tmp_path: Path) -> None:
    flipped = ready("False", lastTransitionTime="2026-01-01T00:10:00Z", reason="Broken")
    for old, new in (
        ([], [ready()]),
        ([ready()], [flipped]),
        ([ready()], [ready(message="more words")]),
        ([ready(observedGeneration=2)], [ready()]),
        ([ready(), ready(type="Other")], [ready()]),
        ([ready(lastTransitionTime=None)], [ready()]),
    ):
        assert said(judged(tmp_path, old, new)) == set()


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        ([], [ready(observedGeneration=4)], {"deny widget.condition-generation.over"}),
        ([ready()], [ready(observedGeneration=2)], {"deny widget.condition-generation.down"}),
        ([], [ready("Maybe")], {"deny widget.condition-status.value"}),
        ([], [ready(), ready("False")], {"deny widget.condition-types"}),
        ([], [ready(type=None)], {"deny widget.condition-shape"}),
        ([], [ready(type="")], {"deny widget.condition-shape"}),
        (
            [],
            [{"type": "Ready"}],
            {"deny widget.condition-shape", "warn widget.condition-complete"},
        ),
        ([], [ready(reason=None)], {"warn widget.condition-complete"}),
        ([ready()], [ready(lastTransitionTime=None)], {"warn widget.condition-complete"}),
        ([ready()], [ready("False")], {"warn widget.transition-moves"}),
        (
            [ready()],
            [ready(lastTransitionTime="2026-01-01T00:09:00Z")],
            {"warn widget.transition-moves"},
        ),
        (
            [ready()],
            [ready("False", lastTransitionTime="2025-12-31T00:00:00Z")],
            {"warn widget.transition-time.down"},
        ),
        ([], [ready(lastTransitionTime="today")], {"deny widget.transition-time.format"}),
    ],
)
def test_what_no_careful_controller_writes(
    tmp_path: Path, old: list[Any], new: list[Any], rules: set[str]
) -> None:
    assert said(judged(tmp_path, old, new)) == rules


def test_two_flips_within_a_second_share_a_time(tmp_path: Path) -> None:
    moment = {"lastTransitionTime": "2026-01-01T00:09:58Z"}
    assert said(judged(tmp_path, [ready(**moment)], [ready("False", **moment)])) == set()


def test_an_old_defect_never_stops_a_write(tmp_path: Path) -> None:
    broken = [ready(observedGeneration=9), ready("Maybe", type="Other"), ready(type=None)]
    outcome = judged(tmp_path, broken, [*broken, ready(type="New")])
    assert said(outcome) == set()


def test_the_stamp_of_the_whole_status_counts_too(tmp_path: Path) -> None:
    outcome = judged(tmp_path, [], [], **{"status.observedGeneration": 7})
    assert said(outcome) == {"deny widget.observed-generation.over"}


@pytest.mark.parametrize(
    ("setting", "old", "new", "rule"),
    [
        ("{times: deny}", [ready()], [ready("False")], "deny widget.transition-moves"),
        (
            "{unstamped: deny}",
            [ready(observedGeneration=None)],
            [
                ready("False", observedGeneration=None, lastTransitionTime="2026-01-01T00:10:00Z"),
            ],
            "deny widget.unstamped",
        ),
        (
            "{late: deny}",
            [ready(observedGeneration=1)],
            [
                ready("False", observedGeneration=2, lastTransitionTime="2026-01-01T00:10:00Z"),
            ],
            "deny widget.condition-generation.flip",
        ),
        ("{incomplete: deny}", [], [ready(reason=None)], "deny widget.condition-complete"),
    ],
)
def test_a_setting_makes_it_stricter(
    tmp_path: Path, setting: str, old: list[Any], new: list[Any], rule: str
) -> None:
    assert said(judged(tmp_path, old, new, f"{{conditions: {setting}}}")) == {rule}


def test_conditions_may_be_somewhere_else(tmp_path: Path) -> None:
    there = {"status.v1beta2": {"conditions": [ready(observedGeneration=4)]}}
    extends = "{conditions: {list: status.v1beta2.conditions}}"
    outcome = judged(tmp_path, [], [], extends, **there)
    assert said(outcome) == {"deny widget.condition-generation.over"}
    assert str(outcome.findings[0].field) == "status.v1beta2.conditions[Ready].observedGeneration"


def test_a_rule_of_ones_own_takes_the_place_of_the_base_s(tmp_path: Path) -> None:
    file = tmp_path / "widget.yaml"
    own = (
        "without: [condition-types]\ntracks:\n"
        '  - {id: condition-status, path: "status.conditions[*].status", values: ["True", "False"]}\n'
    )
    file.write_text(f"profile: widget\nextends: conditions\n{WIDGET}{own}")
    [guard] = profile_of(str(file)).guards
    assert [t.values for t in guard.tracks] == [["True", "False"]]
    assert not guard.unique
    assert {m.id for m in guard.monotone} >= {"condition-generation", "transition-time"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("extends: condition\n", "no profile here is called 'condition'"),
        ("extends: {conditions: {time: deny}}\n", "there is no setting 'time'; there is list,"),
        ("extends: {conditions: {times: 3}}\n", "the setting times must be a text"),
        ("extends: {conditions: {times: perhaps}}\n", "severity"),
        ("extends: skyhook\n", "skyhook guards several kinds and cannot be a base"),
        (
            "extends: conditions\nwithout: [condition-type]\n",
            "the base has no rule 'condition-type'",
        ),
        ("extends: 3\n", "must be a name, a list of names, or a map"),
        ("extends: conditions\ntracks: abc\n", "tracks: Input should be a valid list"),
    ],
)
def test_a_profile_that_does_not_fit_its_base_is_refused(
    tmp_path: Path, text: str, reason: str
) -> None:
    file = tmp_path / "widget.yaml"
    file.write_text(f"profile: widget\n{WIDGET}{text}")
    with pytest.raises(ProfileError, match=reason):
        profile_of(str(file))


def test_the_base_alone_says_how_to_bind_it() -> None:
    with pytest.raises(ProfileError, match="bind it with `extends: conditions` and a match"):
        profile_of("conditions")
