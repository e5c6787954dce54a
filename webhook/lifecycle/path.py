"""The paths of the profile language.

a.b                      fields
a."x.io/y"               a key that has dots
a."x.io/state_{name}"    every key of that form; ``name`` is bound to the rest
a.*                      every key of a map
a.conds[T]               the first element of a list whose ``type`` is T
a.conds[*], [x/{name}]   every element, by its ``type``; every element of that form
a|json                   the JSON document that the string ``a`` holds
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from webhook.core.field import ROOT, FieldPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.core.view import View

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]+)"|\[(?P<type>[^\]]+)\]|\|(?P<inside>json)|(?P<key>[^.\[\]"|]+)|(?P<dot>\.)'
)
_CAPTURE: Final = re.compile(r"\{(\w+)\}")


class PathError(ValueError):
    """A path that the language does not know."""


class StepKind(Enum):
    """What one step of a path does."""

    KEY = "key"
    STAR = "star"
    TYPE = "type"
    ANY_TYPE = "any type"
    INSIDE = "inside"


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        kind: what it does.
        name: the key or type, with ``{captures}`` as written; empty for stars.
        bracketed: printed in brackets (the key came in quotes or is data).
        pattern: the expression for a name with captures; None for a plain name.
        star: whether it leads to every member or element.
        wild: whether it may lead to several places.
        start: what every key that it may lead through begins with.
    """

    kind: StepKind
    name: str = ""
    bracketed: bool = False
    pattern: re.Pattern[str] | None = field(init=False, compare=False)
    star: bool = field(init=False, compare=False)
    wild: bool = field(init=False, compare=False)
    start: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Works out once what every walk asks. Raises re.error for captures that clash."""
        star = self.kind in (StepKind.STAR, StepKind.ANY_TYPE)
        pattern = _pattern(self.name)
        object.__setattr__(self, "pattern", pattern)
        object.__setattr__(self, "star", star)
        object.__setattr__(self, "wild", star or pattern is not None)
        object.__setattr__(self, "start", _CAPTURE.split(self.name, maxsplit=1)[0])


@cache
def _pattern(name: str) -> re.Pattern[str] | None:
    if not _CAPTURE.search(name):
        return None
    source, end = "", 0
    for found in _CAPTURE.finditer(name):
        source += re.escape(name[end : found.start()]) + f"(?P<{found[1]}>.+?)"
        end = found.end()
    # a key in JSON may hold any character, the end of a line too
    return re.compile(source + re.escape(name[end:]), re.DOTALL)


def _step(found: re.Match[str]) -> Step:
    if found["quoted"]:
        return Step(StepKind.KEY, found["quoted"], bracketed=True)
    if found["type"]:
        kind = StepKind.ANY_TYPE if found["type"] == "*" else StepKind.TYPE
        return Step(kind, "" if kind is StepKind.ANY_TYPE else found["type"], bracketed=True)
    if found["inside"]:
        return Step(StepKind.INSIDE)
    if found["key"] == "*":
        return Step(StepKind.STAR)
    return Step(StepKind.KEY, found["key"])


@cache
def parse(path: str) -> tuple[Step, ...]:
    """The steps of a path. Raises PathError."""
    steps: list[Step] = []
    end = 0
    for found in _TOKEN.finditer(path):
        if found.start() != end:
            break
        end = found.end()
        if not found["dot"]:
            try:
                steps.append(_step(found))
            except re.error as error:
                raise PathError(f"{path!r} is no path: {error}") from None
    if end != len(path) or not steps or path.endswith(".") or ".." in path:
        raise PathError(f"{path!r} is no path: it ends at {path[end:] or path!r}")
    return tuple(steps)


class Trail:
    """Where a walk is: the field path, and what wildcards and captures stand for.

    Attributes:
        stars: keys bound by ``*`` and ``[*]``, left to right.
        names: what ``{captures}`` are bound to, as pairs.
    """

    __slots__ = ("_above", "_bracketed", "_field", "key", "names", "stars")

    def __init__(
        self,
        field: FieldPath | None = ROOT,
        stars: tuple[str, ...] = (),
        names: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._field = field
        self._above: Trail | None = None
        self._bracketed = False
        self.key = ""
        self.stars = stars
        self.names = names

    @property
    def field(self) -> FieldPath:
        """The place, for messages; made when it is asked for, as most places are in order."""
        if self._field is None:
            above = self._above.field if self._above is not None else ROOT
            self._field = above.key(self.key) if self._bracketed else above.child(self.key)
        return self._field

    @property
    def last(self) -> str:
        """The key of the last step."""
        return self.key or self.field.steps[-1].name

    def step(self, step: Step, key: str) -> Trail | None:
        """The trail one step on, through ``key``; None when a captured name does not fit."""
        stars, names = self.stars, self.names
        if step.star:
            stars = (*stars, key)
        elif step.pattern is not None:
            found = step.pattern.fullmatch(key)
            if found is None:
                return None
            names = (*names, *found.groupdict().items())
        onward = Trail(None, stars, names)
        onward._above = self
        onward._bracketed = step.star or step.bracketed
        onward.key = key
        return onward

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trail) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(self._told())

    def __repr__(self) -> str:
        return f"Trail({self.field}, {self.stars}, {self.names})"

    def _told(self) -> tuple[object, ...]:
        return (self.field, self.stars, self.names)

    def fill(self, text: str) -> str:
        """``text`` with its ``{captures}`` replaced, once: a value is data, and may look like one."""
        pieces = _pieces(text)
        if len(pieces) == 1:
            return text
        values = dict(self.names)
        return "".join(values.get(piece, f"{{{piece}}}") if odd else piece for odd, piece in pieces)


START: Final = Trail()


@lru_cache(maxsize=4096)
def _pieces(text: str) -> tuple[tuple[bool, str], ...]:
    """A text cut at its captures: (whether it is a capture's name, piece)."""
    return tuple((number % 2 == 1, piece) for number, piece in enumerate(_CAPTURE.split(text)))


class Lookup:
    """Reads one path, with wildcards bound by a trail."""

    __slots__ = ("_reads", "steps", "text")

    def __init__(self, path: str, steps: tuple[Step, ...] | None = None) -> None:
        self.text = path
        self.steps = parse(path) if steps is None else steps
        stars = [step.star for step in self.steps]
        self._reads = [_reader(step, sum(stars[:n])) for n, step in enumerate(self.steps)]

    def parent(self) -> Lookup:
        """The place that holds this one: the map of an entry, the list of an element."""
        return Lookup(self.text, self.steps[:-1])

    def __call__(self, root: View | None, trail: Trail) -> View | None:
        """The value at the path; None when it is absent or a wildcard is not bound."""
        here = root
        for read in self._reads:
            if here is None:
                return None
            here = here.child(read) if type(read) is str else read(here, trail)  # type: ignore[operator]
        return here

    def field(self, trail: Trail) -> FieldPath:
        """The path as a place, for messages."""
        place, stars = ROOT, iter(trail.stars)
        for step in self.steps:
            if step.kind is StepKind.INSIDE:
                continue
            if step.kind in (StepKind.STAR, StepKind.ANY_TYPE):
                place = place.key(next(stars, "*"))
            elif step.bracketed:
                place = place.key(trail.fill(step.name))
            else:
                place = place.child(step.name)
        return place


def _reader(step: Step, star: int) -> str | Callable[[View, Trail], View | None]:
    """How one step reads: by a plain key, or by a function; ``star``: how many stars came before."""
    name, filled = step.name, step.pattern is not None
    fill = _filler(name)
    match step.kind:
        case StepKind.KEY if not filled:
            return name
        case StepKind.KEY:
            return lambda here, trail: here.child(fill(trail))
        case StepKind.TYPE:
            return lambda here, trail: here.element(fill(trail))
        case StepKind.INSIDE:
            return lambda here, _trail: here.inside
        case StepKind.STAR:
            return lambda here, trail: (
                here.child(trail.stars[star]) if star < len(trail.stars) else None
            )
        case StepKind.ANY_TYPE:
            return lambda here, trail: (
                here.element(trail.stars[star]) if star < len(trail.stars) else None
            )


def _filler(text: str) -> Callable[[Trail], str]:
    """``Trail.fill`` of one text, worked out beforehand; nearly all have one capture at most."""
    pieces = _pieces(text)
    if len(pieces) == 1:
        return lambda _trail: text
    if len(pieces) > 3:
        return lambda trail: trail.fill(text)
    (_, start), (_, name), (_, end) = pieces

    def fill(trail: Trail) -> str:
        for known, value in trail.names:
            if known == name:
                return start + value + end
        return text

    return fill
