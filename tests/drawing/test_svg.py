"""SVG of every track: whole, nothing outside of it, nothing on top of anything, dark and light."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from tests.drawing.test_graph import every_graph, of
from webhook.drawing.diagrams import shown
from webhook.drawing.flow import BOX_HIGH, MOST_STEPS, layout
from webhook.drawing.graph import START, Graph
from webhook.drawing.svg import svg

NAME = "{http://www.w3.org/2000/svg}"


def drawn(graph: Graph, *classes: str) -> ET.Element:
    return ET.fromstring("\n".join(svg(graph, frozenset(classes))))


def texts(root: ET.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{NAME}text")]


@every_graph
def test_a_picture_names_place_values_and_classes(graph: Graph) -> None:
    said = texts(drawn(graph))
    assert said[0] == graph.title
    assert graph.rule in said[1]
    assert set(graph.values) <= set(said)
    for name in {step.cls for step in graph.steps}:
        assert any(re.match(rf"\d {name}\b", line) for line in said)
    for word, note in graph.notes.items():
        assert [line for line in said if line.strip() == f"{word}: {note}"] != []


@every_graph
def test_the_table_has_a_cell_for_every_step(graph: Graph) -> None:
    root = drawn(graph)
    cells = [e for e in root.iter(f"{NAME}rect") if (e.get("class") or "").startswith("cell")]
    titles = {"".join(cell.itertext()) for cell in cells}
    assert len(cells) == len(graph.steps)
    assert {title.partition(": ")[0] for title in titles} == {
        f"{step.old} -> {step.new}" for step in graph.steps
    }


@every_graph
def test_nothing_is_drawn_outside_of_the_paper(graph: Graph) -> None:
    root = drawn(graph)
    width, height = float(root.get("width") or 0), float(root.get("height") or 0)
    for group in [root, *root.findall(f"{NAME}g")]:
        dx, dy = map(float, re.findall(r"[\d.]+", group.get("transform") or "0 0")[:2])
        for element in group.findall(f"{NAME}rect"):
            x, y = float(element.get("x") or 0) + dx, float(element.get("y") or 0) + dy
            if "transform" not in element.attrib:
                assert 0 <= x <= x + float(element.get("width") or 0) <= width
                assert 0 <= y <= y + float(element.get("height") or 0) <= height
        for element in group.findall(f"{NAME}text"):
            if element.get("x") and not element.get("text-anchor"):
                assert float(element.get("x") or 0) + dx + 7.6 * len(element.text or "") <= width


@every_graph
def test_boxes_stand_apart_and_arrows_start_and_end_at_one(graph: Graph) -> None:
    steps = shown(graph) if len(shown(graph)) <= MOST_STEPS else []
    flow = layout(graph, steps)
    centres = {name: at for name, at in flow.centres.items() if name != START}
    for name, (x, y) in centres.items():
        for other, (x2, y2) in centres.items():
            assert name == other or abs(x - x2) >= flow.wide or abs(y - y2) >= BOX_HIGH
    assert set(flow.paths) == {(step.old, step.new) for step in steps}
    for (old, new), path in flow.paths.items():
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path)]
        for end, (x, y) in ((old, numbers[:2]), (new, numbers[-2:])):
            cx, cy = flow.centres[end]
            assert abs(x - cx) <= flow.wide / 2 + 8, (old, new)
            assert abs(y - cy) <= BOX_HIGH / 2 + 8, (old, new)


def test_stages_stand_in_the_order_in_which_they_lead_to_each_other() -> None:
    graph = of("skyhook.node-package-step")
    flow = layout(graph, shown(graph))
    order = ["apply", "upgrade", "config", "interrupt", "post-interrupt", "uninstall"]
    heights = [flow.centres[f"{stage}/in_progress"][1] for stage in order]
    assert all(above < below for above, below in pairwise(heights))


def test_a_reader_who_likes_it_dark_gets_it_dark() -> None:
    style = drawn(of("skyhook.node-package-step")).findtext(f"{NAME}style") or ""
    light, _, dark = style.partition("@media(prefers-color-scheme:dark)")
    assert ".paper{fill:#ffffff}" in light
    assert ".paper{fill:#14161a}" in dark
    for number in range(6):
        assert f".f{number}{{" in light
        assert f".f{number}{{" in dark


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two #rrggbb colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        red, green, blue = (
            p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("part", [0, 1])
def test_lines_and_words_stand_out_from_the_paper(part: int) -> None:
    style = drawn(of("skyhook.node-package-step")).findtext(f"{NAME}style") or ""
    sheet = style.split("@media(prefers-color-scheme:dark)")[part]
    paper = re.findall(r"\.paper\{fill:(#\w{6})\}", sheet)[0]
    inks = re.findall(r"(?:\.ink|\.s\d)\{(?:fill|stroke):(#\w{6})\}", sheet)
    assert len(inks) == 7
    assert min(contrast(ink, paper) for ink in inks) >= 4.5


def test_only_the_classes_asked_for_are_drawn() -> None:
    said = texts(drawn(of("skyhook.node-package-step"), "human"))
    assert [line for line in said if re.match(r"\d \w", line)] == [
        "1 human: kubectl skyhook package rerun, or a hand (warns people and nodes)"
    ]


def test_it_says_who_may_not() -> None:
    said = texts(drawn(of("skyhook.package-step")))
    for line in (
        "people and nodes are denied every change: only the operator writes this",
        "other service accounts are told about every change: only the operator writes this",
        "3 mirror_only: only a mixture of two copies looks like this (warns the operator)",
    ):
        assert line in said
    said = texts(drawn(of("machine-controller-manager.phase")))
    assert "2 skip: legal, but unusual (warns everybody)" in said
