"""The text of a source in another version: JSON stays JSON, YAML keeps all that need not change."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.cli.rewrite import LayoutError, Page, apply
from webhook.core.view import equal_values
from webhook.documents import DocumentError, Form, dump_yaml, read_documents, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.cli.rewrite import Splice
    from webhook.cli.target import Target
    from webhook.documents import Document, Input

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"[{\[]\r?\n( +|\t)")
_DECODE: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Text:
    """A converted text.

    Attributes:
        text: with a line end at its end.
        is_json: JSON, not YAML.
        documents: what the source held, before.
        anew: the layout could not be kept: the values are right, comments are lost.
    """

    text: str
    is_json: bool
    documents: tuple[Document, ...]
    anew: bool = False


def converted(source: Input, target: Target) -> Iterator[Text]:
    """The texts that a source becomes. Raises DocumentError for what cannot be read."""
    if source.form is Form.LINES:
        for number, line in source.lines():
            documents = _read(line, f"{source.name}:{number}")
            yield _as_json(line.decode(), documents, target)
        return
    data = source.read()
    documents = _read(data, source.name)
    text = data.decode().removeprefix("\ufeff")
    pieces = _json_pieces(text)
    if pieces is not None:
        yield _as_json("\n".join(_json(piece, target) for piece in pieces), documents, target)
    else:
        yield _as_yaml(text, documents, target)


def _read(data: bytes, name: str) -> tuple[Document, ...]:
    documents = tuple(read_documents(data, name))
    for document in documents:
        for problem in document.errors:
            place = problem.position
            raise DocumentError(document.source, place.line, place.column, problem.message)
    return documents


def _as_json(text: str, documents: tuple[Document, ...], target: Target) -> Text:
    pieces = _json_pieces(text) or []
    joined = "\n".join(_json(piece, target) for piece in pieces)
    if _holds(joined, documents, target):
        return Text(f"{joined}\n", is_json=True, documents=documents)
    values = (to_json(target.value(document.value)).decode() for document in documents)
    return Text("\n".join(values) + "\n", is_json=True, documents=documents, anew=True)


def _json_pieces(text: str) -> list[str] | None:
    """The JSON documents in a text, one behind the other; None for what is no JSON."""
    pieces = []
    start = _skip(text, 0)
    if text[start : start + 1] != "{":
        return None
    while start < len(text):
        try:
            _, end = _DECODE.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None
        pieces.append(text[start:end])
        start = _skip(text, end)
    return pieces


def _skip(text: str, offset: int) -> int:
    found = _SPACE.match(text, offset)
    return offset if found is None else found.end()


def _json(piece: str, target: Target) -> str:
    """One document; where it changes, it is laid out as it was: on one line, or indented."""
    given = piece.encode()
    brought = target.raw(msgspec.Raw(given))
    if brought == given:
        return piece
    found = _INDENT.match(piece)
    if found is not None:
        indent = len(found[1].replace("\t", "    "))
        return msgspec.json.format(brought, indent=indent).decode()
    return msgspec.json.format(brought, indent=0 if '": ' in piece else -1).decode()


def _as_yaml(text: str, documents: tuple[Document, ...], target: Target) -> Text:
    page = Page(text)
    try:
        splices = {splice for one in documents for splice in _splices(page, one, target)}
        rewritten = apply(page.text, splices)
    except LayoutError:
        rewritten = ""
    if _holds(rewritten, documents, target):
        return Text(rewritten, is_json=False, documents=documents)
    values = (dump_yaml(target.value(document.value)) for document in documents)
    return Text("---\n".join(values), is_json=False, documents=documents, anew=True)


def _splices(page: Page, document: Document, target: Target) -> Iterator[Splice]:
    """What changes in the text of one document. Raises LayoutError."""
    value = document.value
    one = target.conversion_of(value)
    if one is None:
        return
    yield from page.versions(document, target.known)
    status = value.get("status")
    if not isinstance(status, dict) or "conditions" not in status:
        return
    if status["conditions"] is None:
        yield page.without_conditions(document)
    else:
        lists = one.conditions(value["kind"], msgspec.Raw(to_json(status["conditions"])))
        if lists is not None:
            yield from page.conditions(document, *lists)


def _holds(text: str, documents: tuple[Document, ...], target: Target) -> bool:
    """Whether a text, read again, says what the documents say in the other version."""
    wanted: list[Any] = [target.value(document.value) for document in documents]
    again = list(read_documents(text.encode(), ""))
    if any(document.errors for document in again):
        return False
    return equal_values([document.value for document in again], wanted)
