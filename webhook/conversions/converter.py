"""One object to another version: ``apiVersion`` and ``status.conditions`` change, nothing else.

Every other value is spliced through as its own bytes, and nothing ever fails: one object that does
would turn every LIST into a 500 and stall watches without a word (measured).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.conditions import read_conditions
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
_EMPTY: Final = msgspec.Raw(b"{}")
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

    def of(self, fields: Fields) -> bytes:
        """An object in that version, encoded.

        An object that is in it already, or of another group, comes back as it is. What the API
        server would refuse in an answer is mended: no metadata, and null conditions.
        """
        fields = dict(fields)
        if fields.get("metadata", _NULL) == _NULL:
            fields["metadata"] = _EMPTY
        have = _text(fields.get("apiVersion"))
        foreign = have is not None and have.rpartition("/")[0] != self.converter.group
        if have != self.api_version and not foreign:
            fields["apiVersion"] = msgspec.Raw(_ENCODE.encode(self.api_version))
            names = self.converter.kinds.get(_text(fields.get("kind")) or "")
            if names is not None:
                self._mirror(fields, names)
        return _ENCODE.encode(fields)

    def of_raw(self, raw: msgspec.Raw) -> bytes:
        """As ``of``; what is no JSON object passes as it is."""
        try:
            fields = _FIELDS.decode(raw)
        except _UNREADABLE:
            return bytes(raw)
        return self.of(fields)

    def _mirror(self, fields: Fields, names: MirrorNames) -> None:
        """Puts the right list of conditions into the status, which stays in its place."""
        status = fields.get("status", _NULL)
        if status == _NULL:
            return
        try:
            inside = _FIELDS.decode(status)
        except _UNREADABLE:
            return
        conditions = inside.get("conditions")
        if conditions is None:
            return
        if conditions == _NULL:
            del inside["conditions"]
        else:
            right = self._conditions(conditions, names)
            if right is None:
                return
            inside["conditions"] = right
        fields["status"] = msgspec.Raw(_ENCODE.encode(inside))

    def _conditions(self, raw: msgspec.Raw, names: MirrorNames) -> msgspec.Raw | None:
        """The right list; None when the one that is there is right, or not understood."""
        given = None if self.upkeep is None else read_conditions(raw)
        if given is None or self.upkeep is None:
            return None
        right = right_list(given, None, names, self.upkeep)
        if right is given:
            return None
        return msgspec.Raw(_ENCODE.encode([c.raw for c in right]))


def _text(raw: msgspec.Raw | None) -> str | None:
    try:
        return None if raw is None else _TEXT.decode(raw)
    except _UNREADABLE:
        return None
