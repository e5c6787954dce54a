"""ConversionReview v1: bytes in, the whole encoded answer out, piece by piece for long lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec

from webhook.conversions.converter import fields_of
from webhook.reviews.answer import cut
from webhook.reviews.decode import ReviewError, check_text
from webhook.reviews.wire import NULL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from webhook.conversions.converter import Conversion, Converter, Fields

API_VERSION: Final = "apiextensions.k8s.io/v1"
KIND: Final = "ConversionReview"
SLICE: Final = 256 * 1024
"""Bytes of answer after which a server gets its turn: well under a millisecond of work."""
LONGEST_MESSAGE: Final = 1000

_ENCODE: Final = msgspec.json.Encoder()
_EMPTY: Final = msgspec.Raw(b"{}")


class _Request(msgspec.Struct, frozen=True):
    """apiextensions.k8s.io/v1 ConversionRequest, its objects as members in raw slices."""

    uid: str = ""
    desired: str = msgspec.field(default="", name="desiredAPIVersion")
    objects: list[dict[str, msgspec.Raw]] | None = None


class _Review(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: _Request | None = None


class _OddRequest(msgspec.Struct, frozen=True):
    """The same for objects that are none."""

    uid: str = ""
    desired: str = msgspec.field(default="", name="desiredAPIVersion")
    objects: list[msgspec.Raw] | None = None


class _OddReview(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: _OddRequest | None = None


_REVIEW: Final = msgspec.json.Decoder(_Review)
_ODD: Final = msgspec.json.Decoder(_OddReview)


@dataclass(frozen=True, slots=True)
class ConversionReview:
    """What is asked for.

    Attributes:
        uid: of the request; the answer repeats it.
        desired: the apiVersion that all objects should have.
        objects: each one's members as raw slices; one that is no JSON object as it is.
    """

    uid: str
    desired: str
    objects: list[Fields] | list[msgspec.Raw]


def decode_conversion(body: bytes) -> ConversionReview:
    """The review in a body. Raises ReviewError.

    The bytes are checked as a whole (JSON grammar, UTF-8); of the objects only the outermost
    members are told apart, in the same pass.
    """
    check_text(body)
    try:
        review: _Review | _OddReview = _REVIEW.decode(body)
    except msgspec.ValidationError:
        review = _odd(body)
    except (msgspec.DecodeError, RecursionError) as error:
        _bad(f"not JSON: {error}")
    if review.kind != KIND or review.api_version != API_VERSION:
        _bad(f"not a {KIND} of {API_VERSION}")
    request = review.request
    if request is None or not request.uid:
        _bad(f"a {KIND} without request or uid")
    return ConversionReview(request.uid, request.desired, request.objects or [])


def _odd(body: bytes) -> _OddReview:
    try:
        return _ODD.decode(body)
    except msgspec.ValidationError as error:
        _bad(f"no {KIND}: {error}")
    except (msgspec.DecodeError, RecursionError) as error:  # behind what the first pass stopped at
        _bad(f"not JSON: {error}")


def convert(review: ConversionReview, converters: Mapping[str, Converter], now: datetime) -> bytes:
    """The whole answer, encoded. ``converters`` by API group."""
    return b"".join(convert_slices(review, converters, now))


def convert_slices(
    review: ConversionReview,
    converters: Mapping[str, Converter],
    now: datetime,
    size: int = SLICE,
) -> Iterator[bytes]:
    """The answer in pieces of about ``size`` bytes, made as they are asked for.

    Whoever sends them may do something else in between; together they are one JSON document.
    """
    group, _, version = review.desired.rpartition("/")
    converter = converters.get(group)
    if converter is None or review.desired not in converter.served:
        yield _failure(review, converters)
        return
    conversion = converter.to(version, now)
    piece = [_opening(review.uid)]
    length = 0
    for one in review.objects:
        made = _converted(one, conversion)
        piece += made, b","
        length += len(made)
        if length >= size:
            yield b"".join(piece[:-1])
            piece, length = [b","], 0
    if piece[-1] == b",":
        piece.pop()
    piece.append(b"]}}")
    yield b"".join(piece)


def _converted(one: Fields | msgspec.Raw, conversion: Conversion) -> bytes:
    """One object as the API server takes it: never without metadata. What is no object passes."""
    if isinstance(one, dict):
        fields = one
    elif (members := fields_of(one)) is not None:
        fields = members
    else:
        return bytes(one)
    if fields.get("metadata", NULL) == NULL:
        fields = {**fields, "metadata": _EMPTY}
    return conversion.of(fields)


def _opening(uid: str) -> bytes:
    return (
        b'{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":'
        + _ENCODE.encode(uid)
        + b',"result":{"status":"Success"},"convertedObjects":['
    )


def _failure(review: ConversionReview, converters: Mapping[str, Converter]) -> bytes:
    """The one thing that cannot be done: the API server shows no more of it than the message."""
    served = ", ".join(v for _, one in sorted(converters.items()) for v in one.served)
    said = f"skyhook-webhook does not convert to {cut(review.desired, 200)!r}; it serves {served}"
    result: dict[str, Any] = {
        "status": "Failure",
        "message": cut(said, LONGEST_MESSAGE),
        "reason": "BadRequest",
        "code": 400,
    }
    response = {"uid": review.uid, "result": result, "convertedObjects": []}
    return _ENCODE.encode({"apiVersion": API_VERSION, "kind": KIND, "response": response})


def _bad(message: str) -> NoReturn:
    raise ReviewError(400, "BadRequest", message)
