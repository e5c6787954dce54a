"""Evidence about Nodes; absent evidence never says that something is absent."""

from __future__ import annotations

import pytest

from webhook.core.evidence import GivenNodes, NoEvidence
from webhook.core.view import View

KEY = "skyhook.nvidia.com/status_gpu"


def node(**annotations):
    return View.of({"metadata": {"name": "n1", "annotations": annotations}})


def test_without_evidence_nothing_is_known_and_nothing_is_missing():
    nothing = NoEvidence()
    assert not nothing.knows("n1")
    assert not nothing.absent("n1")
    assert nothing.held("n1", KEY) == ()


@pytest.mark.parametrize(
    ("complete", "name", "knows", "absent"),
    [
        (True, "n1", True, False),
        (True, "n2", False, True),
        (False, "n1", True, False),
        (False, "n2", False, False),
    ],
)
def test_a_node_is_absent_only_where_all_were_given(complete, name, knows, absent):
    given = GivenNodes({"n1": (node(),)}, complete=complete)
    assert given.knows(name) is knows
    assert given.absent(name) is absent


def test_given_nodes_are_all_there_are_unless_said_otherwise():
    assert GivenNodes().absent("n1")


def test_the_values_an_annotation_held_come_oldest_first_with_none_where_it_was_absent():
    given = GivenNodes({"n1": (node(**{KEY: "waiting"}), node(), node(**{KEY: "complete"}))})
    assert [v and v.value for v in given.held("n1", KEY)] == ["waiting", None, "complete"]
    assert given.held("n2", KEY) == ()
