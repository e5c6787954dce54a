"""One track as a graph: values, steps between them, and which class each step is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.drawing.wording import place
from webhook.lifecycle.compile import is_recorded
from webhook.lifecycle.edges import EdgeTable, edge_table
from webhook.lifecycle.model import ABSENT
from webhook.lifecycle.track import legal_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.lifecycle.model import Guard, Profile, Scalar, Track

START: Final = "(absent)"
"""How the graph names no value at all."""
REMOVAL: Final = "removal"
WRITERS: Final = (Writer.OPERATOR, Writer.SERVICE_ACCOUNT, Writer.PERSON)


@dataclass(frozen=True, slots=True)
class Step:
    """One edge.

    Attributes:
        old, new: values as text; START for none.
        cls: name of its class.
        about: what the class means.
        documented: named in the system's own document.
    """

    old: str
    new: str
    cls: str
    about: str
    documented: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """A track with its steps.

    Attributes:
        rule: the rule's id.
        kind: kind of the object.
        place: where the value is.
        noun: what it is called.
        source: where upstream says so.
        why: what is worth knowing of it.
        values: the closed set, as text.
        parts: the words that values are made of, by field; empty for single words.
        notes: words that are no values, and what they are.
        steps: every step that somebody makes; empty with ``free``.
        free: any value may follow any other.
        table: the edges as the engine has them; None with ``free``.
        owners: what becomes of any change by writers who do not own the place.
        removal: what becomes of a value that goes, where the edges do not say.
        certain: whether this release was recorded; elsewhere steps nobody makes only warn.
    """

    rule: str
    kind: str
    place: str
    noun: str
    source: str
    why: str
    values: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]]
    notes: Mapping[str, str]
    steps: tuple[Step, ...]
    free: bool
    table: EdgeTable | None
    owners: Mapping[Writer, Severity]
    removal: Severity
    certain: bool

    @property
    def title(self) -> str:
        """Kind and place."""
        return f"{self.kind} {self.place}"

    def onward(self, value: str) -> list[Step]:
        """The steps that begin at a value."""
        return [step for step in self.steps if step.old == value]

    def never(self, value: str) -> list[str]:
        """Values that nobody goes to from here."""
        reached = {step.new for step in self.onward(value)} | {value}
        return [] if self.free else [v for v in self.values if v not in reached]

    def verdict(self, step: Step, writer: Writer) -> Severity:
        """What becomes of a step that this writer makes."""
        if self.table is None:
            return Severity.ALLOW
        if step.cls == REMOVAL:
            return self.removal
        found = self.table.severity(_plain(step.old), _plain(step.new), writer)
        return Severity.DENY if found is None else found


def _plain(value: str) -> str:
    return ABSENT if value == START else value


def graphs(profile: Profile, release: str | None = None) -> Iterator[Graph]:
    """Every track of a profile."""
    chosen = release or (profile.releases.assumed if profile.releases else "0.0")
    for guard in profile.guards:
        for track in guard.tracks:
            yield _graph(profile, guard, track, chosen)


def _graph(profile: Profile, guard: Guard, track: Track, release: str) -> Graph:
    values = legal_values(track, release)
    table = edge_table(track, values, profile.classes)
    return Graph(
        rule=f"{profile.profile}.{track.id}",
        kind=guard.match.kind,
        place=place(track.path),
        noun=track.noun or track.id.replace("-", " "),
        source=track.source,
        why=track.why,
        values=tuple(str(v) for v in values),
        parts={name: tuple(str(w) for w in words) for name, words in track.parts.items()},
        notes=track.notes,
        steps=tuple(_steps(table, track, values)) if table is not None else (),
        free=table is None,
        table=table,
        owners=_owners(guard, track),
        removal=track.removal,
        certain=is_recorded(profile, release),
    )


def _steps(table: EdgeTable, track: Track, values: list[Scalar]) -> Iterator[Step]:
    """The edges, those of the first class first; a table with classes also says what may go."""
    for name in table.classes:
        cls = table.classes[name]
        for (old, new), found in table.edges.items():
            if found == name:
                yield Step(_shown(old), _shown(new), name, cls.about, cls.documented)
    if track.table is None and track.removal is not Severity.DENY:
        for value in values:
            yield Step(_shown(value), START, REMOVAL, "the value may go", documented=False)


def _shown(value: Scalar) -> str:
    return START if value == ABSENT else str(value)


def _owners(guard: Guard, track: Track) -> Mapping[Writer, Severity]:
    for rule in guard.owned:
        if any(track.path.startswith(owned.path) for owned in rule.paths):
            return rule.others
    return {}
