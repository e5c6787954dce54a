"""A lazy view of raw JSON: compared by bytes, decoded only where somebody asks.

The API server encodes object and oldObject with one encoder and sorted keys, so unchanged parts
are byte-equal (measured); a difference in bytes that is none in meaning only costs a decode.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

Raw = msgspec.Raw

_FIELDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_VALUE: Final = msgspec.json.Decoder()


class _Element(msgspec.Struct, gc=False):
    """An element of a list of which only the type is read."""

    type: str | None = None


_TYPED: Final = msgspec.json.Decoder(list[_Element])
_ENCODE: Final = msgspec.json.Encoder()
NULL: Final = msgspec.Raw(b"null")
_EMPTY: Final[dict[str, msgspec.Raw]] = {}


class _Unreadable:
    """Stands for a value that JSON's grammar allows and no reader can hold (1e999)."""

    def __repr__(self) -> str:
        return "unreadable"


UNREADABLE: Final = _Unreadable()
NOT_READ: Final[Any] = object()


class View:
    """One JSON value under review; nothing below it is decoded before it is read.

    Attributes:
        raw: the value's own bytes, a slice of the body it came in.
    """

    __slots__ = (
        "_fields", "_inside", "_items", "_kids", "_kinds", "_raws", "_types", "_value", "raw",
    )  # fmt: skip

    def __init__(self, raw: msgspec.Raw) -> None:
        self.raw = raw
        self._fields: Any = NOT_READ
        self._raws: Any = NOT_READ
        self._items: list[View] | None = None
        self._kids: dict[str, View | None] | None = None
        self._kinds: dict[str, msgspec.Raw] | None = None
        self._types: dict[str, View] | None = None
        self._inside: Any = NOT_READ
        self._value: Any = NOT_READ

    @classmethod
    def of(cls, value: Any) -> View:
        """A view of a plain Python value (tests, and documents that came as YAML)."""
        return cls(msgspec.Raw(_ENCODE.encode(value)))

    @property
    def fields(self) -> dict[str, msgspec.Raw] | None:
        """The object's members as raw slices; None when the value is no JSON object."""
        if self._fields is NOT_READ:
            try:
                self._fields = _FIELDS.decode(self.raw)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                self._fields = None
        found: dict[str, msgspec.Raw] | None = self._fields
        return found

    @property
    def members(self) -> dict[str, msgspec.Raw]:
        """As ``fields``, with an empty object for what is no object."""
        return self.fields or _EMPTY

    @property
    def items(self) -> list[View] | None:
        """The array's elements; None when the value is no JSON array."""
        if self._items is None and self.elements is not None:
            self._items = [View(raw) for raw in self._raws]
        return self._items

    @property
    def elements(self) -> list[msgspec.Raw] | None:
        """As ``items``, as raw slices."""
        if self._raws is NOT_READ:
            try:
                self._raws = _ITEMS.decode(self.raw)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                self._raws = None
        found: list[msgspec.Raw] | None = self._raws
        return found

    @property
    def kinds(self) -> dict[str, msgspec.Raw]:
        """The array's elements by their ``type``, the first one of each (FindStatusCondition)."""
        if self._kinds is None:
            elements, types = self.elements or (), self._each_type()
            kinds = dict(zip(types, elements, strict=True))
            if len(kinds) < len(elements) or None in kinds:
                kinds = {}
                for kind, raw in zip(types, elements, strict=True):
                    kinds.setdefault(kind, raw)
                kinds.pop(None, None)
            self._kinds = cast("dict[str, msgspec.Raw]", kinds)
        return self._kinds

    def _each_type(self) -> list[str | None]:
        """The ``type`` of each element, all of them read in one pass where nothing is odd."""
        if not self.elements:
            return []
        try:
            return [element.type for element in _TYPED.decode(self.raw)]
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return [item.text("type") for item in self.items or ()]

    @property
    def types(self) -> dict[str, View]:
        """As ``kinds``, as views."""
        found = ((kind, self.element(kind)) for kind in self.kinds)
        return {kind: element for kind, element in found if element is not None}

    def element(self, kind: str) -> View | None:
        """The first element of this ``type``."""
        if self._types is None:
            self._types = {}
        elif kind in self._types:
            return self._types[kind]
        raw = self.kinds.get(kind)
        if raw is None:
            return None
        found = self._types[kind] = View(raw)
        return found

    @property
    def repeated(self) -> dict[str, int]:
        """How often a ``type`` stands in the array, where that is more than once."""
        if len(self.elements or ()) == len(self.kinds):
            return {}
        counts = Counter(kind for kind in self._each_type() if kind is not None)
        return {kind: count for kind, count in counts.items() if count > 1}

    @property
    def value(self) -> Any:
        """The decoded value; UNREADABLE when no reader can hold it."""
        if self._value is NOT_READ:
            try:
                self._value = _VALUE.decode(self.raw)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                self._value = UNREADABLE
        return self._value

    @property
    def inside(self) -> View | None:
        """The JSON document that this string holds; None when it is no string or holds none."""
        if self._inside is NOT_READ:
            self._inside = _parse(self.value)
        found: View | None = self._inside
        return found

    def like(self, other: View) -> bool:
        """Whether both are written alike, byte by byte; what differs may still mean the same."""
        return self.raw == other.raw

    def child(self, key: str) -> View | None:
        """The member ``key``; null counts as absent, as everywhere in Kubernetes."""
        kids = self._kids
        if kids is None:
            kids = self._kids = {}
        elif key in kids:
            return kids[key]
        fields = self._fields
        if fields is NOT_READ:  # the hot path: no property, no second look
            fields = self.fields
        raw = fields.get(key) if fields else None
        kid = None if raw is None or raw == NULL else View(raw)
        kids[key] = kid
        return kid

    def at(self, *keys: str) -> View | None:
        """The value below ``keys``, or None."""
        here: View | None = self
        for key in keys:
            if here is None:
                return None
            here = here.child(key)
        return here

    def text(self, *keys: str) -> str | None:
        """The string below ``keys``, or None when it is absent or no string."""
        here = self.at(*keys)
        value = None if here is None else here.value
        return value if isinstance(value, str) else None

    def texts(self, names: Iterable[str]) -> list[str | None]:
        """As ``text``, for several members of a small object, which is decoded once as a whole."""
        value = self.value
        if type(value) is not dict:
            return [self.text(name) for name in names]
        found = (value.get(name) for name in names)
        return [one if type(one) is str else None for one in found]

    def number(self, *keys: str) -> int | None:
        """The integer below ``keys``, or None when it is absent or none."""
        here = self.at(*keys)
        value = None if here is None else here.value
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def __repr__(self) -> str:
        return f"View({bytes(self.raw)[:60]!r})"


def view(raw: msgspec.Raw | None) -> View | None:
    """A view of ``raw``; None when there is nothing or null."""
    return None if raw is None or raw == NULL else View(raw)


def same(old: View | None, new: View | None) -> bool:
    """Whether both say the same: by bytes first, by meaning where the bytes differ."""
    if old is None or new is None:
        return old is new
    if old.like(new):
        return True
    try:
        return equal_values(old.value, new.value)
    except RecursionError:  # nested too deeply to be compared: taken for a change
        return False


def equal_values(old: Any, new: Any) -> bool:
    """JSON equality: as Python's, but true is not 1 and what can't be read equals nothing."""
    if old is UNREADABLE or new is UNREADABLE:
        return False
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(equal_values(old[k], new[k]) for k in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(equal_values, old, new))
    return isinstance(old, bool) == isinstance(new, bool) and bool(old == new)


def _parse(text: Any) -> View | None:
    if not isinstance(text, str):
        return None
    try:
        raw = msgspec.json.decode(text.encode(), type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return View(msgspec.Raw(bytes(raw)))
