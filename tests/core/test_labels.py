"""Names, label keys and label values are legal exactly where apimachinery says so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.oracle.questions import ANSWERS, load
from webhook.core.labels import selects, wrong_with_domain, wrong_with_key, wrong_with_value


def test_names_agree_with_gos_own() -> None:
    asked = load(ANSWERS, "name")
    assert len(asked) >= 200
    for question in asked:
        legal = wrong_with_domain(question["text"]) is None
        assert legal == question["answer"]["ok"], question


def test_reasons_say_what_is_legal() -> None:
    assert wrong_with_key("a/b/c") == "may hold one / at most"
    assert wrong_with_key("Example.com/x") == (
        "the part before the / must be small letters, digits, - and .,"
        " every part beginning and ending with a letter or digit"
    )
    assert (
        wrong_with_key("x/" + "a" * 64)
        == "the part behind the / has 64 characters; 63 are the most"
    )
    assert wrong_with_value("a b") == (
        "must be empty, or letters, digits, -, _ and ., beginning and ending with a letter or digit"
    )
    assert wrong_with_value("") is None


NODE = {"pool": "gpu", "zone": "a", "empty": ""}


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({}, True),
        ({"matchLabels": {"pool": "gpu", "zone": "a"}}, True),
        ({"matchLabels": {"pool": "gpu", "zone": "b"}}, False),
        ({"matchLabels": {"empty": None}}, True),
        ({"matchLabels": {"missing": None}}, False),
        ({"matchExpressions": [{"key": "pool", "operator": "In", "values": ["cpu", "gpu"]}]}, True),
        ({"matchExpressions": [{"key": "missing", "operator": "In", "values": ["gpu"]}]}, False),
        ({"matchExpressions": [{"key": "pool", "operator": "NotIn", "values": ["gpu"]}]}, False),
        ({"matchExpressions": [{"key": "missing", "operator": "NotIn", "values": ["gpu"]}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}, False),
        (
            {
                "matchLabels": {"pool": "gpu"},
                "matchExpressions": [{"key": "x", "operator": "Exists"}],
            },
            False,
        ),
    ],
)
def test_a_selector_selects_as_kubernetes_does(selector: dict[str, Any], selected: bool) -> None:
    assert selects(selector, NODE) is selected
