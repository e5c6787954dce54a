"""Objects written short: paths laid over a whole object."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webhook.lifecycle.path import PathError
from webhook.reviews.overlay import overlaid

READY = {"type": "Ready", "status": "True"}
BASE: dict[str, Any] = {"a": {"b": 1}, "c": [READY], "t": '{"p|1": {"stage": "apply"}}'}


@pytest.mark.parametrize(
    ("over", "changed"),
    [
        ({"a.b": 2}, {"a": {"b": 2}}),
        ({"a.x": 2}, {"a": {"b": 1, "x": 2}}),
        ({"a.b.c": 2}, {"a": {"b": {"c": 2}}}),
        ({"a": None}, {"a": None}),
        ({"a.b": None}, {"a": {}}),
        ({"new.deep": 1}, {"new": {"deep": 1}}),
        ({"c[Ready].status": "False"}, {"c": [{**READY, "status": "False"}]}),
        ({"c[Other].status": "True"}, {"c": [READY, {"type": "Other", "status": "True"}]}),
        ({"c[Ready]": None}, {"c": []}),
        ({'t|json."p|1".stage': "config"}, {"t": json.dumps({"p|1": {"stage": "config"}})}),
        ({"u|json.k": 1}, {"u": '{"k": 1}'}),
    ],
)
def test_a_path_leads_through_keys_types_and_json(over: dict[str, Any], changed: Any) -> None:
    expected = {k: v for k, v in {**BASE, **changed}.items() if v is not None}
    assert overlaid(BASE, over) == expected


def test_the_base_stays_as_it_is() -> None:
    before = json.dumps(BASE)
    overlaid(BASE, {"a.b": 7, "c[Ready].status": "x", 't|json."p|1"': None})["a"]["b"] = 8
    assert json.dumps(BASE) == before


@pytest.mark.parametrize("path", ["a.*", "c[*].status", 'a."x/{name}"'])
def test_a_path_that_leads_to_several_places_is_none(path: str) -> None:
    with pytest.raises(PathError, match="keys only"):
        overlaid(BASE, {path: 1})
