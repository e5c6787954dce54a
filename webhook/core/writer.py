"""Who writes: what is legal depends on it (design: three writers)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import translate
from re import Pattern
from re import compile as regex
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_SERVICE_ACCOUNT = "system:serviceaccount:"


class Writer(StrEnum):
    """The kinds of writers that rules tell apart."""

    OPERATOR = "operator"
    SERVICE_ACCOUNT = "service-account"
    PERSON = "person"
    UNKNOWN = "unknown"


CONTROLLERS: Final = frozenset({Writer.OPERATOR, Writer.SERVICE_ACCOUNT})
"""Those who log what they are told, and cannot act on it."""


@dataclass(frozen=True, slots=True)
class UserGlobs:
    """A set of user or group names, given as globs and compiled once.

    Attributes:
        globs: as configured, for messages.
        pattern: all of them as one expression; None when there are none.
    """

    globs: tuple[str, ...]
    pattern: Pattern[str] | None

    @classmethod
    def of(cls, globs: Iterable[str]) -> UserGlobs:
        """Compiles shell globs; ``*`` matches any run of characters."""
        kept = tuple(globs)
        source = "|".join(translate(glob) for glob in kept)
        return cls(kept, regex(source) if kept else None)

    def match(self, *names: str) -> bool:
        """Whether one of the names matches one of the globs as a whole."""
        pattern = self.pattern
        return pattern is not None and any(pattern.match(name) for name in names)


def classify(
    username: str | None, operators: UserGlobs, groups: Collection[str] | None = None
) -> Writer:
    """The kind of writer behind a user name; without a name it is unknown.

    Nodes (``system:node:*``) and the control plane's own users count as people: they write
    Skyhook's keys as rarely, and the same things are legal for them. So does somebody whom an
    API server has let in under an empty name: it always tells a group then.
    """
    if not username:
        return Writer.PERSON if groups else Writer.UNKNOWN
    if operators.match(username):
        return Writer.OPERATOR
    if username.startswith(_SERVICE_ACCOUNT):
        return Writer.SERVICE_ACCOUNT
    return Writer.PERSON


NOBODY = UserGlobs((), None)
"""The empty set of names."""
