"""One document of a source: its value, what is wrong with its text, and where each value stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from webhook.documents.problem import Problem, ProblemKind, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.documents.position import Layout, Position, Steps


@dataclass(frozen=True, slots=True)
class Document:
    """A document, or one item of a List document.

    Attributes:
        source: name of the file, "<stdin>", or whatever the caller called it.
        index: number of the document in its source, from 0; empty documents do not count.
        item: number of the item in a List, from 0; None for a document that is no List.
        value: plain JSON types, nothing coerced; None if kubectl could not read the text.
        problems: what is wrong with the text, in its order; paths start at this value.
        layout: where everything in the whole document stands.
        prefix: steps from the root of the document to this item.
    """

    source: str
    index: int
    item: int | None
    value: Any
    problems: tuple[Problem, ...]
    layout: Layout = field(repr=False, compare=False)
    prefix: Steps = field(default=(), repr=False, compare=False)

    @property
    def readable(self) -> bool:
        """Whether there is a value to judge; if not, `problems` says why."""
        return self.value is not None

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that are errors, not warnings."""
        return tuple(p for p in self.problems if p.severity is Severity.ERROR)

    def position(self, steps: Steps = ()) -> Position:
        """Line and column of the key or item at `steps`, or of its nearest ancestor in the text."""
        return self.layout.position(self.prefix + steps)

    def written(self, steps: Steps) -> str | None:
        """Text of the scalar at `steps` as it stands in the file, if it is not quoted; else None.

        For `version: 1.10` this is "1.10", where the value is 1.1.
        """
        return self.layout.written(self.prefix + steps)


def open_list(document: Document) -> Iterator[Document]:
    """The items of a List as documents of their own; any other document as it is.

    A List is a mapping whose kind ends in List and whose items are a list. Lists within Lists are opened
    too, and items are numbered through. Items of a typed list (SkyhookList) that name no kind get it from
    the list, as apimachinery's `unstructuredJSONScheme.decodeToList` does. Problems outside the items stay
    with the list itself, which then comes first, without its items.
    """
    if not _is_list(document.value):
        yield document
        return
    items = list(_items(document.value, ()))
    by_item: dict[Steps, list[Problem]] = {prefix: [] for prefix, _ in items}
    outside: list[Problem] = []
    for problem in document.problems:
        starts = (problem.path[:end] for end in range(2, len(problem.path) + 1))
        prefix = next((start for start in starts if start in by_item), None)
        if prefix is None:
            outside.append(problem)
        else:
            by_item[prefix].append(replace(problem, path=problem.path[len(prefix) :]))
    if outside:
        yield replace(document, value=document.value | {"items": []}, problems=tuple(outside))
    for number, (prefix, value) in enumerate(items):
        problems = tuple(by_item[prefix]) or _null_item(document, prefix, value)
        yield Document(
            document.source, document.index, number, value, problems, document.layout, prefix
        )


def _is_list(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    return isinstance(kind, str) and kind.endswith("List") and isinstance(value.get("items"), list)


def _items(value: dict[str, Any], prefix: Steps) -> Iterator[tuple[Steps, Any]]:
    kind = value["kind"].removesuffix("List")
    implied = {"apiVersion": value.get("apiVersion"), "kind": kind} if kind else {}
    for number, item in enumerate(value["items"]):
        steps = (*prefix, "items", number)
        if _is_list(item):
            yield from _items(item, steps)
        elif implied and isinstance(item, dict) and not item.get("kind"):
            yield steps, implied | {key: v for key, v in item.items() if v or key != "apiVersion"}
        else:
            yield steps, item


def _null_item(document: Document, prefix: Steps, value: Any) -> tuple[Problem, ...]:
    if value is not None:
        return ()
    position = document.position(prefix)
    message = "an item of a List must be an object; this one is null"
    return (Problem(position, (), message, Severity.ERROR, ProblemKind.SYNTAX),)
