"""Compartments of a DeploymentPolicy: names of their own, selectors of their own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import CauseType, Severity
from webhook.lifecycle.rule import Mark, show
from webhook.specs.reading import A_LIST, A_STRING, AN_OBJECT, invalid, wrong_type
from webhook.specs.selectors import selector_marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

DEFAULT_NAME: Final = "__default__"


def compartments(spec: View | None, path: FieldPath) -> list[tuple[View, FieldPath]]:
    """The compartments and where they stand: by name, or by position where the name is no help.

    A name stays when compartments are added before it, so that an old defect stays known as one.
    """
    there = None if spec is None else spec.child("compartments")
    items = [] if there is None else there.items or []
    names = [item.text("name") for item in items]
    counts = Counter(names)
    place = path.child("compartments")
    return [
        (item, place.key(name) if name and counts[name] == 1 else place.index(position))
        for position, (item, name) in enumerate(zip(items, names, strict=True))
    ]


def compartment_names(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Names are unique and none is reserved (deployment_policy_webhook.go Validate).

    Asked on ``spec``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        there = None if new is None else new.child("compartments")
        if there is not None and there.items is None:
            yield wrong_type(trail.field.child("compartments"), there, A_LIST)
        seen: set[str] = set()
        for compartment, path in compartments(new, trail.field):
            if compartment.fields is None:
                yield wrong_type(path, compartment, AN_OBJECT)
                continue
            name, place = compartment.child("name"), path.child("name")
            if name is None:
                continue
            if not isinstance(name.value, str):
                yield wrong_type(place, name, A_STRING)
            elif name.value == DEFAULT_NAME:
                text = f"{show(DEFAULT_NAME)} is reserved for the nodes of no compartment; choose another name"
                yield invalid(place, text)
            elif name.value in seen:
                text = f"{show(name.value)} is the name of another compartment too; choose another"
                yield Mark(place, text, type=CauseType.DUPLICATE, closed=True)
            seen.add(name.value if isinstance(name.value, str) else "")

    return judge


def compartment_selectors(_parameters: Mapping[str, Any]) -> CheckJudge:
    """Selectors are legal, and no two are identical (deployment_policy_webhook.go Validate).

    Upstream compares them as written; two that only mean the same pass it, and warn here.
    Asked on ``spec``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        seen: dict[Any, tuple[FieldPath, Any]] = {}
        for compartment, path in compartments(new, trail.field):
            selector = compartment.child("selector")
            if selector is None:
                continue
            place = path.child("selector")
            marks = list(selector_marks(selector, place))
            yield from marks
            if marks:
                continue
            written = _written(selector)
            first, firsts = seen.setdefault(_meaning(written), (path, written))
            if first is path:
                continue
            alike = firsts == written
            word = "is identical to" if alike else "selects the same nodes as"
            text = f"{word} that of {first}; the first one takes all nodes, change or remove one"
            severity = None if alike else Severity.WARN
            yield Mark(place, text, severity, CauseType.DUPLICATE, closed=True)

    return judge


def _written(selector: View) -> tuple[Any, Any]:
    """A legal selector as Go holds it: labels without order, expressions as they are written."""
    labels, expressions = selector.child("matchLabels"), selector.child("matchExpressions")
    pairs = None if labels is None else tuple(sorted(_texts(labels.value).items()))
    if expressions is None:
        return pairs, None
    items = []
    for item in expressions.items or ():
        values = item.child("values")
        written = None if values is None else tuple(values.value)
        items.append((item.text("key"), item.text("operator"), written))
    return pairs, tuple(items)


def _texts(labels: dict[str, Any]) -> dict[str, str]:
    return {key: "" if value is None else value for key, value in labels.items()}


def _meaning(written: tuple[Any, Any]) -> tuple[Any, ...]:
    """What it selects: an empty part says nothing, and the order of the rest says nothing."""
    pairs, expressions = written
    return pairs or (), frozenset(
        (key, operator, frozenset(values or ())) for key, operator, values in expressions or ()
    )
