"""Views of what the first pass over a body has already taken apart.

The big places of an object (its maps of nodes) are split while the envelope is read, so that no
byte is scanned twice. Everything else about such a view is as about any other.
"""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec
from msgspec import UNSET
from msgspec.structs import astuple

from webhook.core.view import NOT_READ, NULL, View

_ENCODE: Final = msgspec.json.Encoder()

Split = dict[str, msgspec.Raw] | msgspec.Struct
"""A JSON object in parts: members as raw slices, some of them in parts themselves."""


class Opened(View):
    """A JSON object whose members are known already.

    Attributes:
        split: the parts.
    """

    __slots__ = ("split",)

    def __init__(self, split: Split) -> None:
        self.split = split
        self._fields = split if isinstance(split, dict) else _present(split)
        self._raws = self._items = self._inside = self._kids = self._types = None
        self._kinds = {}
        self._value = NOT_READ

    @property
    def raw(self) -> msgspec.Raw:  # type: ignore[override]
        """The JSON, put together again; what is left out is white space, and what stood twice."""
        return msgspec.Raw(_ENCODE.encode(self.split))

    def like(self, other: View) -> bool:
        """As View.like, without putting anything together."""
        if isinstance(other, Opened):
            return bool(self.split == other.split)
        return super().like(other)

    def child(self, key: str) -> View | None:
        """As View.child."""
        if self._kids is None:
            self._kids = {}
        elif key in self._kids:
            return self._kids[key]
        part = self._fields.get(key)
        kid = self._kids[key] = seen(part)
        return kid


def _present(split: msgspec.Struct) -> dict[str, Any]:
    found = zip(split.__struct_fields__, astuple(split), strict=True)
    return {name: part for name, part in found if part is not UNSET}


def seen(part: Any) -> View | None:
    """A view of a part: a raw slice, or an object in parts; None when there is nothing or null."""
    if type(part) is msgspec.Raw:
        return None if part == NULL else View(part)
    return None if part is None else Opened(cast("Split", part))
