"""The compact tables of the skyhook profile say what skyhook.yaml says, edge for edge."""

from __future__ import annotations

from importlib.resources import files
from itertools import product

import pytest
import yaml

from tests.conftest import SHARED
from tests.lifecycle.skyhook import GUARDS, PREFIX, entry, judged, node, rules, skyhook
from webhook.core.writer import Writer
from webhook.documents import load_yaml

SOURCE = SHARED / "skyhook" / "skyhook.yaml"
PROFILES = files("webhook") / "profiles"
NODE = GUARDS["", "Node"][0].tracks
SKYHOOK = GUARDS[PREFIX, "Skyhook"][0].tracks
STATUSES = [
    "complete",
    "blocked",
    "waiting",
    "disabled",
    "paused",
    "in_progress",
    "erroring",
    "unknown",
]
OURS = {"documented": "normal", "rerun": "human"}
"""Classes of ours that are a part of one of the source's."""


@pytest.fixture(scope="module")
def source():
    if not SOURCE.exists():
        pytest.skip("the shared folder is not beside this clone")
    return yaml.safe_load(SOURCE.read_text())


def test_every_annotation_edge_has_the_class_it_has_in_the_source(source):
    theirs = {(e["from"], e["to"]): e["class"] for e in source["annotation_level"]["edges"]}
    ours = {pair: OURS.get(cls, cls) for pair, cls in NODE["node-package-step"].table.edges.items()}
    assert len(theirs) == 441
    # A CR that is gone while its uninstall pod finishes: the source lists the pair, not as an edge.
    assert {pair: cls for pair, cls in theirs.items() if ours.get(pair) != cls} == {}
    assert {pair for pair in ours if pair not in theirs} <= UNINSTALLED


UNINSTALLED = {
    ("uninstall/in_progress", "uninstall/complete"),
    ("uninstall/erroring", "uninstall/complete"),
}


def test_what_the_source_says_is_never_written_is_no_edge_of_ours(source):
    edges = NODE["node-package-step"].table.edges
    never = {(row["from"], to) for row in source["annotation_level"]["never"] for to in row["to"]}
    assert never & set(edges) <= UNINSTALLED


def test_every_edge_of_the_copy_has_the_class_it_has_in_the_source(source):
    theirs = {
        (old, new): cls
        for old, classes in source["status_level"]["edges"].items()
        for cls, targets in classes.items()
        for new in targets
    }
    ours = SKYHOOK["package-step"].table.edges
    assert {
        pair: (cls, ours.get(pair)) for pair, cls in theirs.items() if ours.get(pair) != cls
    } == {}
    assert {pair: cls for pair, cls in ours.items() if pair not in theirs} == {}


def test_the_words_are_those_of_the_source(source):
    body = load_yaml((PROFILES / "bodies" / "skyhook.yaml").read_bytes(), "skyhook.yaml")
    for name in ("statuses", "states", "stages"):
        assert sorted(body["words"][name]) == sorted(source[name])


@pytest.mark.parametrize("track", [NODE["node-package-step"], SKYHOOK["package-step"]])
def test_the_pairs_are_those_that_are_ever_written(source, track):
    pairs = {*source["written_pairs"]["operator"], *source["written_pairs"]["only_if_cr_gone"]}
    assert set(track.values) == pairs
    assert len(track.values) == 22


def test_the_node_status_table_is_the_sources(source):
    ours = set(NODE["node-status-annotation"].table.edges)
    rows = source["node_status"]["annotation_edges"]
    assert {(old, new) for old, row in rows.items() for new in row["allow"]} == ours
    assert not {(old, new) for old, row in rows.items() for new in row["deny"]} & ours


def test_the_documented_edges_walk_through_every_stage_with_and_without_interrupt():
    table = NODE["node-package-step"].table
    assert table.way("absent", "config/complete") == [
        "absent", "apply/in_progress", "apply/complete", "config/in_progress", "config/complete",
    ]  # fmt: skip
    assert table.way("upgrade/in_progress", "post-interrupt/complete") == [
        "upgrade/in_progress", "upgrade/complete", "config/in_progress", "config/complete",
        "interrupt/in_progress", "interrupt/complete", "post-interrupt/in_progress", "post-interrupt/complete",
    ]  # fmt: skip


NEVER_AT_FIRST = [
    "interrupt/in_progress",
    "post-interrupt/in_progress",
    "uninstall/in_progress",
    "interrupt/skipped",
    "uninstall/complete",
]
PAIRS = NODE["node-package-step"].values


def annotation(pair, writer=Writer.OPERATOR, old="apply/in_progress"):
    before = {} if old is None else {"foo|1.0": entry(old)}
    lower = {"foo|0.9": entry("config/complete", "foo|0.9")}
    return judged(node({**before, **lower}), node({"foo|1.0": entry(pair), **lower}), writer)


@pytest.mark.parametrize("writer", list(Writer))
@pytest.mark.parametrize("pair", NEVER_AT_FIRST)
def test_nobody_starts_a_package_in_the_middle(pair, writer):
    assert rules(annotation(pair, writer, old=None)) == ["deny node-package-step.entry"]


@pytest.mark.parametrize(
    "old", [p for p in PAIRS if p not in ("config/complete", "interrupt/skipped")]
)
def test_a_package_is_skipped_from_config_complete_only(old):
    assert rules(annotation("interrupt/skipped", old=old)) == ["deny node-package-step.edge"]
    assert annotation("interrupt/skipped", old="config/complete") == []


@pytest.mark.parametrize(
    "old", [p for p in PAIRS if not p.endswith("/complete") and p != "uninstall/in_progress"]
)
def test_an_uninstall_begins_from_a_complete_stage_only(old):
    expected = [] if old == "uninstall/erroring" else ["deny node-package-step.edge"]
    assert rules(annotation("uninstall/in_progress", old=old)) == expected


@pytest.mark.parametrize("target", ["interrupt/in_progress", "post-interrupt/in_progress"])
@pytest.mark.parametrize("old", PAIRS)
def test_the_operator_begins_an_interrupt_only_where_it_really_does_and_the_cli_anywhere(
    old, target
):
    if old == target:
        return
    own = {
        "interrupt/in_progress": ("config/complete", "interrupt/erroring"),
        "post-interrupt/in_progress": ("interrupt/complete",),
    }[target]
    by_operator = [] if old in own else ["deny node-package-step.edge"]
    by_person = [] if old in own else ["warn node-package-step.skip"]
    assert rules(annotation(target, Writer.OPERATOR, old)) == by_operator
    assert rules(annotation(target, Writer.PERSON, old)) == by_person
    assert annotation(target, Writer.UNKNOWN, old) == []


def test_an_illegal_annotation_step_says_what_is_legal_from_here():
    (finding,) = annotation("interrupt/skipped", Writer.PERSON)
    assert finding.message == (
        "cannot go from apply/in_progress to interrupt/skipped;"
        " legal from apply/in_progress: apply/complete, apply/erroring;"
        " to run a stage again use `kubectl skyhook package rerun`,"
        " to start the Node over `kubectl skyhook node reset`"
    )
    assert str(finding.field) == f"metadata.annotations[{PREFIX}/nodeState_gpu][foo|1.0]"


@pytest.mark.parametrize(("old", "new"), list(product([*STATUSES, None], STATUSES)))
def test_a_node_status_moves_as_c1_says(old, new):
    if old == new:
        return
    forbidden = {
        (None, "blocked"), ("unknown", "blocked"), ("paused", "blocked"), ("disabled", "blocked"),
        ("in_progress", "unknown"), ("erroring", "unknown"), ("blocked", "unknown"),
    }  # fmt: skip
    kind = "entry" if old is None else "edge"
    expected = [f"deny node-status-annotation.{kind}"] if (old, new) in forbidden else []
    for writer in Writer:
        assert rules(judged(node({}, status=old), node({}, status=new), writer)) == expected


@pytest.mark.parametrize("old", STATUSES)
def test_a_node_status_may_go_from_everywhere(old):
    assert judged(node({}, status=old), node({}), Writer.PERSON) == []


@pytest.mark.parametrize(("old", "new"), list(product(STATUSES, STATUSES)))
def test_every_overall_status_may_follow_every_other(old, new):
    done = {"nodeStatus": {}, "conditions": []}
    found = judged(skyhook(status=old, **done), skyhook(status=new, **done))
    assert rules(found) == []


@pytest.mark.parametrize("pair", [p for p in PAIRS if p != "apply/in_progress"])
def test_the_copy_of_a_new_node_may_show_any_pair(pair):
    old = skyhook(nodeState={})
    assert judged(old, skyhook(nodeState={"n1": {"foo|1.0": entry(pair)}})) == []


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("config/complete", "post-interrupt/in_progress", None),
        ("apply/in_progress", "config/in_progress", None),
        ("interrupt/skipped", "post-interrupt/in_progress", None),
        ("apply/in_progress", "post-interrupt/in_progress", None),
        ("apply/in_progress", "post-interrupt/complete", "warn"),
        ("uninstall/in_progress", "interrupt/skipped", "warn"),
    ],
)
def test_the_copy_may_skip_and_what_only_a_mixture_makes_warns(old, new, severity):
    found = judged(
        skyhook(nodeState={"n1": {"foo|1.0": entry(old)}}),
        skyhook(nodeState={"n1": {"foo|1.0": entry(new)}}),
    )
    assert rules(found) == ([] if severity is None else [f"{severity} package-step.skip"])
