"""What the generators give back: a review with one change planted, and what must follow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from tests.planted.view import Scope, View

Path = tuple[str, ...]
"""Steps below the object; a condition is a step by its type, a package in a Node annotation
a step below the annotation."""


Base = Literal["object", "oldObject"]


class Expect(StrEnum):
    """The verdict that a variant must get in mode enforce."""

    ALLOW = "allow"
    WARN = "warn"
    DENY = "deny"


class Writer(StrEnum):
    """Who a variant is written by."""

    OPERATOR = "operator"
    PERSON = "person"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class Planted:
    """What a planting did to a view.

    `fields`: for a denial, at least one finding lies at or below one of these paths.
    `touched`: everything that now differs from the recorded object (`fields` when empty).
    `base`: what it differs from there: the recorded object, or oldObject where the recorded
    write was thrown away first.
    """

    what: str
    fields: tuple[Path, ...]
    touched: tuple[Path, ...] = ()
    evidence: dict[str, Any] | None = None
    base: Base = "object"


@dataclass(frozen=True, slots=True)
class Site:
    """A place in one review where a kind of change can be planted.

    `writers` None: those of the kind.
    """

    form: str
    plant: Callable[[View], Planted]
    writers: tuple[Writer, ...] | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of a list of `transitions.md`: where it can be planted."""

    number: int
    scopes: tuple[Scope, ...]
    sites: Callable[[View, Random], Iterator[Site]]
    expect: Expect = Expect.DENY
    operator: Expect | None = None
    """What the operator gets, where it differs (None: the same)."""
    writers: tuple[Writer, ...] = (Writer.OPERATOR, Writer.PERSON)
    every_writer: bool = False
    """Whether reviews by others than the operator are looked at too."""

    def expected(self, writer: Writer) -> Expect:
        """The verdict for a writer."""
        if writer is not Writer.PERSON and self.operator is not None:
            return self.operator
        return self.expect


@dataclass(frozen=True, slots=True)
class Variant:
    """A planted review. `review` is an AdmissionReview without the recorder's own keys.

    `evidence` is what the verdict may need besides the review: `{"nodes": {name: Node}}`, with
    `"complete": True` where no other Node exists, or `{"skyhooks": {name: Skyhook}}`.
    `silent`: the answer carries no warning either (only ever True for Expect.ALLOW).
    `uid` is the recorded one: it, not (scenario, seq), names the recorded review for certain.
    """

    id: str
    kind: int
    form: str
    writer: Writer
    what: str
    review: dict[str, Any]
    fields: tuple[Path, ...]
    touched: tuple[Path, ...]
    evidence: dict[str, Any] | None
    expect: Expect
    silent: bool
    base: Base
    scenario: str
    seq: int
    uid: str


NAMED: Final = frozenset(
    {"nodeState", "nodeStatus", "nodePriority", "nodeBootIds", "configUpdates", "conditions"}
    | {"compartmentStatuses", "annotations", "labels", "packages"}
)


def field(path: Path) -> str:
    """A path as a finding shows it: `status.nodeState[node-a][foo|1.0].stage`."""
    text, bracketed = "", 0
    for index, step in enumerate(path):
        above = path[index - 1] if index else ""
        if bracketed:
            bracketed -= 1
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
        if step in NAMED and above in {"", "status", "metadata", "spec"}:
            bracketed = 2 if step == "nodeState" else 1
        elif above == "annotations" and "/nodeState_" in step:
            bracketed = 1
    return text
