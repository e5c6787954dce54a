"""Bytes to documents: one bad document never hides its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from webhook.documents import chunks
from webhook.documents.compose import Composed, compose
from webhook.documents.document import Document, open_list
from webhook.documents.jsonscan import scan
from webhook.documents.jsontext import read_json, skip_space
from webhook.documents.notes import Remark
from webhook.documents.position import Layout, Lines
from webhook.documents.problem import ProblemKind, Severity, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webhook.documents.position import Node

_BOM: Final = "\ufeff"
_JSON_NAMES: Final = (".json", ".json.gz")
_MAX_SECOND_TRY: Final = 4 * 1024 * 1024  # characters of broken JSON that are worth a try as YAML
_WIDE: Final = "the text is UTF-16 or UTF-32; save it as UTF-8"
_SEPARATOR: Final = "a line that begins with '---' ends a document; only a comment may follow on it"
_LOST: Final = "kubectl reads nothing behind the end of a document; begin the next one with '---'"


def read_documents(text: bytes, source: str) -> Iterator[Document]:
    """The documents of a source, YAML or JSON, as kubectl would read them; Lists are opened.

    Empty documents and documents that hold only comments or null are skipped and not counted. A document
    that cannot be read comes with value None and its problem, and reading goes on behind the next `---`.
    Never raises for any content. `source` is the label that documents and messages carry; a name that
    ends in .json makes a warning of what is YAML but no JSON.
    """
    for index, reading in enumerate(_read(text, source)):
        yield from open_list(reading.document(source, index))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A document before it has a number."""

    value: Any
    layout: Layout
    remarks: Sequence[Remark]

    def document(self, source: str, index: int) -> Document:
        problems = tuple(remark.at(self.layout.lines) for remark in self.remarks)
        if len(problems) > 1:
            problems = tuple(sorted(problems, key=lambda problem: problem.position))
        return Document(source, index, None, self.value, problems, self.layout)


def _read(data: bytes, source: str) -> Iterator[_Reading]:
    if chunks.is_wide(data):
        yield _refused(Lines(""), 0, ProblemKind.ENCODING, _WIDE)
        return
    for chunk in chunks.cut(data):
        if chunk.refused:
            lines = Lines("", chunk.refused_line)
            yield _refused(lines, 0, ProblemKind.SEPARATOR, _SEPARATOR)
            continue
        try:
            text = chunk.data.decode().removeprefix(_BOM)
        except UnicodeDecodeError as error:
            before = chunk.data[: error.start].decode()
            message = (
                f"the byte 0x{chunk.data[error.start]:02x} is not UTF-8; save the file as UTF-8"
            )
            lines = Lines(before, chunk.first_line)
            yield _refused(lines, len(before), ProblemKind.ENCODING, message)
            continue
        # YAMLReader ends every line, which makes a difference to a block scalar at the end of a file.
        lines = Lines(text if text.endswith("\n") else text + "\n", chunk.first_line)
        start = skip_space(lines.text, 0)
        if lines.text[start : start + 1] in {"{", "["}:
            yield from _read_json(lines, start, source)
        else:
            yield from _read_yaml(lines, compose(lines))


def _refused(lines: Lines, offset: int, kind: ProblemKind, message: str) -> _Reading:
    remark = Remark(offset, (), message, Severity.ERROR, kind)
    return _Reading(None, Layout(lines, lambda: (offset, None)), [remark])


def _read_yaml(lines: Lines, composed: Composed, *remarks: Remark) -> Iterator[_Reading]:
    root = composed.root
    found = [*composed.remarks, *remarks]
    if composed.again is not None:
        found.append(Remark(composed.again, (), _LOST, Severity.ERROR, ProblemKind.LOST_TEXT))
    if root is not None and (composed.value is not None or found):
        yield _Reading(composed.value, Layout(lines, lambda: root), found)


def _read_json(lines: Lines, start: int, source: str) -> Iterator[_Reading]:
    offset = start
    while offset < len(lines.text):
        try:
            read = read_json(lines, offset)
        except UnreadableError as error:
            yield from _not_json(lines, error, source, first=offset == start)
            return
        if read.end < len(lines.text) and lines.text[start] == "[":
            # Only what begins with "{" is a stream of JSON to kubectl.
            yield from _read_yaml(lines, compose(lines))
            return
        if read.value is not None or read.remarks:
            layout = Layout(lines, partial(_json_root, lines, offset))
            yield _Reading(read.value, layout, read.remarks)
        offset = read.end


def _json_root(lines: Lines, offset: int) -> Node:
    return scan(lines, offset)[0]


def _not_json(
    lines: Lines, error: UnreadableError, source: str, *, first: bool
) -> Iterator[_Reading]:
    """What begins like JSON and is none is tried as YAML, as `YAMLOrJSONDecoder` does."""
    refused = _refused(lines, error.offset, error.kind, error.message)
    if not first or error.kind is not ProblemKind.SYNTAX or len(lines.text) > _MAX_SECOND_TRY:
        yield refused
        return
    composed = compose(lines)
    named_json = source.lower().endswith(_JSON_NAMES)
    if composed.readable and named_json:
        message = f"{error.message}; only newer releases of kubectl read it, as YAML"
        remark = Remark(error.offset, (), message, Severity.WARNING, ProblemKind.JSON)
        yield from _read_yaml(lines, composed, remark)
    elif composed.readable:
        yield from _read_yaml(lines, composed)
    elif named_json or max(r.offset for r in composed.remarks) < error.offset:
        yield refused
    else:
        yield from _read_yaml(lines, composed)
