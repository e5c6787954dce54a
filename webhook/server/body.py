"""Reads a request's body: capped before it is allocated, whole, within a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from webhook.reviews.decode import ReviewError

if TYPE_CHECKING:
    from aiohttp import web

MIB: Final = 2**20
MOST_HELD: Final = 256 * MIB
"""Our Pod has 1 GiB; a converted list is held twice, as it came and as it goes."""
MOST_CALLS: Final = 256
SHORT: Final = 16 * 1024
"""Bytes of a body that is a single TLS record: to refuse it would cost as much as to judge it."""
SMALL: Final = MIB
"""A call of this size is never turned away for want of room."""


def too_large(limit: int) -> ReviewError:
    """What a body over the limit gets."""
    return ReviewError(413, "RequestEntityTooLarge", f"the body is larger than {limit} bytes")


def check_head(request: web.Request, limit: int) -> None:
    """Refuses by the headers alone what need not be read. Raises ReviewError."""
    media = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise ReviewError(415, "UnsupportedMediaType", "Content-Type must be application/json")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise ReviewError(415, "UnsupportedMediaType", "Content-Encoding is not supported")
    length = request.content_length
    if length is not None and length > limit:
        raise too_large(limit)


class Room:
    """Calls that may be under way at once, and bytes of their bodies, whoever sends them.

    What does not find room is refused at once: a queue would only answer after the API server's
    patience is over.

    Attributes:
        most: so many bytes; above, who holds much gets no more, and small reviews still find room.
        held: so many are held now, arrived and not yet answered.
        most_calls, calls: the same of calls.
    """

    __slots__ = ("calls", "held", "most", "most_calls")

    def __init__(self, most: int = MOST_HELD, most_calls: int = MOST_CALLS) -> None:
        self.most = most
        self.held = 0
        self.most_calls = most_calls
        self.calls = 0

    def share(self) -> Share:
        """The part of one call."""
        return Share(self)


class Share:
    """What one call holds of the room, until it is left."""

    __slots__ = ("_room", "size")

    def __init__(self, room: Room) -> None:
        self._room = room
        self.size = 0

    def take(self, size: int) -> None:
        """Counts what has arrived. Raises ReviewError (503)."""
        self.size += size
        self._room.held += size
        if self._room.held > self._room.most and self.size > SMALL:
            raise ReviewError(503, "ServiceUnavailable", "too many large bodies at once")

    def enter(self, length: int | None) -> None:
        """Counts the call; a short one always finds room. Raises ReviewError (503)."""
        short = length is not None and length <= SHORT
        if self._room.calls >= self._room.most_calls and not short:
            raise ReviewError(503, "ServiceUnavailable", "too many calls under way at once")
        self._room.calls += 1

    def leave(self) -> None:
        """Gives all of it back."""
        self._room.calls -= 1
        self._room.held -= self.size
        self.size = 0


async def read_body(
    request: web.Request,
    limit: int,
    timeout: float,  # noqa: ASYNC109
    share: Share,
) -> bytes:
    """The body of at most ``limit`` bytes. Raises ReviewError (408, 413, 415, 503).

    The API server always sends Content-Length; what comes in chunks is counted as it arrives.
    """
    check_head(request, limit)
    first = await _piece(request, timeout)
    share.take(len(first))
    length = request.content_length
    if length is not None and len(first) == length:
        return first
    return await _rest(request, first, length, limit, timeout, share)


async def _piece(request: web.Request, timeout: float) -> bytes:  # noqa: ASYNC109
    content = request.content
    if content.is_eof() or content.total_bytes:
        return await _arrived(request)
    try:
        async with asyncio.timeout(timeout):
            return await _arrived(request)
    except TimeoutError:
        raise ReviewError(408, "Timeout", "the body did not arrive in time") from None


async def _rest(
    request: web.Request,
    first: bytes,
    length: int | None,
    limit: int,
    timeout: float,  # noqa: ASYNC109
    share: Share,
) -> bytes:
    buffer = bytearray(length or 0)
    size = 0
    try:
        async with asyncio.timeout(timeout):
            piece = first
            while piece or not request.content.at_eof():
                end = size + len(piece)
                if end > limit or (length is not None and end > length):
                    raise too_large(limit)
                buffer[size:end] = piece
                size = end
                piece = await _arrived(request)
                share.take(len(piece))
    except TimeoutError:
        raise ReviewError(408, "Timeout", "the body did not arrive in time") from None
    return bytes(memoryview(buffer)[:size])


async def _arrived(request: web.Request) -> bytes:
    """What has come. Raises ConnectionResetError where the peer has gone before its call was read."""
    try:
        return await request.content.readany()
    except RuntimeError:
        if request.transport is None:
            raise ConnectionResetError from None
        raise
