"""Lists are opened, and every item knows its own problems and places."""

from __future__ import annotations

from webhook.documents import Document, read_documents

LIST = """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: other}
- kind: Skyhook
  metadata:
    name: second
    name: third
- apiVersion: v1
  kind: List
  items:
  - {kind: Node, metadata: {name: a}}
  - {kind: Node, metadata: {name: 1.10}}
"""


def read(text: str) -> list[Document]:
    return list(read_documents(text.encode(), "a.yaml"))


def test_items_are_documents_numbered_through_inner_lists() -> None:
    documents = read("x: 1\n---\n" + LIST + "---\nz: 1\n")
    assert [(d.index, d.item) for d in documents] == [
        (0, None), (1, 0), (1, 1), (1, 2), (1, 3), (2, None),
    ]  # fmt: skip
    assert [d.value.get("kind") for d in documents[1:5]] == ["ConfigMap", "Skyhook", "Node", "Node"]


def test_places_and_written_text_are_those_of_the_item() -> None:
    documents = read(LIST)
    assert [str(d.position()) for d in documents] == ["4:3", "7:3", "14:5", "15:5"]
    assert str(documents[1].position(("metadata", "name"))) == "10:5"
    assert documents[3].written(("metadata", "name")) == "1.10"
    (problem,) = documents[1].problems
    assert (str(problem.position), problem.path) == ("10:5", ("metadata", "name"))


def test_items_of_a_typed_list_get_their_kind_from_it() -> None:
    text = "apiVersion: s/v1\nkind: SkyhookList\nitems: [{metadata: {name: a}}, {kind: X, apiVersion: b}]\n"
    first, second = read(text)
    assert first.value == {"apiVersion": "s/v1", "kind": "Skyhook", "metadata": {"name": "a"}}
    assert second.value == {"kind": "X", "apiVersion": "b"}
    assert str(first.position(("metadata",))) == "3:10"


def test_a_plain_list_gives_no_kind() -> None:
    (document,) = read("kind: List\nitems: [{metadata: {name: a}}]\n")
    assert document.value == {"metadata": {"name": "a"}}


def test_a_null_item_is_an_error() -> None:
    first, second = read("kind: List\nitems:\n- a: 1\n-\n")
    assert first.problems == ()
    assert not second.readable
    assert str(second.problems[0].position) == "4:2"


def test_a_problem_outside_the_items_stays_with_the_list() -> None:
    whole, item = read("kind: List\nkind: PodList\nitems: [{kind: Pod}]\n")
    assert (whole.item, whole.value) == (None, {"kind": "PodList", "items": []})
    assert [p.path for p in whole.errors] == [("kind",)]
    assert item.problems == ()
    assert item.item == 0


def test_only_a_kind_that_ends_in_list_with_items_is_a_list() -> None:
    for text in (
        "kind: Thing\nitems: [1]\n",
        "kind: List\nitems: {}\n",
        "items: [1]\n",
        "kind: 1\n",
    ):
        (document,) = read(text)
        assert document.item is None
    assert read("kind: List\nitems: []\n") == []


def test_warnings_are_no_errors() -> None:
    (document,) = read("on: 1\n")
    assert document.errors == ()
    assert len(document.problems) == 1
