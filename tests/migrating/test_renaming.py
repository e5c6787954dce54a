"""apiVersion and kind are renamed, and every other byte stays; what cannot be done is said, not guessed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.documents import dump_yaml, read_documents, to_json
from webhook.migrating.renaming import renamed

OLD = "skyhook.nvidia.com/v1alpha1"
NEW = "nodewright.nvidia.com/v1alpha1"

TEXTS = {
    "comments, order and quotes": (
        (
            '# ours\n"apiVersion" :  "skyhook.nvidia.com/v1alpha1"   # group\nmetadata:\n    name: gpu\n'
            "kind:   'Skyhook'\nspec:\n  nodeSelectors: {matchLabels: {skyhook.nvidia.com/pool: gpu}}\n"
        ),
        (
            '# ours\n"apiVersion" :  "nodewright.nvidia.com/v1alpha1"   # group\nmetadata:\n    name: gpu\n'
            "kind:   'NodeWright'\nspec:\n  nodeSelectors: {matchLabels: {skyhook.nvidia.com/pool: gpu}}\n"
        ),
    ),
    "line ends of Windows, no last line end": (
        f"apiVersion: {OLD}\r\nkind: Skyhook\r\nmetadata: {{name: a}}",
        f"apiVersion: {NEW}\r\nkind: NodeWright\r\nmetadata: {{name: a}}",
    ),
    "a byte order mark": (
        f"\ufeffapiVersion: {OLD}\nkind: Skyhook\n",
        f"\ufeffapiVersion: {NEW}\nkind: NodeWright\n",
    ),
    "many documents, others left alone": (
        (
            f"apiVersion: v1\nkind: Node\n---\napiVersion: {OLD}\nkind: DeploymentPolicy\n---\n"
            f"kind: Skyhook\napiVersion: example.com/v1\n...\n---\n{{kind: Skyhook, apiVersion: {OLD}}}\n"
        ),
        (
            f"apiVersion: v1\nkind: Node\n---\napiVersion: {NEW}\nkind: DeploymentPolicy\n---\n"
            f"kind: Skyhook\napiVersion: example.com/v1\n...\n---\n{{kind: NodeWright, apiVersion: {NEW}}}\n"
        ),
    ),
    "a List and a typed list": (
        (
            f"apiVersion: v1\nkind: List\nitems:\n- apiVersion: {OLD}\n  kind: Skyhook\n---\n"
            f"apiVersion: {OLD}\nkind: SkyhookList\nitems:\n- metadata: {{name: a}}\n- metadata: {{name: b}}\n"
        ),
        (
            f"apiVersion: v1\nkind: List\nitems:\n- apiVersion: {NEW}\n  kind: NodeWright\n---\n"
            f"apiVersion: {NEW}\nkind: NodeWrightList\nitems:\n- metadata: {{name: a}}\n- metadata: {{name: b}}\n"
        ),
    ),
    "JSON without a space": (
        f'{{"apiVersion":"{OLD}","kind":"Skyhook","n":12345678901234567890,"f":1.0}}\n',
        f'{{"apiVersion":"{NEW}","kind":"NodeWright","n":12345678901234567890,"f":1.0}}\n',
    ),
    "a manifest within a text is a person's": (
        f"apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: |\n    apiVersion: {OLD}\n    kind: Skyhook\n",
        f"apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: |\n    apiVersion: {OLD}\n    kind: Skyhook\n",
    ),
    "a value on the next line": (
        f"apiVersion:\n  {OLD}\nkind:\n  Skyhook\n",
        f"apiVersion:\n  {NEW}\nkind:\n  NodeWright\n",
    ),
}


@pytest.mark.parametrize("why", TEXTS)
def test_all_else_stays_to_the_byte(why: str) -> None:
    before, after = TEXTS[why]
    found = renamed(before.encode(), "a.yaml")
    assert found.text.encode() == after.encode()
    assert not found.stuck
    assert renamed(found.text.encode(), "a.yaml").changes == ()


def test_changes_say_where_they_are() -> None:
    found = renamed(TEXTS["many documents, others left alone"][0].encode(), "a.yaml")
    told = [(c.line, c.field, c.old, c.new) for c in found.changes]
    assert told == [
        (4, "apiVersion", OLD, NEW),
        (11, "kind", "Skyhook", "NodeWright"),
        (11, "apiVersion", OLD, NEW),
    ]
    assert found.objects == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"x: &v {OLD}\n---\n# an alias\napiVersion: *v\nkind: Skyhook\n", None),
        (f"base: &b {{apiVersion: {OLD}, kind: Skyhook}}\n<<: *b\nmetadata: {{name: a}}\n", 1),
    ],
)
def test_what_cannot_be_cut_out_is_left_as_it_is(text: str, line: int | None) -> None:
    found = renamed(text.encode(), "a.yaml")
    assert found.text == text
    assert found.changes == ()
    assert found.stuck == ((line,) if line else ())


@pytest.mark.parametrize(
    "text",
    [
        f"apiVersion: {OLD}\nkind: Skyhook\nmetadata:\n  name: {{{{ .Values.name }}}}\n",
        f"{{{{- if .Values.on }}}}\napiVersion: {OLD}\nkind: Skyhook\n{{{{- end }}}}\n",
        "\tno yaml: [",
    ],
)
def test_a_template_is_no_yaml_and_is_left_as_it_is(text: str) -> None:
    found = renamed(text.encode(), "a.yaml")
    assert found.text == text
    assert found.unreadable is not None


def test_what_is_no_text_is_said_to_be_none() -> None:
    assert renamed(b"kind: Skyhook\n\xff", "a.yaml").unreadable == (2, "this is not UTF-8")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("aks: #'\"\n{}-&*", max_size=8),
    lambda kids: (
        st.lists(kids, max_size=3)
        | st.dictionaries(st.text("abkind", min_size=1, max_size=5), kids, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["Skyhook", "DeploymentPolicy", "Node"]), VALUES, VALUES, st.booleans())
def test_any_object_says_the_same_under_its_new_name(
    kind: str, spec: Any, metadata: Any, as_json: bool
) -> None:
    value = {"metadata": metadata, "kind": kind, "spec": spec, "apiVersion": OLD}
    text = to_json(value) if as_json else dump_yaml(value).encode()
    found = renamed(text, "a.yaml")
    [now] = read_documents(found.text.encode(), "a.yaml")
    known = kind != "Node"
    new = {"kind": "NodeWright" if kind == "Skyhook" else kind, "apiVersion": NEW if known else OLD}
    assert now.value == value | new
    assert len(found.text) - len(text.decode()) == 3 * (known + (kind == "Skyhook"))
