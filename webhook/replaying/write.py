"""A recorded write, ready to be judged, or the reason why it cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webhook.reviews.wire import AdmissionRequest


class Outcome(StrEnum):
    """What became of the write when it was made."""

    DONE = "done"
    REFUSED = "refused"
    DRY_RUN = "dry-run"
    UNKNOWN = "unknown"


class Why(StrEnum):
    """Why a write cannot be judged."""

    METADATA = "the log holds no bodies (level Metadata)"
    FIRST = "the first write of its object in the log: what was there before is not known"
    GAP = "a write in between is not in the log"
    FORGOTTEN = "its object was last seen too long ago (bounded memory)"
    PATCH = "its patch cannot be applied to what was there before"
    VERSION = "it was written in an API version that its profile does not know"
    SUBRESOURCE = "it went through a subresource other than status"
    UNREADABLE = "the line cannot be read"


@dataclass(frozen=True, slots=True)
class Write:
    """One recorded write.

    Attributes:
        request: as admission would see it; its uid is the auditID for audit logs.
        source: name of the file.
        line: number of the line, from 1.
        time: seconds since 1970; None where the recording has none.
        outcome: what became of it.
        estimated: the objects were put together from requests, not read from answers.
    """

    request: AdmissionRequest
    source: str
    line: int
    time: float | None = None
    outcome: Outcome = Outcome.UNKNOWN
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A write of a guarded kind that cannot be judged.

    Attributes:
        why: the reason.
        source, line, time: as of a write.
        said: rule ids that our webhook left in the log at the time, as audit annotations.
        user: who wrote.
        what: resource and name.
    """

    why: Why
    source: str
    line: int
    time: float | None = None
    said: tuple[str, ...] = ()
    user: str = ""
    what: str = ""
