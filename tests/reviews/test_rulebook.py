"""Every rule of ours has writes that show what it does, and each one is judged to do just that."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from webhook.catalog import CHECKS, PROFILES, Catalog, rule_examples, shipped
from webhook.core.finding import Severity
from webhook.lifecycle.compile import is_recorded
from webhook.lifecycle.model import Monotone, Track
from webhook.reviews.rulebook import RulebookError, Sample, Told, expected, samples, told

if TYPE_CHECKING:
    from types import FrameType

LOUD = ("denied", "warned", "audited")


@cache
def judged(name: str) -> list[Told]:
    profile = shipped(name)
    catalog = Catalog.of([profile], usually=True)
    return list(told(profile, catalog, samples(profile, rule_examples(name))))


def every(name: str) -> Any:
    found = judged(name)
    return [pytest.param(t, id=f"{name}.{t.sample.rule}-{n}") for n, t in enumerate(found)]


def certain(name: str) -> bool:
    profile = shipped(name)
    assert profile.releases is not None
    return is_recorded(profile, profile.releases.assumed)


@pytest.mark.parametrize("one", [p for name in PROFILES for p in every(name)])
def test_an_example_gets_the_verdict_that_it_shows(one: Told) -> None:
    sample = one.sample
    if sample.group == "passes":
        loud = [f for f in one.verdict.findings if f.severity is not Severity.AUDIT]
        assert loud == []
        assert one.findings == ()
        return
    name = one.findings[0].rule.partition(".")[0]
    assert all(expected(sample, f, certain=certain(name)) for f in one.findings)
    assert sample.at in {str(finding.field) for finding in one.findings}


@pytest.mark.parametrize("name", PROFILES)
def test_every_rule_has_an_example_that_it_speaks_about_and_one_that_passes(name: str) -> None:
    shown: dict[str, set[str]] = {}
    for one in judged(name):
        shown.setdefault(one.sample.rule, set()).add(one.sample.group)
    rules = {rule.id for guard in shipped(name).guards for rule in guard.rules()}
    assert set(shown) == rules
    assert [r for r, groups in shown.items() if not groups & set(LOUD)] == []
    assert [r for r, groups in shown.items() if "passes" not in groups] == []


def parts(rule: Any) -> set[str]:
    """What a track or a counter may say, each with words of its own."""
    if isinstance(rule, Track):
        full = rule.table is not None
        said = {"value"} | ({"needs"} if rule.siblings else set())
        if not full and rule.removal is Severity.DENY:
            said.add("removal")
        return said | ({"edge", "entry"} if rule.id.startswith("node-") and full else set())
    assert isinstance(rule, Monotone)
    found = {
        "down": rule.down is not Severity.ALLOW,
        "removal": rule.removal is not Severity.ALLOW,
        "format": rule.format is not Severity.ALLOW,
        "over": rule.bound is not None,
        "least": rule.least is not None,
        "climb": rule.climb is not None,
        "ahead": rule.ahead is not None,
    }
    return {part for part, is_said in found.items() if is_said}


@pytest.mark.parametrize("name", PROFILES)
def test_everything_that_a_track_or_a_counter_may_say_is_shown(name: str) -> None:
    shown = {(one.sample.rule, one.sample.part) for one in judged(name)}
    for guard in shipped(name).guards:
        for rule in [*guard.tracks, *guard.monotone]:
            assert {part for _, part in shown if (rule.id, part) in shown} >= parts(rule), rule.id


@pytest.mark.parametrize("name", PROFILES)
def test_a_message_stands_alone_on_one_line_without_our_jargon(name: str) -> None:
    jargon = (" track", "mirror_only", " owned", "I0", "I1", "I3", "I4", "I5", "transitions ")
    for one in judged(name):
        for finding in one.findings:
            assert finding.message.isprintable()
            assert len(finding.message) <= 600
            assert not [word for word in jargon if word in finding.message], finding.message
            assert not re.search(r"\{\w+\}|\$\w", finding.message)  # nothing left to fill in
            assert not finding.message.endswith((".", ";", " "))


@pytest.mark.parametrize("name", PROFILES)
def test_every_rule_says_where_it_comes_from(name: str) -> None:
    profile = shipped(name)
    rules = [rule for guard in profile.guards for rule in guard.rules()]
    assert [rule.id for rule in rules if not rule.source] == []
    assert profile.source


SAYING = {"Mark", "Finding", "invalid", "required", "wrong_type", "_wrong", "_bad", "_value"}
"""What makes a text; a `yield from` of one counts as the text's own place."""


def texts(path: Path) -> set[int]:
    """The lines of a module on which a rule says something."""
    yields = (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Yield))
    calls = (n for n in yields if isinstance(n.value, ast.Call))
    return {n.lineno for n in calls if ast.unparse(n.value.func) in SAYING}


def test_every_text_of_a_rule_in_code_is_met_by_an_example() -> None:
    used = {c.use for guard in shipped("skyhook").guards for c in guard.checks}
    modules = {inspect.getsourcefile(CHECKS[name]) or "" for name in used}
    modules |= {str(path) for path in (ROOT / "webhook" / "specs").glob("*.py")}
    hit: set[tuple[str, int]] = set()

    def within(frame: FrameType, _event: str, _arg: object) -> Any:
        hit.add((frame.f_code.co_filename, frame.f_lineno))
        return within

    def entered(frame: FrameType, _event: str, _arg: object) -> Any:
        return within if frame.f_code.co_filename in modules else None

    profile = shipped("skyhook")
    known = samples(profile, rule_examples("skyhook"))
    catalog = Catalog.of([profile], usually=True)
    before = sys.gettrace()
    sys.settrace(entered)
    try:
        list(told(profile, catalog, known))
    finally:
        sys.settrace(before)
    said = {(module, line) for module in modules for line in texts(Path(module))}
    assert len(said) > 60
    assert sorted(said - hit) == []


def read(document: dict[str, Any]) -> list[Sample]:
    return samples(shipped("skyhook"), [document])


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"no-such-rule": {"denied": {}}}, "skyhook has no such rule"),
        ({"status": {"refused": {}}}, "'refused' is none of denied, warned, audited, passes"),
        ({"status": {"denied": {"neu": {}}}}, "'neu' is no part of an example"),
        ({"status": {"denied": {"by": "robot"}}}, "'robot' is no writer"),
    ],
)
def test_an_example_that_cannot_be_read_says_why(document: dict[str, Any], reason: str) -> None:
    with pytest.raises(RulebookError, match=reason):
        read(document)


def test_without_base_and_old_a_write_is_a_create() -> None:
    created, updated = read(
        {
            "status": {
                "passes": [{"new": {"spec.a": 1}}, {"old": {"spec.a": 1}, "new": {"spec.b": 2}}]
            }
        }
    )
    assert (created.old, created.request().operation) == (None, "CREATE")
    assert (updated.new, updated.request().operation) == ({"spec": {"a": 1, "b": 2}}, "UPDATE")


def test_an_example_says_part_kind_and_name() -> None:
    kinds = {g.match.kind for g in shipped("skyhook").guards}
    assert {"Skyhook", "Node"} <= kinds
    [sample] = read({"status": {"denied": {"part": "value", "new": {"metadata.name": "gpu"}}}})
    assert (sample.part, sample.why, sample.release, sample.by) == ("value", "", "", "")
    assert sample.request().name == "gpu"
    [plain] = read({"status": {"denied": {}}})
    assert (plain.part, plain.at, plain.request().name, plain.request().uid) == (
        "",
        "",
        "",
        "status-denied",
    )


def test_an_example_shows_the_findings_of_its_own_rule_or_part_alone() -> None:
    for one in judged("skyhook"):
        whole = f"skyhook.{one.sample.rule}"
        name = f"{whole}.{one.sample.part}" if one.sample.part else whole
        assert {finding.rule for finding in one.findings} <= {name}


def test_names_of_the_profile_are_filled_in_everywhere() -> None:
    for one in judged("nodewright"):
        text = f"{one.sample.old}{one.sample.new}{one.sample.at}{one.sample.why}"
        assert "$" not in text
        assert "skyhook.nvidia.com" not in text
