"""YAML as people write it, with a version and a list of conditions replaced; the home of ruamel.yaml.

What changes is cut out of the text and put back into it; every other character stays: comments,
order, quotes, numbers as written. Only the block of the conditions is parsed for its places.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from webhook.documents import dump_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from webhook.core.conditions import Condition
    from webhook.documents import Document, Steps

CONDITIONS: Final[Steps] = ("status", "conditions")
_ENTRY: Final = re.compile(r" *-(\s|$)")
_VERSION: Final = r"(['\"]?)apiVersion\1\s*:\s+(['\"]?)(%s)\2(?=[\s,}]|$)"


class LayoutError(Exception):
    """The text is laid out in a way that cannot be cut; its values have to be written anew."""


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """A stretch of text and what takes its place.

    Attributes:
        start: offset of its first character.
        end: offset behind its last one.
        text: the replacement.
    """

    start: int
    end: int
    text: str


class Page:
    """The text of a source, by lines."""

    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff")
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.lines = [f"{line}\n" for line in self.text.split("\n")[:-1]]
        self.starts = [0, *accumulate(len(line) for line in self.lines)]
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def versions(self, document: Document, known: Mapping[str, str]) -> list[Splice]:
        """Puts other apiVersions in their places: the document's, and that of a List around it.

        Args:
            document: a document, or an item of a List, which may have its apiVersion from the List.
            known: which apiVersion takes the place of which.
        """
        around = [replace(document, prefix=())] if document.prefix else []
        found = (self._version(one, known) for one in (document, *around))
        return [splice for splice in found if splice is not None]

    def _version(self, document: Document, known: Mapping[str, str]) -> Splice | None:
        start = self._offset(document, ("apiVersion",))
        line = self.text[start : self.text.index("\n", start)]
        for old, new in known.items():
            found = re.match(_VERSION % re.escape(old), line)
            if found is not None:
                return Splice(start + found.start(3), start + found.end(3), new)
        return None

    def _offset(self, document: Document, steps: Steps) -> int:
        place = document.position(steps)
        return self.starts[place.line - 1] + place.column - 1

    def without_conditions(self, document: Document) -> Splice:
        """Takes the key of null conditions out. Raises LayoutError."""
        first, last = self._block(document)
        return Splice(self.starts[first], self.starts[last], "")

    def conditions(
        self, document: Document, given: Sequence[Condition], right: Sequence[Condition]
    ) -> list[Splice]:
        """Makes the list at status.conditions the right one. Raises LayoutError."""
        first, last = self._block(document)
        base = self.starts[first]
        block = self.text[base : self.starts[last]]
        listed = _listed(block)
        if listed.flow_style:
            text = "[" + ", ".join(bytes(c.raw).decode() for c in right) + "]"
            return [Splice(base + listed.start_mark.index, base + listed.end_mark.index, text)]
        splices = _Entries(block, listed, self.newline).splices(given, right)
        return [Splice(base + s.start, base + s.end, s.text) for s in splices]

    def _block(self, document: Document) -> tuple[int, int]:
        """First and last line (exclusive) of the conditions: by indentation, as YAML has it."""
        start = self._offset(document, CONDITIONS)
        if not self.text.startswith("conditions", start):
            raise LayoutError("the conditions are not in the text")
        first = bisect_right(self.starts, start) - 1
        column = start - self.starts[first]
        if self.text[self.starts[first] : start].strip(" "):
            raise LayoutError("the conditions do not begin a line of their own")
        last = first + 1
        for number in range(first + 1, len(self.lines)):
            line = self.lines[number]
            bare = line.strip()
            if not bare or bare.startswith("#"):
                continue
            indent = len(line) - len(line.lstrip(" "))
            if indent < column or (indent == column and not _ENTRY.match(line)):
                break
            last = number + 1
        return first, last


def apply(text: str, splices: Iterable[Splice]) -> str:
    """The text with all of them done; they must not overlap."""
    pieces, place = [], 0
    for splice in sorted(splices):
        pieces += [text[place : splice.start], splice.text]
        place = splice.end
    return "".join(pieces) + text[place:]


def _listed(block: str) -> SequenceNode:
    try:
        root = YAML().compose(block)
    except YAMLError:
        raise LayoutError("the conditions cannot be read on their own") from None
    pairs = root.value if isinstance(root, MappingNode) else []
    if len(pairs) != 1 or not isinstance(pairs[0][1], SequenceNode):
        raise LayoutError("the conditions are no list of their own")
    listed: SequenceNode = pairs[0][1]
    if listed.anchor or any(
        item.anchor or not isinstance(item, MappingNode) for item in listed.value
    ):
        raise LayoutError("the conditions have anchors")
    return listed


class _Entries:
    """The entries of a list in block style, and where each of them begins and ends."""

    def __init__(self, block: str, listed: SequenceNode, newline: str) -> None:
        items = listed.value
        self.dash = " " * listed.start_mark.column + "-"
        self.columns = [item.start_mark.column for item in items]
        self.begins = [item.start_mark.index - item.start_mark.column for item in items]
        self.ends = [_end(block, item) for item in items]
        self.newline = newline

    def splices(self, given: Sequence[Condition], right: Sequence[Condition]) -> list[Splice]:
        """Entries replaced, put behind others, and taken out."""
        found = []
        place = 0
        added: dict[int, str] = {}
        for condition in right:
            if condition.origin is None:
                offset = self.ends[place]
                added[offset] = added.get(offset, "") + self._text(condition, place)
                continue
            place = condition.origin
            if condition is not given[place]:
                found.append(
                    Splice(self.begins[place], self.ends[place], self._text(condition, place))
                )
        found += [Splice(offset, offset, text) for offset, text in added.items()]
        kept = {c.origin for c in right}
        gone = (n for n in range(len(given)) if n not in kept)
        return [*found, *(Splice(self.begins[n], self.ends[n], "") for n in gone)]

    def _text(self, condition: Condition, like: int) -> str:
        """An entry in block style, indented like another one."""
        gap = " " * (self.columns[like] - len(self.dash))
        indent = self.newline + " " * self.columns[like]
        lines = dump_yaml(json.loads(bytes(condition.raw))).splitlines()
        return f"{self.dash}{gap}{indent.join(lines)}{self.newline}"


def _end(block: str, node: Any) -> int:
    """Offset behind the last line that an entry takes; comments below it are not its own."""
    while isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        node = node.value[-1]
        if isinstance(node, tuple):
            node = node[1]
    end: int = node.end_mark.index
    if isinstance(node, ScalarNode) and node.style in ("|", ">") and block[end - 1 : end] == "\n":
        return end
    line_end = block.find("\n", end)
    return len(block) if line_end < 0 else line_end + 1
