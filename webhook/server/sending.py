"""Answers on their way out."""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from webhook.server.failure import Answer

_DATE: Final = "%a, %d %b %Y %H:%M:%S GMT"
"""In English: nobody here sets a locale for times."""

PIECE: Final = 256 * 1024
"""Bytes of an answer that are encrypted in one go."""


class _Heads:
    """What each kind of head begins with, the time of day included: made once a second."""

    def __init__(self) -> None:
        self._second = -1
        self._made: dict[tuple[int, str, bool], bytes] = {}

    def of(self, kind: tuple[int, str, bool]) -> bytes:
        """Status line and fields for a code, a type and whether the connection ends; no length yet."""
        now = int(time.time())
        if now != self._second:
            self._made.clear()
            self._second = now
        made = self._made.get(kind)
        if made is None:
            made = self._made[kind] = self._make(*kind)
        return made

    def _make(self, code: int, media: str, ending: bool) -> bytes:
        date = time.strftime(_DATE, time.gmtime(self._second))
        line = f"HTTP/1.1 {code} {HTTPStatus(code).phrase}\r\nContent-Type: {media}\r\nDate: {date}\r\n"
        return (line + ("Connection: close\r\n" if ending else "")).encode()


_heads: Final = _Heads()


def head_of(code: int, size: int, *, ending: bool) -> bytes:
    """Status line and fields for a JSON body of so many bytes; `ending`: the connection ends with it."""
    return page_head(code, "application/json", size, ending=ending)


def page_head(code: int, media: str, size: int, *, ending: bool) -> bytes:
    """The same for a page of another type."""
    return b"%bContent-Length: %d\r\n\r\n" % (_heads.of((code, media, ending)), size)


class Outlet:
    """Writes answers to one connection, long ones at the pace at which they are read."""

    __slots__ = ("_room", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._room: asyncio.Future[None] | None = None  # until the peer has read more

    def send(self, answer: Answer, *, ending: bool) -> None:
        """All of it at once."""
        body = answer.pieces[0] if len(answer.pieces) == 1 else b"".join(answer.pieces)
        self._transport.write(head_of(answer.code, len(body), ending=ending) + body)

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
