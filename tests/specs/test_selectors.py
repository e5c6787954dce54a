"""Label selectors are legal exactly where LabelSelectorAsSelector takes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.oracle.questions import ANSWERS, load
from webhook.core.field import ROOT
from webhook.core.view import View
from webhook.specs.selectors import selector_marks


def said(selector: Any) -> list[tuple[str, str]]:
    marks = selector_marks(View.of(selector), ROOT.child("nodeSelectors"))
    return [(str(mark.field), mark.message) for mark in marks]


def test_selectors_agree_with_apimachinery() -> None:
    asked = load(ANSWERS, "selector")
    for question in asked:
        assert (not said(question["selector"])) == question["answer"]["ok"], question
    assert 100 < sum(q["answer"]["ok"] for q in asked) < 400


@pytest.mark.parametrize(
    ("selector", "field", "words"),
    [
        (
            {"matchExpressions": [{"key": "a", "operator": "Exist"}]},
            "nodeSelectors.matchExpressions[0].operator",
            '"Exist" is no operator; legal: In, NotIn, Exists, DoesNotExist; did you mean "Exists"?',
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "In"}]},
            "nodeSelectors.matchExpressions[0].values",
            "the operator In needs at least one value",
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
            "nodeSelectors.matchExpressions[0].values",
            "the operator Exists takes no values; remove them",
        ),
        (
            {"matchLabels": {"a": True}},
            "nodeSelectors.matchLabels[a]",
            "true must be a string",
        ),
        (
            {"matchExpressions": [{"operator": "Exists"}]},
            "nodeSelectors.matchExpressions[0].key",
            "is missing: the label key that the expression is about",
        ),
        ({"matchLabels": ["a"]}, "nodeSelectors.matchLabels", '["a"] must be an object'),
    ],
)
def test_what_is_said(selector: Any, field: str, words: str) -> None:
    assert said(selector) == [(field, words)]


def test_all_findings_come_at_once() -> None:
    wrong = {"matchLabels": {"a b": "c d"}, "matchExpressions": [{"key": "/", "operator": "in"}]}
    assert len(said(wrong)) == 4


def test_a_wrong_selector_is_wrong_in_every_release() -> None:
    wrong = {
        "matchExpressions": [
            {"key": "a", "operator": "Exist"},
            {"key": "b c", "operator": "Exists"},
        ]
    }
    marks = list(selector_marks(View.of(wrong), ROOT))
    assert [mark.closed for mark in marks] == [True, True]
