"""One pass over a body: the big places of both objects are split while the envelope is read.

A kind's profile names its bulk (``match.bulk``: the maps that grow with the cluster). On the way
there every member must be one that the profile knows; an object with anything else in it, or of
another shape, is read the general way, and judged the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.lifecycle.path import parse
from webhook.reviews.decode import check_text, decode_admission, is_review
from webhook.reviews.wire import AdmissionRequest, AdmissionReview

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webhook.lifecycle.compile import CompiledGuard
    from webhook.lifecycle.plan import Branch

_KIND: Final = re.compile(  # possessive: white space in two places is no way to keep us busy
    rb'"kind":\s*+\{\s*+(?:"(?:group":\s*+"(?P<group>[^"\\]*+)|version":\s*+"[^"\\]*+|'
    rb'kind":\s*+"(?P<kind>[^"\\]*+))",?+\s*+)++\}'
)
_AT: Final = b'"kind":{'
_LONGEST: Final = 256
_MOST: Final = 256
"""Ways to write a kind that are remembered: in which versions, and in which order."""
_FAR: Final = 2048
"""The API server writes the kind right behind the uid; it is not looked for further on."""
_MAP: Final = dict[str, msgspec.Raw]
_MAPS: Final = ("metadata", "status")
_ROOT: Final = ("apiVersion", "kind", "metadata", "spec", "status")


@dataclass(frozen=True, slots=True)
class Opening:
    """How the reviews of each kind are read.

    Attributes:
        guards: (group, kind) -> the guards for it.
    """

    guards: Mapping[tuple[str, str], tuple[CompiledGuard, ...]]
    _decoders: dict[tuple[str, str], msgspec.json.Decoder[Any]] = field(default_factory=dict)
    _kinds: dict[bytes, tuple[str, str]] = field(default_factory=dict)

    def review(self, body: bytes) -> AdmissionReview:
        """The review in a body, as ``decode_admission``. Raises ReviewError."""
        key = self._kind(body)
        decoder = None if key is None else self._decoder(key)
        if decoder is None:
            return decode_admission(body)
        check_text(body)
        try:
            review: AdmissionReview = decoder.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return decode_admission(body)
        its = review.request.kind if review.request is not None else None
        if its is None or (its.group, its.kind) != key or not is_review(review):
            return decode_admission(body)
        return review

    def _kind(self, body: bytes) -> tuple[str, str] | None:
        """What the head of a body says it is about; the review itself has the last word."""
        at = body.find(_AT, 0, _FAR)
        written = bytes(body[at : body.find(b"}", at, at + _LONGEST) + 1]) if at >= 0 else b""
        known = self._kinds.get(written)
        if known is not None:
            return known
        found = _KIND.search(body, 0, _FAR)
        if found is None or found["kind"] is None:
            return None
        group, kind = (str(found[n] or b"", "utf-8", "replace") for n in ("group", "kind"))
        if found[0] == written and (group, kind) in self.guards and len(self._kinds) < _MOST:
            self._kinds[written] = (group, kind)
        return group, kind

    def _decoder(self, key: tuple[str, str]) -> msgspec.json.Decoder[Any] | None:
        decoder = self._decoders.get(key)
        if decoder is None:
            guards = self.guards.get(key)
            if guards is None:
                return None
            decoder = self._decoders[key] = _decoder(guards)
        return decoder


def _decoder(guards: Iterable[CompiledGuard]) -> msgspec.json.Decoder[Any]:
    bulk = {path for guard in guards for path in guard.match.bulk}
    roots = [guard.plan.branch("") for guard in guards]
    paths = [tuple(step.name for step in parse(path)) for path in sorted(bulk)]
    split = _struct("Split", _ROOT, paths, roots, _MAPS)
    request = msgspec.defstruct(
        "OpenedRequest",
        [("object", split | None, None), ("old_object", split | None, None)],
        bases=(AdmissionRequest,), frozen=True, rename="camel",
    )  # fmt: skip
    review = msgspec.defstruct(
        "OpenedReview",
        [("request", request | None, None)],
        bases=(AdmissionReview,), frozen=True, rename="camel",
    )  # fmt: skip
    return msgspec.json.Decoder(review)


def _struct(
    name: str,
    known: Iterable[str],
    bulk: list[tuple[str, ...]],
    branches: list[Branch],
    maps: tuple[str, ...] = (),
) -> Any:
    """A struct for an object on the way to its bulk, or for the whole, whose ``maps`` are split."""
    fields = []
    for key in dict.fromkeys((*known, *(key for branch in branches for key in branch.keys))):
        onward = [path[1:] for path in bulk if path[0] == key]
        below = [branch.keys[key][1] for branch in branches if key in branch.keys]
        kind: Any = msgspec.Raw
        if any(onward):
            kind = _struct(key.title(), (), [path for path in onward if path], below)
        elif onward or key in maps:
            kind = _MAP
        fields.append((key, kind | msgspec.UnsetType, msgspec.UNSET))
    return msgspec.defstruct(name, fields, frozen=True, forbid_unknown_fields=True, gc=False)
