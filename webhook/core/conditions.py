"""A list of conditions as raw JSON, and the names that bare and prefixed types have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from webhook.core.view import View, equal_values

LONGEST_TYPE: Final = 316
"""Characters of a condition's type (metav1.Condition, maxLength)."""
_NULL: Final = msgspec.Raw(b"null")
_UNREADABLE: Final = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Said(msgspec.Struct, frozen=True, rename="camel"):
    """What a condition says; ``null`` stands for what it does not say, as in Kubernetes."""

    type: str
    status: msgspec.Raw = _NULL
    reason: msgspec.Raw = _NULL
    message: msgspec.Raw = _NULL
    observed_generation: msgspec.Raw = _NULL
    last_transition_time: msgspec.Raw = _NULL


class Condition(msgspec.Struct, frozen=True):
    """One entry of a list of conditions.

    Attributes:
        type: its type.
        said: what it says.
        raw: the entry itself, with whatever else is in it.
        origin: its index in the list that was read; None for one that was made here.
    """

    type: str
    said: Said
    raw: msgspec.Raw
    origin: int | None = None

    @classmethod
    def of(cls, raw: msgspec.Raw, origin: int | None = None) -> Condition:
        """An entry that was made here. Raises msgspec.DecodeError for what is none."""
        said = _SAID.decode(raw)
        return cls(said.type, said, raw, origin)

    @property
    def members(self) -> dict[str, msgspec.Raw]:
        """Its members as raw slices, in their order."""
        return _MEMBERS.decode(self.raw)


_SAID: Final = msgspec.json.Decoder(Said)
_LIST: Final = msgspec.json.Decoder(list[Said])
_RAWS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


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
    _named: frozenset[str] = field(init=False, repr=False, compare=False)
    _refused: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        refused = (name[1:] for name in self.mirrored if name.startswith("!"))
        object.__setattr__(self, "_named", frozenset(self.mirrored))
        object.__setattr__(self, "_refused", frozenset(refused))

    def covers(self, bare: str) -> bool:
        """Whether a bare type is mirrored; a type with a ``/`` never is."""
        if not bare or "/" in bare or bare in self._refused:
            return False
        return "*" in self._named or bare in self._named

    def bare_of(self, kind: str) -> str | None:
        """The bare type of a pair, given either name; None for a type without a twin."""
        prefix, slash, rest = kind.partition("/")
        if not slash:
            return kind if self.covers(kind) else None
        return rest if prefix in self.prefixes and self.covers(rest) else None

    def mirror_of(self, bare: str, prefix: str) -> str | None:
        """The twin's type; None when it would be longer than a type may be."""
        mirror = f"{prefix}/{bare}"
        return mirror if len(mirror) <= LONGEST_TYPE else None


def read_conditions(raw: msgspec.Raw) -> list[Condition] | None:
    """The entries of a list; None for what is no list of objects with distinct types.

    Partial entries, as server-side apply sends them, are read: only ``type`` has to be there.
    """
    try:
        said, raws = _LIST.decode(raw), _RAWS.decode(raw)
    except _UNREADABLE:
        return None
    if len({one.type for one in said}) != len(said):
        return None
    return [
        Condition(one.type, one, slice_, index)
        for index, (one, slice_) in enumerate(zip(said, raws, strict=True))
    ]


class _Status(msgspec.Struct, frozen=True):
    conditions: list[Said]


_STATUS: Final = msgspec.json.Decoder(_Status)


def in_step(status: msgspec.Raw, names: MirrorNames) -> bool:
    """Whether every bare type of a status has its mirrors, and each says the same byte by byte.

    So it is with nearly every status that is read; what is not so surely is looked at closely.
    """
    try:
        said = _STATUS.decode(status).conditions
    except _UNREADABLE:
        return False
    by_type = {one.type: one for one in said}
    if len(by_type) != len(said):
        return False
    for one in said:
        kind = one.type
        if "/" not in kind and names.covers(kind):
            for prefix in names.prefixes:
                twin = by_type.get(f"{prefix}/{kind}")
                if (
                    twin is None
                    or twin.status != one.status
                    or twin.reason != one.reason
                    or twin.message != one.message
                    or twin.observed_generation != one.observed_generation
                ):
                    return False
    return True


def says_the_same(one: Condition | None, other: Condition | None) -> bool:
    """Whether two conditions agree in all that a mirror repeats; lastTransitionTime is its own."""
    if one is None or other is None:
        return one is other
    a, b = one.said, other.said
    return a is b or (
        same_raw(a.status, b.status)
        and same_raw(a.message, b.message)
        and same_raw(a.reason, b.reason)
        and same_raw(a.observed_generation, b.observed_generation)
    )


def same_raw(one: msgspec.Raw, other: msgspec.Raw) -> bool:
    """Whether two pieces of JSON mean the same: by bytes first, decoded where these differ."""
    return one == other or equal_values(View(one).value, View(other).value)
