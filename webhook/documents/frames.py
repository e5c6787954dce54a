"""The collections that are open while YAML is read, and what becomes of keys, doubled keys and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.documents.notes import shown
from webhook.documents.problem import ProblemKind
from webhook.documents.scalars import key_text

if TYPE_CHECKING:
    from webhook.documents.notes import Notes
    from webhook.documents.position import Node

_MERGE_KEY: Final = "<<"
_NO_MAPPING: Final = "'<<' takes a mapping, or a list of mappings, by alias or in place"


class ListFrame:
    """An open list."""

    __slots__ = ("anchor", "content", "offset", "value")
    awaits_key: Final = False

    def __init__(self, offset: int, anchor: str | None) -> None:
        self.offset = offset
        self.anchor = anchor
        self.value: list[Any] = []
        self.content: list[Node] = []

    @property
    def step(self) -> int:
        """Index of the next item."""
        return len(self.value)

    def add(self, value: Any, node: Node) -> None:
        """The next item."""
        self.value.append(value)
        self.content.append(node)


class MappingFrame:
    """An open mapping, which is given a key and a value in turn."""

    __slots__ = (
        "_key_is_open", "_key_offset", "_merged", "_merging", "_notes", "anchor", "awaits_key", "content", "offset",
        "step", "value",
    )  # fmt: skip

    def __init__(self, offset: int, anchor: str | None, notes: Notes) -> None:
        self.offset = offset
        self.anchor = anchor
        self.value: dict[str, Any] = {}
        self.content: dict[str, tuple[int, Node]] = {}
        self.awaits_key = True
        self.step: str | None = None
        self._key_offset = offset
        self._key_is_open = False
        self._merging = False
        self._merged: set[str] | None = None
        self._notes = notes

    def name(self, key: object, text: str, offset: int, *, plain: bool) -> None:
        """The next key: as it was resolved, and as it was written."""
        self.awaits_key = False
        self._key_offset = offset
        if plain and text == _MERGE_KEY:
            self._merging = True
        elif key.__class__ is str:
            self.step = text
        else:
            self._rename(text, offset)

    def _rename(self, text: str, offset: int) -> None:
        self.step = key_text(text)
        if self.step is None:
            message = f"the key {shown(text) if text else '(empty)'} is not text; put it in quotes"
            self._notes.refuse(offset, ProblemKind.KEY, message)
        else:
            message = f"the unquoted key {text} is read as {shown(self.step)}; put it in quotes"
            self._notes.warn(offset, ProblemKind.KEY, message)

    def refuse_key(self, offset: int) -> None:
        """The next key is a collection, which is added when it closes; its value is then dropped."""
        message = (
            "a key must be text, not a mapping or list; "
            "if this is a Helm template, render it first (helm template)"
        )
        self._notes.refuse(offset, ProblemKind.KEY, message)
        self.awaits_key = False
        self._key_is_open = True

    def add(self, value: Any, node: Node) -> None:
        """The value of the key named last."""
        if self._key_is_open:
            self._key_is_open = False
            return
        key = self.step
        if key is not None:
            if key in self.value:
                self._check_doubled(key)
            self.value[key] = value
            self.content[key] = (self._key_offset, node)
            self.step = None
        elif self._merging:
            self._merging = False
            self._merge(value, node)
        self.awaits_key = True

    def _check_doubled(self, key: str) -> None:
        if self._merged and key in self._merged:
            self._merged.discard(key)
            return
        line = self._notes.line_of(self.content[key][0])
        message = (
            f"the key {shown(key)} is given twice, first on line {line}; only the last one counts"
        )
        self._notes.error(self._key_offset, ProblemKind.DOUBLED_KEY, message)

    def _merge(self, value: Any, node: Node) -> None:
        content: Any = node[1]
        sources: list[tuple[Any, Any]] = [(value, content)]
        if isinstance(value, list):
            sources = [(item, inner[1]) for item, inner in zip(value, content, strict=True)]
        if not all(isinstance(item, dict) for item, _ in sources):
            self._notes.refuse(self._key_offset, ProblemKind.MERGE, _NO_MAPPING)
            return
        merged = self._merged if self._merged is not None else set()
        overridden: list[str] = []
        for mapping, entries in reversed(sources):
            for key, item in mapping.items():
                if key in self.value and key not in merged:
                    overridden.append(key)
                merged.add(key)
                self.value[key] = item
                self.content[key] = entries[key]
        self._merged = merged
        if overridden:
            names = ", ".join(shown(key) for key in overridden[:5])
            message = (
                f"'<<' stands after {names} and overrides it for kubectl; move '<<' to the top"
            )
            self._notes.warn(self._key_offset, ProblemKind.MERGE, message)
