"""Patches as the API server applies them."""

from __future__ import annotations

from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.replaying.patching import PatchError, patched

KEYS = st.sampled_from(["a", "b/c", "d~e", "", "0"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda kids: st.lists(kids, max_size=3) | st.dictionaries(KEYS, kids, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


@given(OBJECTS, OBJECTS)
def test_a_json_patch_made_by_a_library_leads_where_it_should(old: Any, new: Any) -> None:
    assert patched(old, jsonpatch.make_patch(old, new).patch) == new


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/list/-", "value": 3}, {"list": [1, 2, 3], "map": {"x": 1}}),
        ({"op": "add", "path": "/list/0", "value": 0}, {"list": [0, 1, 2], "map": {"x": 1}}),
        ({"op": "copy", "from": "/map", "path": "/list"}, {"list": {"x": 1}, "map": {"x": 1}}),
        ({"op": "move", "from": "/map/x", "path": "/y"}, {"list": [1, 2], "map": {}, "y": 1}),
        ({"op": "test", "path": "/map/x", "value": 1}, {"list": [1, 2], "map": {"x": 1}}),
        ({"op": "replace", "path": "", "value": {}}, {}),
        ({"op": "remove", "path": "/list/1"}, {"list": [1], "map": {"x": 1}}),
    ],
)
def test_operations_one_by_one(operation: Any, expected: Any) -> None:
    old = {"list": [1, 2], "map": {"x": 1}}
    assert patched(old, [operation]) == expected
    assert old == {"list": [1, 2], "map": {"x": 1}}, "what was is left alone"


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "test", "path": "/map/x", "value": True}],
        [{"op": "remove", "path": "/none"}],
        [{"op": "replace", "path": "/none", "value": 1}],
        [{"op": "add", "path": "/list/9", "value": 1}],
        [{"op": "remove", "path": "/list/2"}],
        [{"op": "remove", "path": "/list/-1"}],
        [{"op": "add", "path": "/map/x/y", "value": 1}],
        [{"op": "add", "path": "map", "value": 1}],
        [{"op": "add", "value": 1}],
        [{"op": "eat", "path": "/map"}],
        ["x"],
        "x",
        None,
    ],
)
def test_what_does_not_apply_is_said(patch: Any) -> None:
    with pytest.raises(PatchError):
        patched({"list": [1, 2], "map": {"x": 1}}, patch)


@pytest.mark.parametrize(  # RFC 7396, appendix A
    ("old", "patch", "new"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patches(old: Any, patch: Any, new: Any) -> None:
    assert patched(old, patch) == new


def test_a_nodes_conditions_are_merged_by_type_as_the_strategic_patch_does() -> None:
    old = {"conditions": [{"type": "A", "status": "True"}, {"type": "B", "status": "True"}]}
    patch = {
        "$setElementOrder/conditions": [{"type": "B"}, {"type": "C"}],
        "conditions": [
            {"type": "B", "status": "False"},
            {"type": "C", "status": "True"},
            {"type": "A", "$patch": "delete"},
        ],
    }
    new = {"conditions": [{"type": "B", "status": "False"}, {"type": "C", "status": "True"}]}
    assert patched({"status": old}, {"status": patch}, node=True) == {"status": new}
    assert patched(old, {"conditions": []}) == {"conditions": []}, "elsewhere a list is replaced"
    with pytest.raises(PatchError):
        patched(old, {"conditions": [1]}, node=True)
