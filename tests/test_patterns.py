"""No regular expression of ours can be kept busy: none has two ways to split the same text.

Read from the parsed expressions, without a clock. A loop over a loop is refused where the end of one
turn and the beginning of the next may take the same character (exponential); so are two loops side by
side that may take the same text (a power of its length), except those named here with their bound.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import re._constants as sre
import re._parser as parser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import webhook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ALPHABET = frozenset([*range(128), 0xE9, 0x0130, 0x017F, 0x212A, 0x3000, 0x1F600])
MANY = 8
"""A loop of at most so many turns is none."""


@dataclass(frozen=True)
class Shape:
    """What a part of an expression may take.

    Attributes:
        first, last: characters that it may begin and end with.
        empty: whether it may take nothing.
        tail: characters that a loop at its end, or before what it could have taken, may take.
        head: characters that a loop at its very beginning may take.
    """

    first: frozenset[int]
    last: frozenset[int]
    empty: bool
    head: frozenset[int] = frozenset()
    tail: frozenset[int] = frozenset()


NOTHING = Shape(frozenset(), frozenset(), empty=True)


def patterns() -> dict[str, re.Pattern[Any]]:
    """Every expression that a module of ours holds, however deep in its constants."""
    found: dict[str, re.Pattern[Any]] = {}
    for module in pkgutil.walk_packages(webhook.__path__, "webhook."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for number, one in enumerate(held(value)):
                found.setdefault(f"{module.name}.{name}.{number}", one)
    return found


def held(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from (p for v in value.values() for p in held(v))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (p for v in value for p in held(v))


def characters(items: Iterable[Any], *, fold: bool) -> frozenset[int]:
    """The characters of a set, of our alphabet."""
    chosen: set[int] = set()
    negated = False
    for op, value in items:
        if op is sre.NEGATE:
            negated = True
        elif op is sre.LITERAL:
            chosen |= same_letters(value) if fold else {value}
        elif op is sre.RANGE:
            chosen |= {c for c in ALPHABET if value[0] <= c <= value[1]}
        elif op is sre.CATEGORY:
            chosen |= {c for c in ALPHABET if category(value, chr(c))}
    return ALPHABET - chosen if negated else frozenset(chosen & ALPHABET)


def same_letters(code: int) -> set[int]:
    return {code} | {c for c in ALPHABET if chr(c).casefold() == chr(code).casefold()}


def category(kind: Any, char: str) -> bool:
    name = str(kind).removeprefix("CATEGORY_")
    test = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": lambda c: c.isalnum() or c == "_"}
    return not test[name[4:]](char) if name.startswith("NOT_") else test[name](char)


class Reader:
    """Walks one parsed expression and notes what is ambiguous."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self.dotall = bool(pattern.flags & re.DOTALL)
        self.fold = bool(pattern.flags & re.IGNORECASE)
        self.loops: list[str] = []
        self.pairs: list[str] = []

    def run(self, items: Iterable[Any]) -> Shape:
        """A run of parts, one after the other."""
        shape = NOTHING
        for item in items:
            nxt = self.one(item)
            both = shape.tail & nxt.head
            if both:
                self.pairs.append(f"{sorted(map(chr, both))[:5]} before {item!r:.60}")
            shape = Shape(
                shape.first | nxt.first if shape.empty else shape.first,
                nxt.last | shape.last if nxt.empty else nxt.last,
                shape.empty and nxt.empty,
                shape.head | nxt.head if shape.empty else shape.head,
                nxt.tail | shape.tail if nxt.empty or nxt.first & shape.tail else nxt.tail,
            )
        return shape

    def one(self, item: Any) -> Shape:
        op, value = item
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self.letter(op, value)
        if op is sre.BRANCH:
            return self.either([self.run(branch) for branch in value[1]])
        if op is sre.SUBPATTERN:
            return self.run(value[-1])
        if op is sre.ATOMIC_GROUP:
            inner = self.run(value)
            return Shape(inner.first, inner.last, inner.empty)
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self.repeat(op, *value)
        if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            return NOTHING
        raise AssertionError(f"a part that this test cannot read: {op}")

    def letter(self, op: Any, value: Any) -> Shape:
        if op is sre.ANY:
            taken = ALPHABET if self.dotall else ALPHABET - {10}
        elif op is sre.IN:
            taken = characters(value, fold=self.fold)
        else:
            taken = frozenset(same_letters(value) if self.fold else {value}) & ALPHABET
            taken = ALPHABET - taken if op is sre.NOT_LITERAL else taken
        return Shape(taken, taken, empty=False)

    @staticmethod
    def either(shapes: list[Shape]) -> Shape:
        def all_of(name: str) -> frozenset[int]:
            return frozenset().union(*(getattr(s, name) for s in shapes))

        return Shape(
            all_of("first"), all_of("last"), any(s.empty for s in shapes), all_of("head"), all_of("tail")
        )  # fmt: skip

    def repeat(self, op: Any, least: int, most: Any, body: Any) -> Shape:
        inner = self.run(body)
        long = most is sre.MAXREPEAT or most > MANY
        if op is sre.POSSESSIVE_REPEAT:
            return Shape(inner.first, inner.last, inner.empty or least == 0)
        if long and (inner.tail & inner.first or inner.head & inner.last or inner.empty):
            self.loops.append(f"{item_text(body)}")
        loop = long and single(body)
        return Shape(
            inner.first,
            inner.last,
            inner.empty or least == 0,
            inner.head | (inner.first if loop else frozenset()),
            inner.tail | (inner.last if loop else frozenset()),
        )


def single(body: Any) -> bool:
    """Whether each turn takes one character."""
    low, high = body.getwidth()
    return (low, high) == (1, 1)


def item_text(body: Any) -> str:
    return repr(list(body))[:120]


POWERS = {
    "webhook.certs.operators._CHART.0": "a label's value, 63 characters",
    "webhook.manifests.template._KEY.0": "lines of our own rendered charts",
}
"""Two loops side by side that may take the same text: what bounds the text."""
FOUND = patterns()


@pytest.mark.parametrize("name", FOUND)
def test_no_text_has_two_ways_through_an_expression(name: str) -> None:
    pattern = FOUND[name]
    reader = Reader(pattern)
    reader.run(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    assert reader.loops == []
    if name not in POWERS:
        assert reader.pairs == []


@pytest.mark.parametrize(
    ("text", "loops", "pairs"),
    [
        (r"(a+)+", True, False),
        (r"(\s*a,?\s*)+b", True, False),
        (r"(?:a|b*)*c", True, False),
        (r"(?:\s*+a,?+\s*+)++b", False, False),
        (r"\s*\s*x", False, True),
        (r".*a.*", False, True),
        (r"[a-z]+(?:-[a-z]+)*", False, False),
        (r"(?:\.[0-9]+)*", False, False),
    ],
)
def test_the_reader_tells_good_from_bad(text: str, loops: bool, pairs: bool) -> None:
    reader = Reader(re.compile(text))
    reader.run(parser.parse(text))
    assert (bool(reader.loops), bool(reader.pairs)) == (loops, pairs)


def test_expressions_were_found() -> None:
    assert len(FOUND) > 25
