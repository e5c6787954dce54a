"""From YAML events to plain values with their offsets; kubectl's reading, and what it would lose is noted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from webhook.documents import events
from webhook.documents.aliases import MAX_DEPTH, Aliases
from webhook.documents.frames import MERGE_KEY, Frame, ListFrame, MappingFrame, Root
from webhook.documents.notes import Notes, Remark, beyond_64_bits
from webhook.documents.problem import ProblemKind, UnreadableError
from webhook.documents.scalars import INT64_MAX, INT64_MIN, resolve
from webhook.documents.tags import check_collection, tagged_scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.documents.position import Lines, Node, Steps
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
        self._root = Root()
        self._frame: Frame = self._root
        self._outer: list[Frame] = []
        self._notes = Notes(self._steps, lines)
        self._aliases = Aliases()
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
        notes, root = self._notes, self._root
        value = root.value if notes.readable else None
        return Composed(value, root.content, tuple(notes.remarks), notes.readable, again)

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
        if self._root.content is None:
            self._root.content = (error.offset, None)

    def _steps(self) -> Steps:
        steps = (frame.step for frame in (*self._outer, self._frame))
        return tuple(step for step in steps if step is not None)

    def _scalar(self, event: Any) -> None:
        # The hottest lines of this package: nine of ten events end here.
        text: str = event.value
        offset: int = event.start_mark.index
        frame = self._frame
        plain = not event.style
        if event.tag is not None or event.anchor is not None:
            value, plain = self._marked_scalar(event, offset)
        else:
            value = self._read_scalar(text) if plain else text
        if frame.key is None:
            if value.__class__ is str and text != MERGE_KEY:
                frame.key = text
                frame.key_offset = offset
            else:
                frame.name(value, text, offset, plain=plain)
            return
        kind = value.__class__
        if kind is float or kind is int:
            self._check_number(value, text, offset)
        frame.add(value, (offset, text if plain else None))

    def _marked_scalar(self, event: Any, offset: int) -> tuple[Scalar, bool]:
        text: str = event.value
        plain = not event.style
        value: Scalar = text
        if event.tag is not None:
            value = tagged_scalar(event.tag, text, offset, self._notes)
            plain = plain and text != MERGE_KEY
        elif plain:
            value = self._read_scalar(text)
        if event.anchor is not None:
            self._aliases.define(event.anchor, value, (offset, text if plain else None))
        return value, plain

    def _check_number(self, value: Any, text: str, offset: int) -> None:
        if not math.isfinite(value):
            message = f"{text} is a number that JSON does not have; if it is text, put it in quotes"
            self._notes.refuse(offset, ProblemKind.NUMBER, message)
        elif isinstance(value, int) and not INT64_MIN <= value <= INT64_MAX:
            self._notes.warn(offset, ProblemKind.NUMBER, beyond_64_bits(text))

    def _open(self, event: Any) -> None:
        offset: int = event.start_mark.index
        if len(self._outer) >= MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            raise UnreadableError(offset, ProblemKind.DEPTH, message)
        if self._frame.key is None:
            self._frame.refuse_key(offset)
        mapping = event.__class__ is yaml.MappingStartEvent
        anchor: str | None = event.anchor
        if event.tag is not None:
            check_collection(event.tag, offset, self._notes, mapping=mapping)
        if anchor is not None:
            self._aliases.begin(anchor)
        self._outer.append(self._frame)
        self._frame = (
            MappingFrame(offset, anchor, self._notes) if mapping else ListFrame(offset, anchor)
        )

    def _close(self, event: Any) -> None:
        frame = self._frame
        self._frame = self._outer.pop()
        node: Node = (frame.offset, frame.content)
        if frame.anchor is not None:
            self._aliases.define(frame.anchor, frame.value, node)
        self._frame.add(frame.value, node)

    def _alias(self, event: Any) -> None:
        offset: int = event.start_mark.index
        value, target = self._aliases.expand(event.anchor, offset, len(self._outer))
        frame = self._frame
        if frame.key is None:
            if not isinstance(value, dict | list):
                text = value if isinstance(value, str) else str(target[1] or "")
                frame.name(value, text, offset, plain=False)
                return
            frame.refuse_key(offset)
        frame.add(value, (offset, target[1]))
