"""`explain RULE`: where it stands, where it comes from, and what really becomes of its examples."""

from __future__ import annotations

import pytest

from tests.reviews.test_rulebook import judged
from webhook.catalog import PROFILES, shipped
from webhook.drawing.ruling import rule_text

RULES = [
    pytest.param(name, rule.id, id=f"{name}.{rule.id}")
    for name in PROFILES
    for guard in shipped(name).guards
    for rule in guard.rules()
]


def text(rule: str) -> list[str]:
    name = rule.partition(".")[0]
    return rule_text(shipped(name), rule, judged(name))


@pytest.mark.parametrize(("profile", "rule"), RULES)
def test_every_rule_is_told_with_its_source_and_examples(profile: str, rule: str) -> None:
    lines = text(f"{profile}.{rule}")
    assert lines[0].startswith(f"{profile}.{rule}  (for ")
    assert any(line.startswith("  source: NVIDIA/nodewright, operator 0.16: ") for line in lines)
    kinds = {line.split()[0].rstrip(",") for line in lines if ", for example" in line}
    assert "passes" in kinds
    assert kinds & {"denied", "warned", "noted"}
    marks = ("* ", "Warning: ", "log: ")
    assert any(line.strip().startswith(marks) and f"({profile}.{rule}" in line for line in lines)


def test_a_part_of_a_rule_shows_its_own_examples_only() -> None:
    edges = "\n".join(text("skyhook.node-package-step.edge"))
    assert "(skyhook.node-package-step.edge)" in edges
    assert "(skyhook.node-package-step.value)" not in edges
    assert "passes, for example" in edges


def test_a_long_write_is_cut_and_says_so() -> None:
    lines = text("skyhook.complete-needs-nodes")
    assert all(len(line) < 700 for line in lines)


@pytest.mark.parametrize("rule", ["skyhook.none", "skyhook.", "skyhook.complete"])
def test_a_rule_that_is_not_there_is_told_nothing(rule: str) -> None:
    assert rule_text(shipped("skyhook"), rule) == []
