"""Mermaid and DOT of every track that comes with us."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.drawing.test_graph import every_graph, of
from webhook.drawing.diagrams import dot, left_out, mermaid, remarks, shown

if TYPE_CHECKING:
    from webhook.drawing.graph import Graph

END = r"(?:\[\*\]|v_\w+)"
MERMAID = re.compile(
    rf'stateDiagram-v2|  %% .+|  state "[^"]+" as v_\w+|  {END} --> {END} : [\w-]+'
    r"|  note right of v_\w+|    .+|  end note"
)


@every_graph
def test_mermaid_declares_every_value_and_every_line_is_of_its_grammar(graph: Graph) -> None:
    lines = list(mermaid(graph))
    assert [line for line in lines if not MERMAID.fullmatch(line)] == []
    declared = re.findall(r'state "([^"]+)" as (v_\w+)', "\n".join(lines))
    assert [name for name, _ in declared] == list(graph.values)
    ids = {v for _, v in declared}
    assert len(ids) == len(declared)  # no two values share an id
    arrows = re.findall(rf"({END}) --> ({END})", "\n".join(lines))
    assert len(arrows) == len(shown(graph))
    assert {end for arrow in arrows for end in arrow} <= {*ids, "[*]"}


@every_graph
def test_dot_names_every_value_and_step(graph: Graph) -> None:
    text = "\n".join(dot(graph))
    assert text.count(" -> ") - text.count(" -> ", 0, text.find(";")) >= len(shown(graph))
    for value in graph.values:
        assert f'  "{value}";' in text
    assert text.count('"') % 2 == 0


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not here")
@every_graph
def test_graphviz_reads_it(graph: Graph) -> None:
    done = subprocess.run(
        ["dot", "-Tcanon"], input="\n".join(dot(graph)), text=True, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_one_class_is_drawn_unless_others_are_named_and_the_rest_is_said() -> None:
    graph = of("skyhook.node-package-step")
    steps = shown(graph)
    assert {step.cls for step in steps} == {"documented"}
    assert left_out(graph, steps) == ["normal", "recovery", "human", "rerun", "race"]
    assert {s.cls for s in shown(graph, frozenset({"human", "race"}))} == {"human", "race"}
    assert "steps of the classes normal, recovery" in "\n".join(mermaid(graph))


@pytest.mark.parametrize("form", [mermaid, dot])
def test_words_that_are_no_values_are_said_in_the_picture(form) -> None:
    text = "\n".join(form(of("skyhook.node-package-step")))
    assert text.count("cordon: cordoning happens before a stage") == 1
    assert text.count("config-check: the check is part of the stage config") == 1


def test_of_words_that_may_follow_each_other_it_is_said() -> None:
    graph = of("skyhook.status")
    assert remarks(graph, []) == ["any of them may follow any other"]
