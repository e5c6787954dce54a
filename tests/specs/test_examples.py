"""Each spec rule denies its example and lets the other one pass; no rule is without examples."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from tests.specs import write
from webhook.catalog import shipped
from webhook.documents import load_yaml
from webhook.specs import SPEC_CHECKS

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

EXAMPLES: dict[str, Any] = load_yaml(
    (files("webhook.specs") / "examples.yaml").read_bytes(), "examples.yaml"
)


def spec_rules() -> list[str]:
    guards = shipped("skyhook").guards
    return [c.id for guard in guards for c in guard.checks if c.use in SPEC_CHECKS]


def judged(engine: Engine, example: dict[str, Any]) -> Any:
    kind = example.get("kind", "Skyhook")
    return write.judge(engine, example["new"], example.get("old"), kind=kind)


def test_every_spec_rule_has_examples_and_every_check_is_used() -> None:
    assert sorted(EXAMPLES) == sorted(spec_rules())
    used = {c.use for g in shipped("skyhook").guards for c in g.checks}
    assert set(SPEC_CHECKS) <= used


@pytest.mark.parametrize("rule", [r for r in EXAMPLES if "denied" in EXAMPLES[r]])
def test_the_denied_example_is_denied_by_its_rule_alone(engine: Engine, rule: str) -> None:
    example = EXAMPLES[rule]["denied"]
    verdict = judged(engine, example)
    assert [(f.rule, str(f.field)) for f in verdict.denied] == [(f"skyhook.{rule}", example["at"])]


@pytest.mark.parametrize("rule", [r for r in EXAMPLES if "warned" in EXAMPLES[r]])
def test_the_warned_example_is_allowed_with_its_warning(engine: Engine, rule: str) -> None:
    example = EXAMPLES[rule]["warned"]
    verdict = judged(engine, example)
    assert verdict.allowed
    assert [(f.rule, str(f.field)) for f in verdict.warned] == [(f"skyhook.{rule}", example["at"])]


@pytest.mark.parametrize("rule", EXAMPLES)
def test_the_passing_example_has_no_findings(engine: Engine, rule: str) -> None:
    assert not judged(engine, EXAMPLES[rule]["passes"]).findings


@pytest.mark.parametrize("rule", EXAMPLES)
def test_messages_stand_alone_on_one_short_line(engine: Engine, rule: str) -> None:
    for name in ("denied", "warned"):
        example = EXAMPLES[rule].get(name)
        for finding in judged(engine, example).findings if example else ():
            assert finding.message.isprintable()
            assert len(finding.message) <= 250
