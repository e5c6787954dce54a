"""Label selectors, legal exactly where apimachinery's LabelSelectorAsSelector takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import CauseType
from webhook.core.labels import wrong_with_key, wrong_with_value
from webhook.core.nearest import did_you_mean
from webhook.lifecycle.rule import Mark, listed, show
from webhook.lifecycle.swift import Swift
from webhook.specs.reading import A_LIST, A_STRING, AN_OBJECT, invalid, required, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_WITH_VALUES: Final = ("In", "NotIn")
_WITHOUT: Final = ("Exists", "DoesNotExist")
OPERATORS: Final = (*_WITH_VALUES, *_WITHOUT)


def label_selector(_parameters: Mapping[str, Any]) -> CheckJudge:
    """The value is a label selector that Kubernetes can use (skyhook_webhook.go Validate)."""

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is not None and not labels_alone(run, new.value, trail.last):
            yield from selector_marks(new, trail.field)

    return Swift(judge, labels_alone)


def labels_alone(_run: Run, new: Any, _key: str) -> bool:
    """Whether a decoded selector is labels alone, and all of them legal."""
    if type(new) is not dict or new.keys() != {"matchLabels"}:
        return False
    labels = new["matchLabels"]
    if type(labels) is not dict:
        return False
    for key, text in labels.items():
        if type(text) is not str or wrong_with_key(key) or wrong_with_value(text):
            return False
    return True


def selector_marks(selector: View, path: FieldPath) -> Iterator[Mark]:
    """All that is wrong with a selector."""
    if selector.fields is None:
        yield wrong_type(path, selector, AN_OBJECT)
        return
    labels = selector.child("matchLabels")
    if labels is not None:
        yield from _labels(labels, path.child("matchLabels"))
    expressions = selector.child("matchExpressions")
    if expressions is not None:
        place = path.child("matchExpressions")
        if expressions.items is None:
            yield wrong_type(place, expressions, A_LIST)
        for position, expression in enumerate(expressions.items or ()):
            yield from _expression(expression, place.index(position))


def _labels(labels: View, path: FieldPath) -> Iterator[Mark]:
    if labels.fields is None:
        yield wrong_type(path, labels, AN_OBJECT)
    for key in labels.members:
        value = labels.child(key)
        if (why := wrong_with_key(key)) is not None:
            yield invalid(path.key(key), f"{show(key)} is no label key: {why}")
        if value is not None:
            yield from _value(value, path.key(key))


def _value(value: View, path: FieldPath) -> Iterator[Mark]:
    text = value.value
    if not isinstance(text, str):
        yield wrong_type(path, value, A_STRING)
    elif (why := wrong_with_value(text)) is not None:
        yield invalid(path, f"{show(text)} is no label value: {why}")


def _expression(expression: View, path: FieldPath) -> Iterator[Mark]:
    if expression.fields is None:
        yield wrong_type(path, expression, AN_OBJECT)
        return
    key = expression.child("key")
    if key is None:
        yield required(path.child("key"), "is missing: the label key that the expression is about")
    elif not isinstance(key.value, str):
        yield wrong_type(path.child("key"), key, A_STRING)
    elif (why := wrong_with_key(key.value)) is not None:
        yield invalid(path.child("key"), f"{show(key.value)} is no label key: {why}")
    yield from _operator(expression, path)


def _operator(expression: View, path: FieldPath) -> Iterator[Mark]:
    operator = expression.child("operator")
    place = path.child("operator")
    if operator is None:
        yield required(place, f"is missing; legal: {listed(OPERATORS)}")
    elif not isinstance(operator.value, str):
        yield wrong_type(place, operator, A_STRING)
    elif operator.value not in OPERATORS:
        word = operator.value
        text = f"{show(word)} is no operator; legal: {listed(OPERATORS)}{did_you_mean(word, OPERATORS)}"
        yield Mark(place, text, type=CauseType.NOT_SUPPORTED, closed=True)
    yield from _values(expression, None if operator is None else operator.value, path)


def _values(expression: View, operator: Any, path: FieldPath) -> Iterator[Mark]:
    values = expression.child("values")
    place = path.child("values")
    if values is not None and values.items is None:
        yield wrong_type(place, values, A_LIST)
        return
    items = () if values is None else values.items or ()
    if operator in _WITH_VALUES and not items:
        yield required(place, f"the operator {operator} needs at least one value")
    if operator in _WITHOUT and items:
        yield invalid(place, f"the operator {operator} takes no values; remove them")
    for position, item in enumerate(items):
        yield from _value(item, place.index(position))
