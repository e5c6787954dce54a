"""A second pass over JSON that the decoder has accepted: offsets, doubled keys, and values that change on the way."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final

from webhook.documents.frames import Frame, ListFrame, MappingFrame, Root
from webhook.documents.notes import Notes, beyond_64_bits, shown
from webhook.documents.problem import ProblemKind
from webhook.documents.scalars import INT64_MAX, INT64_MIN

if TYPE_CHECKING:
    from webhook.documents.position import Lines, Node

_TOKEN = re.compile(r'[ \t\r\n,:]*(?:("[^"\\]*(?:\\.[^"\\]*)*")|([\[{])|([\]}])|([^\s,:\[\]{}"]+))')
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER = re.compile(r"-?[0-9]+\Z")
_WORDS: Final = frozenset({"true", "false", "null"})


def scan(lines: Lines, start: int) -> tuple[Node, Notes]:
    """Nodes of the JSON value at `start`, and what is wrong with it; the text must be well-formed."""
    text = lines.text
    root = Root()
    stack: list[Frame] = [root]
    notes = Notes(lambda: tuple(f.step for f in stack if f.step is not None), lines)
    offset = start
    while root.content is None:
        match = _TOKEN.match(text, offset)
        if match is None:  # never for what the decoder took
            break
        offset = match.end()
        string, opening, _, bare = match.groups()
        at = match.start(match.lastindex or 0)
        if opening is not None:
            stack.append(MappingFrame(at, None, notes) if opening == "{" else ListFrame(at, None))
            continue
        node: Node = (at, bare)
        if string is not None:
            word = _string(string, at, notes)
            if stack[-1].key is None:
                stack[-1].name(word, word, at, plain=False)
                continue
        elif bare is not None:
            _check_bare(bare, at, notes)
        else:
            frame = stack.pop()
            node = (frame.offset, frame.content)
        stack[-1].add(None, node)
    return root.content or (start, None), notes


def _string(token: str, offset: int, notes: Notes) -> str:
    if "\\" not in token:
        return token[1:-1]
    text: str = json.loads(token)
    if _SURROGATE.search(text):
        message = (
            "half of a surrogate pair (\\ud800 to \\udfff) is no character and arrives as U+FFFD"
        )
        notes.error(offset, ProblemKind.SURROGATE, message)
        text = _SURROGATE.sub("\ufffd", text)
    return text


def _check_bare(token: str, offset: int, notes: Notes) -> None:
    if token in _WORDS:
        return
    if token.strip("-") in {"NaN", "Infinity"}:
        notes.refuse(offset, ProblemKind.NUMBER, f"not valid JSON: {token}")
    elif _INTEGER.match(token):
        _check_integer(token, offset, notes)
    elif math.isinf(float(token)):
        message = f"the number {shown(token)[1:-1]} is too large for JSON in Kubernetes"
        notes.refuse(offset, ProblemKind.NUMBER, message)


def _check_integer(token: str, offset: int, notes: Notes) -> None:
    if len(token) < 19 or INT64_MIN <= int(token) <= INT64_MAX:
        return
    if math.isinf(float(token)):
        message = f"the number {token[:20]}… is too large for JSON in Kubernetes"
        notes.refuse(offset, ProblemKind.NUMBER, message)
    else:
        notes.warn(offset, ProblemKind.NUMBER, beyond_64_bits(token))
