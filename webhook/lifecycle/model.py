"""What a profile may say. What people write is held against it in ``written``, with pydantic.

Six rule families as in the draft schema (tracks, monotone, requires, projections, unique,
checks) and a seventh, ``owned``; what Skyhook needed beyond the draft is marked (+).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, field

from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.lifecycle.texts import (
    CheckName,
    Expression,
    Id,
    PathText,
    ProfileName,
    ReleaseRange,
    ReleaseText,
)

_T = TypeVar("_T")

Scalar = bool | int | float | str
Edges = dict[str, list[Scalar]]
ABSENT = "absent"
ANY = "*"


Some = Annotated[list[_T], Meta(min_length=1)]


class _Model(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Test(_Model, frozen=True, kw_only=True):
    """One atom of a condition; a list of atoms is an AND."""

    __test__ = False  # pytest would take the name for a test class

    path: PathText | None = None
    one_of: list[Scalar] | None = field(name="in", default=None)
    not_in: list[Scalar] | None = None
    present: bool | None = None
    was_present: bool | None = None
    was: list[Scalar] | None = None  # (+) on the old object
    was_not: list[Scalar] | None = None  # (+)
    changed: bool | None = None
    became: Literal["any"] | list[Scalar] | None = None
    equals: PathText | None = None
    reads: str | None = field(name="is", default=None)  # (+) a text with captures
    matches: Expression | None = None  # (+) a regular expression for the whole value
    every: list[Scalar] | None = None  # (+) each value of the map is one of these
    empty: bool | None = None  # (+) absent, {} or []
    predicate: str | None = None  # (+) a named predicate in code; without a path


class _Rule(_Model, frozen=True, kw_only=True):
    id: Id
    why: str = ""
    source: str = ""  # (+) where upstream says so: file and symbol, or document
    releases: ReleaseRange | None = None  # (+) releases that have the rule, e.g. ">=0.16"
    unless: list[list[Test]] = []  # (+) not judged (a track: its steps) when one of these holds
    hint: str = ""  # (+) what a person should do instead; ends each denial but of a closed value
    usually: bool = False  # (+) holds as a rule only: off unless asked for, then audit at most


class _Placed(_Rule, frozen=True, kw_only=True):
    path: PathText


class EdgeClass(_Model, frozen=True, kw_only=True):
    """(+) What becomes of an edge of this class, by writer; a class not named here is legal."""

    default: Severity = Severity.ALLOW
    writers: dict[Writer, Severity] = {}
    changes_only: bool = True  # a value that appears or goes is never odd
    documented: bool = False  # the system's own document names these edges
    about: str = ""


class Sibling(_Model, frozen=True, kw_only=True):
    """(+) An edge that needs something else in the same write."""

    to: list[Scalar]
    unless_from: list[Scalar] = []
    needs: str
    why: str = ""


class Gate(_Model, frozen=True, kw_only=True):
    """To leave along an edge, the OLD sibling must hold one of these."""

    path: PathText
    one_of: list[Scalar] = field(name="in")
    severity: Severity = Severity.DENY


class Word(_Model, frozen=True, kw_only=True):
    """(+) A value that only some releases know."""

    word: Scalar
    releases: ReleaseRange


class Track(_Placed, frozen=True, kw_only=True):
    """A closed value that moves along edges."""

    parts: dict[str, list[Scalar]] = {}  # (+) fields joined by "/", each with its own words
    values: list[Scalar | Word]
    reserved: list[Scalar] = []
    notes: dict[str, str] = {}  # (+) words people take for values, and what they are
    entry: list[Scalar] | None = None
    entry_skips: list[Scalar] = []
    terminal: list[Scalar] = []
    edges: Edges | None = None
    skips: Edges = {}
    table: dict[str, Edges] | None = None  # (+) class -> from -> [to], with "absent" and "*"
    removal: Severity = Severity.DENY
    otherwise: Severity = Severity.DENY
    within: PathText | None = None
    gate: Gate | None = None
    birth: Literal["judged", "free"] = "judged"  # (+) a whole container that appears
    siblings: list[Sibling] = []  # (+)
    lost_updates: bool = False  # (+) a Node's annotation: legal also from what it lately held
    noun: str = ""  # (+) what messages call the value
    note: str = ""  # (+) said in place of a list of all values


class Flip(_Model, frozen=True, kw_only=True):
    """A change of this sibling must be stamped: value == bound."""

    path: PathText
    severity: Severity


class Climb(_Model, frozen=True, kw_only=True):
    """(+) How far a counter may rise in one write, and which values it may jump to."""

    up: int
    to: list[int] = []


class Monotone(_Placed, frozen=True, kw_only=True):
    """Generations, counters, timestamps, set-once fields."""

    order: Literal["int", "time", "latch"]
    latch_on: Scalar | None = None
    down: Severity = Severity.DENY
    removal: Severity = Severity.ALLOW
    bound: PathText | None = None
    grace: int = 0  # (+) by how much the value may exceed the bound
    over: Severity = Severity.DENY
    flip: Flip | None = None
    format: Severity = Severity.DENY
    least: int | None = None  # (+) the smallest legal value
    climb: Climb | None = None  # (+)
    ahead: int | None = None  # (+) seconds a time may lie in the future


class Requires(_Rule, frozen=True, kw_only=True):
    """When all of ``when`` hold, all of ``need`` must; no ``need`` means never."""

    severity: Severity
    when: Some[Test]
    need: list[Test] = []
    at: PathText | None = None  # (+) the field the finding names; default the first path
    reads: Literal["changed", "whole"] = "changed"  # (+) whole: judged when any path changed
    message: str = ""  # (+) with {old}, {new}, captures, and {found}: what stands where a need is
    closed: bool = False  # (+) a value domain, not a relation between writes


class Projection(_Rule, frozen=True, kw_only=True):
    """A table from one value to the fields of another place (status -> Ready)."""

    severity: Severity
    source_path: PathText = field(name="from")
    to: PathText
    judge: Literal["from", "either"] = "either"
    table: dict[str, dict[str, Scalar]]
    closed: bool = False  # (+)


class Unique(_Placed, frozen=True, kw_only=True):
    """No two elements of a list are alike."""

    severity: Severity
    key: str | None = None  # None (+): the elements themselves
    filled: bool = False  # (+) an empty list is wrong as well


class OwnedPath(_Placed, frozen=True, kw_only=True):
    """(+) One place that one writer owns; ``hint`` says what a person does instead."""

    id: Id = "path"
    value: list[str] = []  # fields that stand for the value in messages
    track: Id | None = None  # the track that knows the steps between two values


class Owned(_Rule, frozen=True, kw_only=True):
    """(+) Fields that one writer alone has a reason to write."""

    paths: Some[OwnedPath]
    others: dict[Writer, Severity]
    shapes: list[str] = []  # predicates of writes that a person's tool really makes
    never: list[Test] = []  # what even such a write may not do: any of these


class Check(_Rule, frozen=True, kw_only=True):
    """A named rule in code, with its parameters."""

    use: CheckName
    severity: Severity
    at: list[PathText] = []  # (+) where it is asked; default the whole object
    parameters: dict[str, Any] = field(name="with", default_factory=dict)
    on: Literal["write", "delete"] = "write"  # (+) a deletion is never denied


class Match(_Model, frozen=True, kw_only=True):
    """Which objects a guard judges, and in which versions its paths are right."""

    group: str
    kind: str
    versions: Some[str]
    plural: str = ""
    subresources: list[str] = field(default_factory=lambda: ["", "status"])
    bulk: list[PathText] = []  # (+) maps that hold most of a big object: split in the first pass


class Guard(_Model, frozen=True, kw_only=True):
    """All rules for one kind."""

    match: Match
    tracks: list[Track] = []
    monotone: list[Monotone] = []
    requires: list[Requires] = []
    projections: list[Projection] = []
    unique: list[Unique] = []
    owned: list[Owned] = []
    checks: list[Check] = []

    @property
    def sees_deletions(self) -> bool:
        """Whether a rule is about deletions."""
        return any(check.on == "delete" for check in self.checks)

    def rules(self) -> list[_Rule]:
        """Every rule of every family, in the order of the document."""
        return [
            *self.tracks,
            *self.monotone,
            *self.requires,
            *self.projections,
            *self.unique,
            *self.owned,
            *self.checks,
        ]


class Identity(_Model, frozen=True, kw_only=True):
    """(+) The names that two profiles over one body differ in; ``$name`` in the body."""

    group: str
    kind: str
    plural: str
    prefix: str
    finalizer: str
    tool: str
    operators: list[str]


class Releases(_Model, frozen=True, kw_only=True):
    """(+) Which releases of the system the edges were recorded from, and which are known at all."""

    assumed: ReleaseText
    recorded: list[ReleaseText] = []
    known: list[ReleaseText] = []  # (+) oldest first
    read_only: ReleaseText | None = None  # (+) from then on nobody may change these objects
    removed: ReleaseText | None = None  # (+) from then on the API server does not know them

    @property
    def newest(self) -> str:
        """The newest release that is known."""
        return self.known[-1] if self.known else self.assumed


class History(_Model, frozen=True, kw_only=True):
    """(+) What a release brought: a name -> the first release that has it. All else is older."""

    fields: dict[str, ReleaseText] = {}  # of the spec
    conditions: dict[str, ReleaseText] = {}
    node_keys: dict[
        str, ReleaseText
    ] = {}  # behind the prefix; what ends with _ goes on with a name
    stages: dict[str, ReleaseText] = {}
    behaviour: dict[ReleaseText, list[str]] = {}  # a sentence each
    charts: dict[str, str] = {}  # what the chart's CRD lacks, by field: in which releases


class ConditionNames(_Model, frozen=True, kw_only=True):
    """(+) Which condition types get a mirror, and which ones upstream mirrors itself."""

    mirrored: list[str] = field(default_factory=lambda: ["*"])
    upstream: list[str] = []


class Profile(_Model, frozen=True, kw_only=True):
    """One lifecycle, as data."""

    profile: ProfileName
    about: str = ""
    source: str = ""
    identity: Identity | None = None
    releases: Releases | None = None
    history: History = History()
    conditions: ConditionNames | None = None
    files: dict[str, str] = {}  # (+) what the short names of files in `source` stand for
    classes: dict[str, EdgeClass] = {}
    guards: Some[Guard]
