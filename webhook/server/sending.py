"""Answers on their way out."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from webhook.server.failure import Answer

_LINES: Final = {code: f"{code.value} {code.phrase}".encode() for code in HTTPStatus}

PIECE: Final = 256 * 1024
"""Bytes of an answer that are encrypted in one go."""


class _Date:
    """The time of day as HTTP writes it, made once a second."""

    def __init__(self) -> None:
        self._second = -1
        self._text = b""

    def __call__(self) -> bytes:
        now = int(time.time())
        if now != self._second:
            self._text = formatdate(now, usegmt=True).encode()
            self._second = now
        return self._text


_date: Final = _Date()


def head_of(code: int, size: int, *, ending: bool) -> bytes:
    """Status line and fields for a JSON body of so many bytes; `ending`: the connection ends with it."""
    return page_head(code, "application/json", size, ending=ending)


def page_head(code: int, media: str, size: int, *, ending: bool) -> bytes:
    """The same for a page of another type."""
    return b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\nDate: %b\r\n%b\r\n" % (
        _LINES[HTTPStatus(code)],
        media.encode(),
        size,
        _date(),
        b"Connection: close\r\n" if ending else b"",
    )


class Outlet:
    """Writes answers to one connection, long ones at the pace at which they are read."""

    __slots__ = ("_room", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._room: asyncio.Future[None] | None = None  # until the peer has read more

    def send(self, answer: Answer, *, ending: bool) -> None:
        """All of it at once."""
        size = sum(map(len, answer.pieces))
        self._transport.write(head_of(answer.code, size, ending=ending) + b"".join(answer.pieces))

    async def send_slowly(self, answer: Answer, *, ending: bool) -> None:
        """Piece by piece, each freed once it is sent; others get their turns."""
        size = sum(map(len, answer.pieces))
        self._transport.write(head_of(answer.code, size, ending=ending))
        answer.pieces.reverse()
        while answer.pieces:
            piece = answer.pieces.pop()
            for at in range(0, len(piece), PIECE):
                if self._transport.is_closing():
                    return
                self._transport.write(piece[at : at + PIECE])
                await (self._room or asyncio.sleep(0))

    def pause(self) -> None:
        """The peer reads slowly."""
        self._room = asyncio.get_running_loop().create_future()

    def resume(self) -> None:
        """It has read, or is gone."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None
