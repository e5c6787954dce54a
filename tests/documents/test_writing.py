"""What we write reads back as the same value, here and in YAML readers of other people."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.documents import dump_yaml, load_yaml, read_documents, to_json
from webhook.documents.scalars import whole

TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["yes", "n", "1.10", "010", "1e3", "0o17", "08", "12:30:45", "2026-01-01", "<<", "=", "", "~", "null",
     "- a", "a: b", "# c", " x", "x ", "a\nb", "a\n\nb\n", "a \nb", " a\nb", "a\n\n", "\n", "x\r\ny", "\ta",
     "a\tb", ".inf", "1_000", "0x1F", "|", ">", "%", "@", "`", "'", '"', "{{ x }}", "---", "...", "\u2028",
     "\x85", "\ufeff", "a\u2028b\nc", "+1", "-", "?", ":", "!", "&a", "*a", "k" * 200, "w " * 100]
)  # fmt: skip
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(whole)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)


def kubectl_reads(text: str) -> Any:
    documents = list(read_documents(text.encode(), "<dumped>"))
    assert not any(document.problems for document in documents)
    return [document.value for document in documents]


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(TEXT, VALUES, min_size=1, max_size=4))
def test_what_is_dumped_reads_back_as_it_was(value: Any) -> None:
    text = dump_yaml(value)
    assert kubectl_reads(text) == [value]
    assert load_yaml(text, "s") == value
    assert dump_yaml(load_yaml(text, "s")) == text


@settings(deadline=None, max_examples=60)
@given(VALUES)
def test_json_reads_back_as_it_was(value: Any) -> None:
    assert json.loads(to_json(value)) == value
    if isinstance(value, dict) and not isinstance(value.get("items"), list):
        assert kubectl_reads(to_json(value).decode()) == [value]


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(TEXT, TEXT))
def test_other_readers_of_yaml_read_the_same_text(value: dict[str, str]) -> None:
    assert yaml.safe_load(dump_yaml(value)) == value


def test_the_layout_is_the_one_that_kubectl_prints() -> None:
    value = {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "data": {"on": "yes", "script": "set -e\necho hi\n", "long": "word " * 60},
        "list": [{"name": "a", "value": [1, 2.5, None, True]}, []],
        "none": {},
    }
    assert dump_yaml(value).replace("word " * 60, "W") == (
        "kind: ConfigMap\napiVersion: v1\ndata:\n"
        '  "on": "yes"\n  script: |\n    set -e\n    echo hi\n'
        "  long: 'W'\n"
        "list:\n- name: a\n  value:\n  - 1\n  - 2.5\n  - null\n  - true\n- []\nnone: {}\n"
    )


def test_shared_parts_become_no_anchors() -> None:
    part = {"a": [1]}
    assert dump_yaml({"x": part, "z": part}) == "x:\n  a:\n  - 1\nz:\n  a:\n  - 1\n"


def test_json_is_compact_and_keeps_the_order_and_big_integers() -> None:
    assert to_json({"b": 2**80, "a": ["é", 1.5, None]}) == (
        f'{{"b":{2**80},"a":["é",1.5,null]}}'.encode()
    )


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan]])
@pytest.mark.parametrize("write", [to_json, dump_yaml])
def test_numbers_that_json_has_not_are_refused(write: Any, value: Any) -> None:
    with pytest.raises(ValueError):
        write({"a": value})


@pytest.mark.parametrize("write", [to_json, dump_yaml])
def test_lone_surrogates_are_refused(write: Any) -> None:
    with pytest.raises(ValueError):
        write({"a": "\ud800"})


@pytest.mark.parametrize("write", [to_json, dump_yaml])
def test_what_is_no_json_type_is_refused(write: Any) -> None:
    with pytest.raises(TypeError):
        write({"a": object()})


def test_nesting_beyond_python_is_a_value_error() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    with pytest.raises(ValueError, match="nested"):
        to_json(value)
