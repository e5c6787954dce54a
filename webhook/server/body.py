"""Reads a request's body: capped before it is allocated, whole, within a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from webhook.reviews.decode import ReviewError

if TYPE_CHECKING:
    from aiohttp import web


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


async def read_body(request: web.Request, limit: int, timeout: float) -> bytes:  # noqa: ASYNC109
    """The body of at most ``limit`` bytes. Raises ReviewError (408, 413, 415).

    The API server always sends Content-Length; what comes in chunks is counted as it arrives.
    """
    check_head(request, limit)
    first = await _piece(request, timeout)
    length = request.content_length
    if length is not None and len(first) == length:
        return first
    return await _rest(request, first, length, limit, timeout)


async def _piece(request: web.Request, timeout: float) -> bytes:  # noqa: ASYNC109
    content = request.content
    if content.is_eof() or content.total_bytes:
        return await content.readany()
    try:
        async with asyncio.timeout(timeout):
            return await content.readany()
    except TimeoutError:
        raise ReviewError(408, "Timeout", "the body did not arrive in time") from None


async def _rest(
    request: web.Request,
    first: bytes,
    length: int | None,
    limit: int,
    timeout: float,  # noqa: ASYNC109
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
                piece = await request.content.readany()
    except TimeoutError:
        raise ReviewError(408, "Timeout", "the body did not arrive in time") from None
    return bytes(memoryview(buffer)[:size])
