"""A track as a graph says of every pair what the engine would."""

from __future__ import annotations

import pytest

from webhook.catalog import MORE_PROFILES, PROFILES, shipped
from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.drawing.graph import REMOVAL, START, WRITERS, Graph, graphs

EVERY = [graph for name in (*PROFILES, *MORE_PROFILES) for graph in graphs(shipped(name))]
every_graph = pytest.mark.parametrize("graph", EVERY, ids=lambda graph: graph.rule)


def of(rule: str) -> Graph:
    return next(graph for graph in EVERY if graph.rule == rule)


@every_graph
def test_no_step_is_told_twice_and_each_ends_at_a_value(graph: Graph) -> None:
    pairs = [(step.old, step.new) for step in graph.steps]
    assert len(set(pairs)) == len(pairs)
    assert {end for pair in pairs for end in pair} <= {START, *graph.values}
    assert graph.free == (not graph.steps)


@every_graph
def test_onward_and_never_share_out_all_values(graph: Graph) -> None:
    for value in graph.values:
        onward = [step.new for step in graph.onward(value) if step.new != START]
        assert not set(onward) & set(graph.never(value))
        if not graph.free:
            assert {*onward, *graph.never(value), value} == set(graph.values)


def test_steps_come_class_by_class_in_the_order_of_the_profile() -> None:
    classes = list(dict.fromkeys(s.cls for s in of("skyhook.node-package-step").steps))
    assert classes == ["documented", "normal", "recovery", "human", "rerun", "race"]


@pytest.mark.parametrize(
    ("old", "new", "verdicts"),
    [
        ("config/complete", "interrupt/in_progress", "allow allow allow"),
        ("config/complete", "apply/in_progress", "allow allow warn"),
        ("config/complete", "post-interrupt/in_progress", "deny allow warn"),
    ],
)
def test_the_verdict_depends_on_the_writer(old: str, new: str, verdicts: str) -> None:
    graph = of("skyhook.node-package-step")
    step = next(s for s in graph.onward(old) if s.new == new)
    assert " ".join(graph.verdict(step, writer).value for writer in WRITERS) == verdicts


def test_a_place_that_one_writer_owns_says_what_becomes_of_the_others() -> None:
    assert of("skyhook.package-step").owners == {
        Writer.SERVICE_ACCOUNT: Severity.WARN,
        Writer.PERSON: Severity.DENY,
    }
    assert of("skyhook.node-package-step").owners == {}


def test_a_value_that_may_go_is_a_step_even_where_no_table_says_so() -> None:
    graph = of("olm-operatorcondition.upgradeable")
    gone = [step for step in graph.steps if step.new == START]
    assert {step.cls for step in gone} == {REMOVAL}
    assert {graph.verdict(step, Writer.OPERATOR) for step in gone} == {graph.removal}


def test_a_release_that_nobody_recorded_is_not_certain() -> None:
    assert of("skyhook.status").certain
    assert not of("nodewright.status").certain
