"""From YAML events to plain values with their offsets; kubectl's reading, and what it would lose is noted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from webhook.documents import events
from webhook.documents.aliases import MAX_DEPTH, Aliases
from webhook.documents.frames import ListFrame, MappingFrame
from webhook.documents.notes import Notes, Remark
from webhook.documents.problem import ProblemKind, UnreadableError
from webhook.documents.scalars import INT64_MAX, INT64_MIN, resolve
from webhook.documents.tags import check_collection, tagged_scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.documents.position import Lines, Node
    from webhook.documents.scalars import Scalar


_MARK_INSIDE: Final = "a byte order mark inside the text; remove this invisible character"


@dataclass(frozen=True, slots=True)
class Composed:
    """One document as read.

    Attributes:
        value: None where kubectl could not read the document either.
        root: its nodes; None for a text that holds no document.
        remarks: what is wrong with it, in the order found.
        readable: whether kubectl can read it.
        again: offset of what follows the document without a `---`, if anything does.
    """

    value: Any
    root: Node | None
    remarks: tuple[Remark, ...]
    readable: bool
    again: int | None


def compose(lines: Lines, read_scalar: Callable[[str], Scalar] = resolve) -> Composed:
    """The first document of a text. Never raises: what cannot be read is a remark."""
    return _Composer(lines, read_scalar).run()


class _Composer:
    """One pass over the events with a stack of its own: the depth of a text must not be Python's."""

    def __init__(self, lines: Lines, read_scalar: Callable[[str], Scalar]) -> None:
        self._text = lines.text
        self._read_scalar = read_scalar
        self._stack: list[ListFrame | MappingFrame] = []
        self._notes = Notes(self._stack, lines)
        self._aliases = Aliases()
        self._value: Any = None
        self._root: Node | None = None
        self._ended = False

    def run(self) -> Composed:
        again = None
        try:
            again = self._read()
        except yaml.YAMLError as error:
            fault = events.unreadable(error, self._text)
            if self._ended:
                again = fault.offset
            else:
                self._give_up(fault)
        except UnreadableError as error:
            self._give_up(error)
        notes = self._notes
        value = self._value if notes.readable else None
        return Composed(value, self._root, tuple(notes.remarks), notes.readable, again)

    def _read(self) -> int | None:
        mark = self._text.find("\n\ufeff")  # libyaml drops it, but counts its column: wrong nesting
        if mark >= 0:
            raise UnreadableError(mark + 1, ProblemKind.ENCODING, _MARK_INSIDE)
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
        }
        next_event = events.open_parser(self._text).get_event
        while True:
            event: Any = next_event()
            kind: type = event.__class__
            handler = handlers.get(kind)
            if handler is not None:
                handler(event)
            elif kind is yaml.DocumentEndEvent:
                self._ended = True
            elif kind is yaml.StreamEndEvent:
                return None
            elif kind is yaml.DocumentStartEvent and self._ended:
                return int(event.start_mark.index)

    def _give_up(self, error: UnreadableError) -> None:
        self._notes.refuse(error.offset, error.kind, error.message)
        self._root = self._root or (error.offset, None)

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        offset: int = event.start_mark.index
        plain = not event.style
        if event.tag is not None:
            value = tagged_scalar(event.tag, text, offset, self._notes)
        else:
            value = self._read_scalar(text) if plain else text
        node: Node = (offset, text if plain else None)
        if event.anchor is not None:
            self._aliases.define(event.anchor, value, node)
        frame = self._stack[-1] if self._stack else None
        if isinstance(frame, MappingFrame) and frame.awaits_key:
            frame.name(value, text, offset, plain=plain and event.tag is None)
            return
        if value.__class__ is float or value.__class__ is int:
            self._check_number(value, text, offset)
        self._add(value, node)

    def _check_number(self, value: Any, text: str, offset: int) -> None:
        if not math.isfinite(value):
            message = f"{text} is a number that JSON does not have; if it is text, put it in quotes"
            self._notes.refuse(offset, ProblemKind.NUMBER, message)
        elif isinstance(value, int) and not INT64_MIN <= value <= INT64_MAX:
            message = f"{text} exceeds 64 bits and arrives as {float(value)!r}; if it is text, put it in quotes"
            self._notes.warn(offset, ProblemKind.NUMBER, message)

    def _add(self, value: Any, node: Node) -> None:
        if self._stack:
            self._stack[-1].add(value, node)
        else:
            self._value, self._root = value, node

    def _open(self, event: Any) -> None:
        offset: int = event.start_mark.index
        if len(self._stack) >= MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            raise UnreadableError(offset, ProblemKind.DEPTH, message)
        self._refuse_key(offset)
        mapping = event.__class__ is yaml.MappingStartEvent
        if event.tag is not None:
            check_collection(event.tag, offset, self._notes, mapping=mapping)
        if event.anchor is not None:
            self._aliases.begin(event.anchor)
        frame = (
            MappingFrame(offset, event.anchor, self._notes)
            if mapping
            else ListFrame(offset, event.anchor)
        )
        self._stack.append(frame)

    def _refuse_key(self, offset: int) -> None:
        frame = self._stack[-1] if self._stack else None
        if isinstance(frame, MappingFrame) and frame.awaits_key:
            frame.refuse_key(offset)

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        node: Node = (frame.offset, frame.content)
        if frame.anchor is not None:
            self._aliases.define(frame.anchor, frame.value, node)
        self._add(frame.value, node)

    def _alias(self, event: Any) -> None:
        offset: int = event.start_mark.index
        value, target = self._aliases.expand(event.anchor, offset, len(self._stack))
        frame = self._stack[-1] if self._stack else None
        if (
            isinstance(frame, MappingFrame)
            and frame.awaits_key
            and not isinstance(value, dict | list)
        ):
            text = value if isinstance(value, str) else str(target[1] or "")
            frame.name(value, text, offset, plain=False)
            return
        self._refuse_key(offset)
        self._add(value, (offset, target[1]))
