"""Files of recorded writes: AdmissionReviews and audit logs, told apart by their first line."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.documents import DocumentError, Form, to_json, walk_inputs
from webhook.replaying.event import Event
from webhook.replaying.judging import Line
from webhook.replaying.ordering import Placed, in_order, merged
from webhook.replaying.rebuilding import Rebuilder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webhook.documents import Input
    from webhook.replaying.judging import Item
    from webhook.replaying.ordering import Stream
    from webhook.reviews.engine import Engine

_LOGS: Final = (".log", ".log.gz")
_MOST_BROKEN: Final = 20
Numbered = tuple[int, bytes]


class _Reference(msgspec.Struct, frozen=True, rename="camel"):
    api_group: str = ""
    resource: str = ""


class _Head(msgspec.Struct, frozen=True, rename="camel"):
    """What tells a line apart before it is read."""

    kind: str = ""
    api_version: str = ""
    stage_timestamp: str = ""
    object_ref: _Reference | None = None


class _EventList(msgspec.Struct, frozen=True):
    """What an audit webhook backend is sent: many events at once."""

    items: list[msgspec.Raw] = []


_LIST: Final = msgspec.json.Decoder(_EventList)
_HEAD: Final = msgspec.json.Decoder(_Head)
_EVENT: Final = msgspec.json.Decoder(Event)


@dataclass(slots=True)
class Recordings:
    """The items in files, folders and standard input.

    Attributes:
        engine: whose profiles say which kinds count.
        tick: told the bytes of every line that was read.
        skipped: inputs that hold neither reviews nor audit events.
        events: audit events that were read, of whatever kind.
        failed: requests in audit logs that never became a write.
        broken: what could not be read, as (source, line, why), the first ones.
        breaks: how much that was.
    """

    engine: Engine
    tick: Callable[[int], None] = lambda _: None
    skipped: list[str] = field(default_factory=list)
    events: int = 0
    failed: int = 0
    broken: list[tuple[str, int | None, str]] = field(default_factory=list)
    breaks: int = 0

    def items(self, paths: Iterable[str]) -> Iterator[Item]:
        """Reviews file by file, then the events of all audit logs in the order of the writes.

        What cannot be read (the end of a file that is still being written, say) is noted.

        Raises:
            DocumentError: a path that does not exist.
        """
        logs: list[Stream] = []
        for source in inputs(paths):
            lines = self._lines(source)
            first = next(lines, None)
            if first is None:
                continue
            kind = self._kind(first[1])
            if kind is None:
                self.skipped.append(source.name)
            elif kind.kind == "AdmissionReview":
                for number, body in chain([first], lines):
                    yield Line(source.name, number, body)
            else:
                logs.append((kind.stage_timestamp, partial(self._events, source, first, lines)))
        if logs:
            yield from self._rebuilt(logs)

    def _rebuilt(self, logs: list[Stream]) -> Iterator[Item]:
        rebuilder = Rebuilder(self.engine.catalog, converters=self.engine.converters)
        for placed in in_order(merged(logs)):
            item = rebuilder.write(placed.event, placed.source, placed.line)
            if item is not None:
                yield item
        self.failed = rebuilder.failed

    def _lines(self, source: Input) -> Iterator[Numbered]:
        try:
            if source.form is Form.LINES or source.name.lower().endswith(_LOGS):
                for number, line in source.lines():
                    self.tick(len(line) + 1)
                    yield number, line
                return
            for count, document in enumerate(source.documents()):
                if isinstance(document.value, dict):
                    yield count + 1, to_json(document.value)
        except DocumentError as error:
            self._broke(source.name, error.line, error.message)

    def _broke(self, source: str, line: int | None, why: str) -> None:
        self.breaks += 1
        if len(self.broken) < _MOST_BROKEN:
            self.broken.append((source, line, why))

    def _kind(self, line: bytes) -> _Head | None:
        try:
            head = _HEAD.decode(line)
        except msgspec.DecodeError:
            return None
        if head.kind == "AdmissionReview":
            return head
        is_audit = head.api_version.startswith("audit.k8s.io/")
        return head if is_audit and head.kind in ("Event", "EventList") else None

    def _events(
        self, source: Input, first: Numbered, lines: Iterator[Numbered]
    ) -> Iterator[Placed]:
        """The events of kinds that somebody guards; the others are counted and let go at once."""
        guarded = guarded_resources(self.engine)
        for number, line in chain([first], lines):
            try:
                for head, body in _opened(line):
                    self.events += 1
                    reference = head.object_ref
                    if reference is None:
                        continue
                    if (reference.api_group, reference.resource) in guarded:
                        yield Placed(_EVENT.decode(body), source.name, number, len(line))
            except msgspec.DecodeError as error:
                self._broke(source.name, number, f"no audit event: {error}")


def _opened(line: bytes) -> Iterator[tuple[_Head, bytes | msgspec.Raw]]:
    """The events in a line: one, or those of a list."""
    head = _HEAD.decode(line)
    if head.kind != "EventList":
        yield head, line
        return
    for body in _LIST.decode(line).items:
        yield _HEAD.decode(body), body


def guarded_resources(engine: Engine) -> frozenset[tuple[str, str]]:
    """(group, resource) of every guarded kind."""
    return frozenset(
        (group, guards[0].match.plural or f"{kind.lower()}s")
        for (group, kind), guards in engine.catalog.guards.items()
    )


def inputs(paths: Iterable[str]) -> Iterator[Input]:
    """As `walk_inputs`; in folders also files that are called logs.

    Raises:
        DocumentError: a path that does not exist.
    """
    given = list(paths)
    for path in given:
        logs = []
        if path != "-" and Path(path).is_dir():
            found = (str(p) for p in sorted(Path(path).rglob("*")) if p.is_file())
            logs = [name for name in found if name.lower().endswith(_LOGS)]
        yield from walk_inputs([path, *logs])
