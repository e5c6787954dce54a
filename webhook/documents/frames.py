"""The collections that are open while a text is read, and what becomes of keys, doubled keys and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from webhook.documents.notes import shown
from webhook.documents.problem import ProblemKind
from webhook.documents.scalars import key_text

if TYPE_CHECKING:
    from webhook.documents.notes import Notes
    from webhook.documents.position import Node

MERGE_KEY: Final = "<<"
_NO_MAPPING: Final = "'<<' takes a mapping, or a list of mappings, by alias or in place"
_NO_TEXT: Final = (
    "a key must be text, not a mapping or list; "
    "if this is a Helm template, render it first (helm template)"
)


class _Mark:
    """What stands in place of a key where the next thing is the value of none."""


_NO_KEY: Final = _Mark()
_MERGED: Final = _Mark()
_DROPPED: Final = _Mark()
_COLLECTION: Final = _Mark()

Key: TypeAlias = "str | _Mark | None"


class Frame:
    """What takes the next value.

    Attributes:
        value: the collection so far.
        content: its nodes so far.
        key: key of the next value; None if a key comes next.
        key_offset: where that key stands.
    """

    __slots__ = ("anchor", "content", "key", "key_offset", "offset", "value")

    def __init__(self, offset: int, anchor: str | None, value: Any, content: Any, key: Key) -> None:
        self.offset = offset
        self.anchor = anchor
        self.value = value
        self.content = content
        self.key = key
        self.key_offset = offset

    @property
    def step(self) -> str | int | None:
        """Key or index of the next value; no step leads to the document itself."""
        return None

    def add(self, value: Any, node: Node) -> None:
        """The next value."""
        self.value = value
        self.content = node

    def name(self, key: object, text: str, offset: int, *, plain: bool) -> None:
        """The next key: as it was resolved, and as it was written. Only where `key` is None."""

    def refuse_key(self, offset: int) -> None:
        """A collection opens where a key should come. Only where `key` is None."""


class Root(Frame):
    """Around the document: takes its one value; `content` becomes its node."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0, None, None, None, _NO_KEY)


class ListFrame(Frame):
    """An open list."""

    __slots__ = ()

    def __init__(self, offset: int, anchor: str | None) -> None:
        self.offset = offset
        self.anchor = anchor
        self.value = []
        self.content = []
        self.key = _NO_KEY

    @property
    def step(self) -> int:
        """Index of the next item."""
        return len(self.value)

    def add(self, value: Any, node: Node) -> None:
        """The next item."""
        self.value.append(value)
        self.content.append(node)


class MappingFrame(Frame):
    """An open mapping, which is given a key and a value in turn."""

    __slots__ = ("_merged", "_notes")

    def __init__(self, offset: int, anchor: str | None, notes: Notes) -> None:
        self.offset = offset  # written out, not by super(): one is made for every mapping
        self.anchor = anchor
        self.value = {}
        self.content = {}
        self.key = None
        self._merged: set[str] | None = None
        self._notes = notes

    @property
    def step(self) -> str | None:
        """Key of the next value."""
        return self.key if isinstance(self.key, str) else None

    def name(self, key: object, text: str, offset: int, *, plain: bool) -> None:
        """The next key; `<<` merges, and what is no text is read as kubectl reads it."""
        self.key_offset = offset
        if plain and text == MERGE_KEY:
            self.key = _MERGED
        elif isinstance(key, str):
            self.key = key
        else:
            self._rename(text, offset)

    def _rename(self, text: str, offset: int) -> None:
        name = key_text(text)
        if name is None:
            self.key = _DROPPED
            message = f"the key {shown(text) if text else '(empty)'} is not text; put it in quotes"
            self._notes.refuse(offset, ProblemKind.KEY, message)
        else:
            self.key = name
            message = f"the unquoted key {text} is read as {shown(name)}; put it in quotes"
            self._notes.warn(offset, ProblemKind.KEY, message)

    def refuse_key(self, offset: int) -> None:
        """The collection is added when it closes, and so is its value: both are dropped."""
        self._notes.refuse(offset, ProblemKind.KEY, _NO_TEXT)
        self.key = _COLLECTION

    def add(self, value: Any, node: Node) -> None:
        """The value of the key named last."""
        key = self.key
        if key.__class__ is str:
            if key in self.value:
                self._check_doubled(key)
            self.value[key] = value
            self.content[key] = (self.key_offset, node)
        elif key is _COLLECTION:
            self.key = _DROPPED
            return
        elif key is _MERGED:
            self._merge(value, node)
        self.key = None

    def _check_doubled(self, key: Any) -> None:
        if self._merged and key in self._merged:
            self._merged.discard(key)
            return
        first, second = map(self._notes.line_of, (self.content[key][0], self.key_offset))
        place = "on this line" if first == second else f"(first on line {first})"
        message = f"the key {shown(key)} is given twice {place}; only the last one counts"
        self._notes.error(self.key_offset, ProblemKind.DOUBLED_KEY, message)

    def _merge(self, value: Any, node: Node) -> None:
        content: Any = node[1]
        sources: list[tuple[Any, Any]] = [(value, content)]
        if isinstance(value, list):
            sources = [(item, inner[1]) for item, inner in zip(value, content, strict=True)]
        if not all(isinstance(item, dict) for item, _ in sources):
            self._notes.refuse(self.key_offset, ProblemKind.MERGE, _NO_MAPPING)
            return
        overridden: list[str] = []
        merged = self._merged = self._merged or set()
        for mapping, entries in reversed(sources):
            for key, item in mapping.items():
                if key in self.value and key not in merged:
                    overridden.append(key)
                merged.add(key)
                self.value[key] = item
                self.content[key] = entries[key]
        if overridden:
            names = ", ".join(shown(key) for key in overridden[:5])
            message = (
                f"'<<' stands after {names} and overrides it for kubectl; move '<<' to the top"
            )
            self._notes.warn(self.key_offset, ProblemKind.MERGE, message)
