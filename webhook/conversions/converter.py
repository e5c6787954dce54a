"""One object to another version: ``apiVersion`` and ``status.conditions`` change, nothing else.

Every other value is spliced through as its own bytes, and nothing ever fails: one object that does
would turn every LIST into a 500 and stall watches without a word (measured).

The normal form, in which a round trip ends and which no further one changes: while the window is
open, every bare type has a mirror that says the same, in both versions; a mirror that said otherwise
follows, and one that was made stands right behind its twin. Closed, v1beta1 has no mirror beside its
twin, and v1alpha1 is left as it is. Prefixed types without a bare one stay as they are, and so do lists
that are not understood; a null list goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.conditions import Condition, in_step, read_conditions
from webhook.core.mirror import Upkeep, right_list

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from webhook.core.conditions import MirrorNames
    from webhook.core.window import Window

Fields = dict[str, msgspec.Raw]
"""A JSON object's members as raw slices, in their order."""

HUB: Final = "v1alpha1"
"""Upstream's version: stored always, so that the operator's path never depends on us."""
SPOKE: Final = "v1beta1"
"""Ours: the same schema; after the window without mirrors."""

_FIELDS: Final = msgspec.json.Decoder(Fields)
_TEXT: Final = msgspec.json.Decoder(str)
_ENCODE: Final = msgspec.json.Encoder()
_NULL: Final = msgspec.Raw(b"null")
_UNREADABLE: Final = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_MAKE: Final = Upkeep(make=True)
_STRIP: Final = Upkeep(make=False, strip=True)


@dataclass(frozen=True, slots=True)
class Converter:
    """The versions of one API group.

    Attributes:
        group: the API group.
        kinds: which condition types have twins, by kind; other kinds only change their apiVersion.
        window: until when twins are kept.
    """

    group: str
    kinds: Mapping[str, MirrorNames]
    window: Window

    @property
    def served(self) -> tuple[str, str]:
        """The apiVersions that this converter knows, the stored one first."""
        return f"{self.group}/{HUB}", f"{self.group}/{SPOKE}"

    def to(self, version: str, now: datetime) -> Conversion:
        """The conversion to a version of the group, as the window stands."""
        upkeep = None
        if self.window.is_open(now):
            upkeep = _MAKE
        elif version == SPOKE:
            upkeep = _STRIP
        return Conversion(self, f"{self.group}/{version}", upkeep)


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion in one direction.

    Attributes:
        converter: whose.
        api_version: the apiVersion that is asked for.
        upkeep: what is done to twins; None leaves the list alone.
    """

    converter: Converter
    api_version: str
    upkeep: Upkeep | None
    version: msgspec.Raw = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """The apiVersion as JSON, for every object."""
        object.__setattr__(self, "version", msgspec.Raw(_ENCODE.encode(self.api_version)))

    def of(self, fields: Fields) -> bytes:
        """An object in that version, encoded.

        An object that is in it already, or of another group, comes back as it is. Null conditions
        are dropped: the API server would refuse them.
        """
        have = _text(fields.get("apiVersion"))
        foreign = have is not None and have.rpartition("/")[0] != self.converter.group
        if have != self.api_version and not foreign:
            fields = self._mirrored({**fields, "apiVersion": self.version})
        return _ENCODE.encode(fields)

    def conditions(
        self, kind: str, raw: msgspec.Raw
    ) -> tuple[list[Condition], list[Condition]] | None:
        """The conditions of an object of that kind as they are, and as they should be.

        None when these are the same, or when the list is not understood.
        """
        names = self.converter.kinds.get(kind)
        if names is None or self.upkeep is None:
            return None
        given = read_conditions(raw)
        if given is None:
            return None
        right = right_list(given, None, names, self.upkeep)
        return None if right is given else (given, right)

    def _is_right(self, kind: str, status: msgspec.Raw) -> bool:
        """Whether nothing is to be done, at first sight: what nearly always is so."""
        names = self.converter.kinds.get(kind)
        if names is None or self.upkeep is not _MAKE:
            return names is None
        return in_step(status, names)

    def _mirrored(self, fields: Fields) -> Fields:
        """The object with the right list of conditions; its status stays in its place."""
        kind = _text(fields.get("kind")) or ""
        if self._is_right(kind, fields.get("status", _NULL)):
            return fields
        status = fields_of(fields.get("status", _NULL))
        conditions = None if status is None else status.get("conditions")
        if status is None or conditions is None:
            return fields
        if conditions == _NULL:
            del status["conditions"]
        else:
            lists = self.conditions(kind, conditions)
            if lists is None:
                return fields
            status["conditions"] = msgspec.Raw(_ENCODE.encode([c.raw for c in lists[1]]))
        return {**fields, "status": msgspec.Raw(_ENCODE.encode(status))}


def fields_of(raw: msgspec.Raw) -> Fields | None:
    """The members of a JSON object; None for what is none."""
    try:
        return _FIELDS.decode(raw)
    except _UNREADABLE:
        return None


def _text(raw: msgspec.Raw | None) -> str | None:
    try:
        return None if raw is None else _TEXT.decode(raw)
    except _UNREADABLE:
        return None
