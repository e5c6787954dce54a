"""What `convert` is asked for: a version in each group that has it, and values brought to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.catalog import PROFILES, shipped
from webhook.cli.failures import CallerError
from webhook.conversions.converter import HUB, SPOKE, fields_of
from webhook.core.view import View
from webhook.core.window import Window, WindowError
from webhook.documents import to_json
from webhook.reviews.mirroring import MirrorSettings, converters_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from webhook.conversions.converter import Conversion, Fields

_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_ENCODE: Final = msgspec.json.Encoder()
_LIST: Final = "List"


@dataclass(frozen=True, slots=True)
class Target:
    """A version in each group that has it.

    Attributes:
        known: which apiVersion takes the place of which.
        conversions: by group.
        backwards: by group, the ones that lead back.
    """

    known: Mapping[str, str]
    conversions: Mapping[str, Conversion]
    backwards: Mapping[str, Conversion]

    @classmethod
    def of(cls, version: str, window: str, now: datetime) -> Target:
        """For ``v1beta1``, or ``<group>/v1beta1``. Raises CallerError."""
        try:
            settings = MirrorSettings(window=Window.parse(window))
        except WindowError as error:
            raise CallerError(f"--window: {error}") from None
        converters = converters_of((shipped(name) for name in PROFILES), settings)
        group, slash, short = version.rpartition("/")
        wanted = {g: c for g, c in converters.items() if not slash or g == group}
        if short not in (HUB, SPOKE) or not wanted:
            served = ", ".join(v for c in converters.values() for v in c.served)
            raise CallerError(f"--to {version}: no version that is served; these are: {served}")
        other = SPOKE if short == HUB else HUB
        return cls(
            {f"{group}/{other}": f"{group}/{short}" for group in wanted},
            {group: one.to(short, now) for group, one in wanted.items()},
            {group: one.to(other, now) for group, one in wanted.items()},
        )

    def conversion(self, api_version: Any, kind: Any) -> Conversion | None:
        """What converts objects of a kind; None where they pass (a kind with one version)."""
        if not isinstance(api_version, str) or api_version not in self.known:
            return None
        one = self.conversions[api_version.rpartition("/")[0]]
        return one if isinstance(kind, str) and kind in one.converter.kinds else None

    def conversion_of(self, value: Any) -> Conversion | None:
        """What converts a document's value; None for one that passes."""
        if not isinstance(value, dict):
            return None
        return self.conversion(value.get("apiVersion"), value.get("kind"))

    def value(self, value: Any) -> Any:
        """A document's value, converted."""
        one = self.conversion_of(value)
        return value if one is None else json.loads(one.of(_fields(value)))

    def back(self, value: Any) -> Any:
        """A converted value, brought back to the version it came from."""
        group = value["apiVersion"].rpartition("/")[0]
        return json.loads(self.backwards[group].of(_fields(value)))

    def raw(self, raw: msgspec.Raw, implied: Fields | None = None) -> bytes:
        """A document in JSON, or each item of a List, converted; every other value keeps its bytes.

        Args:
            raw: the document.
            implied: apiVersion and kind that the items of a typed List may leave out.
        """
        fields = fields_of(raw)
        if fields is None:
            return bytes(raw)
        whole = {**(implied or {}), **fields}
        version, kind = _text(whole.get("apiVersion")), _text(whole.get("kind"))
        items = fields.get("items")
        if kind.endswith(_LIST) and items is not None and bytes(items).startswith(b"["):
            return self._list(fields, items, version, kind.removesuffix(_LIST))
        one = self.conversion(version, kind)
        if one is None:
            return bytes(raw)
        converted = one.of(whole)
        if whole.keys() == fields.keys():
            return converted
        members = fields_of(msgspec.Raw(converted)) or {}
        return _ENCODE.encode({k: v for k, v in members.items() if k in fields})

    def _list(self, fields: Fields, items: msgspec.Raw, version: str, kind: str) -> bytes:
        implied = {"apiVersion": _raw(version), "kind": _raw(kind)} if kind else None
        brought = [msgspec.Raw(self.raw(item, implied)) for item in _ITEMS.decode(items)]
        listed = {**fields, "items": msgspec.Raw(_ENCODE.encode(brought))}
        if self.conversion(version, kind) is not None:
            listed["apiVersion"] = _raw(self.known[version])
        return _ENCODE.encode(listed)


def _fields(value: Any) -> Fields:
    return fields_of(msgspec.Raw(to_json(value))) or {}


def _raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(_ENCODE.encode(text))


def _text(raw: msgspec.Raw | None) -> str:
    value = None if raw is None else View(raw).value
    return value if isinstance(value, str) else ""
