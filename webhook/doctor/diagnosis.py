"""What a check says: what is wrong, with which object, what to do, and what `--fix` would do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webhook.certs.cluster import Kind, Object


class Level(StrEnum):
    """How bad it is. A note is worth knowing and nothing is wrong with it."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Apply:
    """A server-side apply of fields that are ours alone.

    Attributes:
        field_manager: whose fields they are.
    """

    kind: Kind
    body: Object
    field_manager: str


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge patch, which holds the resourceVersion that was looked at."""

    kind: Kind
    name: str
    patch: Object


Fix = Apply | Merge


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that a check found.

    Attributes:
        check: its id; `CHECKS` says what each looks at.
        about: the object, as `Kind name` or `Kind namespace/name`.
        message: what is wrong and what follows from it.
        remedy: what to do; empty where the message says it.
        fix: what `--fix` does; None where a person has to decide.
    """

    check: str
    level: Level
    about: str
    message: str
    remedy: str = ""
    fix: Fix | None = None
