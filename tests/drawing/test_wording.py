"""Places, sources and writes in words."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.catalog import shipped
from webhook.drawing.wording import changes, place, source_of


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("status.status", "status.status"),
        ("status.nodeState.*.*", "status.nodeState[*][*]"),
        ("status.conditions[Ready].status", "status.conditions[Ready].status"),
        ('a."x.io/s_{skyhook}"|json."{package}|{version}"', "a[x.io/s_<skyhook>][<package>|<version>]"),
    ],
)  # fmt: skip
def test_a_place_is_spelled_as_findings_spell_it(path: str, text: str) -> None:
    assert place(path) == text


@pytest.mark.parametrize(
    ("short", "text"),
    [
        ("T:782 (I01)", "operator/api/v1alpha1/skyhook_types.go:782"),
        ("CS:1190 (I16; the finalizer lets go)", "operator/internal/controller/cluster_state_v2.go:1190 (the finalizer lets go)"),
        ("every pair (it is reachable; I01)", "every pair (it is reachable)"),
        ("(I36, I37)", ""),
        ("the CRD", "the CRD"),
    ],
)  # fmt: skip
def test_a_source_names_whole_files_and_no_number_of_ours(short: str, text: str) -> None:
    assert source_of(shipped("skyhook"), short) == text


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["a: 1 -> 2"]),
        ({"status": {"nodeStatus": {"n1": "x"}}}, {"status": {"nodeStatus": {"n1": "y"}}},
         ['status.nodeStatus[n1]: "x" -> "y"']),
        ({"a": {"b": 1, "c": 2}}, {}, ['a: {"b": 1, "c": 2} -> absent']),
        ({"c": [{"type": "T", "s": 1}]}, {"c": [{"type": "T", "s": 2}]}, ["c[T].s: 1 -> 2"]),
        ({"t": '{"p|1": {"s": 1}}'}, {"t": '{"p|1": {"s": 2}}'}, ["t[p|1].s: 1 -> 2"]),
        ({"t": '{"p|1": 1}'}, {"t": "{broken"}, ['t: "{"p|1": 1}" -> "{broken"']),
        ({"l": [1]}, {"l": [2]}, ["l: [1] -> [2]"]),
        (None, {"a": {"b": 1}, "l": []}, ["a.b: 1", "l: []"]),
    ],
)  # fmt: skip
def test_a_write_is_told_by_its_smallest_differences(old: Any, new: Any, lines: list[str]) -> None:
    assert changes(old, new) == lines
