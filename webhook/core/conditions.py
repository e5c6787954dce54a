"""A list of conditions as raw JSON, and the names that bare and prefixed types have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from webhook.core.view import View, same

if TYPE_CHECKING:
    from msgspec import Raw

SAID: Final = ("status", "reason", "message", "observedGeneration")
"""What a mirror repeats of its twin; lastTransitionTime is its own."""
LONGEST_TYPE: Final = 316
"""Characters of a condition's type (metav1.Condition, maxLength)."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of a list of conditions.

    Attributes:
        type: its type.
        view: the entry itself.
        origin: its index in the list that was read; None for one that was made here.
    """

    type: str
    view: View
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class MirrorNames:
    """Which condition types have a twin, under which names.

    Attributes:
        prefixes: a twin is called ``<prefix>/<Type>``; upstream knows only the first prefix.
        mirrored: the bare types that are mirrored, ``*`` for all, ``!Type`` for all but this.
        upstream: the types that the operator itself writes under the first prefix.
    """

    prefixes: tuple[str, ...]
    mirrored: tuple[str, ...] = ("*",)
    upstream: frozenset[str] = frozenset()
    _names: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_names", frozenset(self.mirrored))

    def covers(self, bare: str) -> bool:
        """Whether a bare type is mirrored; a type with a ``/`` never is."""
        if not bare or "/" in bare or f"!{bare}" in self._names:
            return False
        return "*" in self._names or bare in self._names

    def bare_of(self, kind: str) -> str | None:
        """The bare type of a pair, given either name; None for a type without a twin."""
        if "/" not in kind:
            return kind if self.covers(kind) else None
        prefix, _, rest = kind.partition("/")
        return rest if prefix in self.prefixes and self.covers(rest) else None

    def mirror_of(self, bare: str, prefix: str) -> str | None:
        """The twin's type; None when it would be longer than a type may be."""
        mirror = f"{prefix}/{bare}"
        return mirror if len(mirror) <= LONGEST_TYPE else None


def read_conditions(raw: Raw) -> list[Condition] | None:
    """The entries of a list; None for what is no list of objects with distinct types.

    Partial entries, as server-side apply sends them, are read: only ``type`` has to be there.
    """
    items = View(raw).items
    if items is None:
        return None
    found = []
    for index, item in enumerate(items):
        kind = item.text("type")
        if kind is None:
            return None
        found.append(Condition(kind, item, index))
    return found if len({c.type for c in found}) == len(found) else None


def says_the_same(one: View | None, other: View | None) -> bool:
    """Whether two conditions agree in all that a mirror repeats."""
    if one is None or other is None:
        return one is other
    return all(same(one.child(name), other.child(name)) for name in SAID)
