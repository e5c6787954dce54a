"""YAML as people write it, with a version and a list of conditions replaced; the home of ruamel.yaml.

What changes is cut out of the text and put back into it; every other character stays: comments,
order, quotes, numbers as written. Only the block of the conditions is parsed for its places.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from webhook.documents import dump_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webhook.core.conditions import Condition
    from webhook.documents import Document, Steps

CONDITIONS: Final[Steps] = ("status", "conditions")
_ENTRY: Final = re.compile(r" *-(\s|$)")


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
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.starts = [0, *accumulate(len(line) for line in self.lines)]
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def offset(self, document: Document, steps: Steps) -> int:
        """Where the key at ``steps`` begins. Raises LayoutError when it is not in the text."""
        if document.position(steps) == document.position(steps[:-1]) and len(steps) > 1:
            raise LayoutError("the key is not in the text")
        place = document.position(steps)
        return self.starts[place.line - 1] + place.column - 1

    def version(self, document: Document, old: str, new: str) -> Splice:
        """Puts another apiVersion in its place. Raises LayoutError."""
        start = self.offset(document, ("apiVersion",))
        line = self.text[start:].partition("\n")[0]
        found = re.match(r"(['\"]?)apiVersion\1\s*:\s*(['\"]?)" + re.escape(old) + r"\2(?=[\s,}]|$)", line)
        if found is None:
            raise LayoutError("apiVersion does not stand on the line of its key")
        end = start + found.end() - len(found[2])
        return Splice(end - len(old), end, new)

    def without_conditions(self, document: Document) -> Splice:
        """Takes the key of null conditions out. Raises LayoutError."""
        first, last = self._block(document)
        return Splice(self.starts[first], self.starts[last], "")

    def conditions(self, document: Document, right: Sequence[Condition]) -> list[Splice]:
        """Makes the list at status.conditions the right one. Raises LayoutError."""
        first, last = self._block(document)
        base = self.starts[first]
        block = self.text[base : self.starts[last]]
        listed = _listed(block)
        if listed.flow_style:
            text = "[" + ", ".join(bytes(c.raw).decode() for c in right) + "]"
            return [Splice(base + listed.start_mark.index, base + listed.end_mark.index, text)]
        ends = [_end(block, item) for item in listed.value]
        splices = list(_entries(listed, ends, right, self.newline))
        return [Splice(base + s.start, base + s.end, s.text) for s in splices]

    def _block(self, document: Document) -> tuple[int, int]:
        """First and last line (exclusive) of the conditions: by indentation, as YAML has it."""
        start = self.offset(document, CONDITIONS)
        first = next(n for n, begin in enumerate(self.starts[1:]) if start < begin)
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
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def _listed(block: str) -> SequenceNode:
    try:
        root = YAML().compose(block)
    except YAMLError:
        raise LayoutError("the conditions cannot be read on their own") from None
    pairs = root.value if isinstance(root, MappingNode) else []
    if len(pairs) != 1 or not isinstance(pairs[0][1], SequenceNode):
        raise LayoutError("the conditions are no list of their own")
    listed: SequenceNode = pairs[0][1]
    if listed.anchor or any(item.anchor or not isinstance(item, MappingNode) for item in listed.value):
        raise LayoutError("the conditions have anchors")
    return listed


def _entries(
    listed: SequenceNode, ends: Sequence[int], right: Sequence[Condition], newline: str
) -> Iterable[Splice]:
    """Splices within the block of a list: entries replaced, put behind others, taken out."""
    items = listed.value
    dash = " " * listed.start_mark.column + "-"
    kept = {c.origin for c in right}
    place = items[0].start_mark.index - items[0].start_mark.column
    behind: dict[int, str] = {}
    for condition in right:
        origin = condition.origin
        gap = " " * (items[origin or 0].start_mark.column - len(dash))
        text = dash + gap + _block_text(condition, len(dash + gap), newline) + newline
        if origin is None:
            behind[place] = behind.get(place, "") + text
            continue
        place = ends[origin]
        item = items[origin]
        if _values(item) != json.loads(bytes(condition.raw)):
            begin = item.start_mark.index - item.start_mark.column
            yield Splice(begin, ends[origin], text)
    for origin, item in enumerate(items):
        if origin not in kept:
            yield Splice(item.start_mark.index - item.start_mark.column, ends[origin], "")
    for offset, text in behind.items():
        yield Splice(offset, offset, text)
    

def _values(item: MappingNode) -> dict[str, Any]:
    return {}


def _block_text(condition: Condition, indent: int, newline: str) -> str:
    """An entry as block style, its lines behind the first indented."""
    lines = dump_yaml(json.loads(bytes(condition.raw))).splitlines()
    return (newline + " " * indent).join(lines)


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
