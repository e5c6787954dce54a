"""Plain GETs of kubelet and Prometheus, read without aiohttp; any other connection goes over to it."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from webhook.server.head import FIELD, FIELDS, LONGEST
from webhook.server.sending import page_head

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from webhook.server.pages import Page, Pages

_REQUEST: Final = re.compile(rb"GET (/[a-z]+) HTTP/1\.1\r\n" + FIELDS + rb"\r\n")
_PLAIN: Final = frozenset(
    {
        b"host", b"user-agent", b"accept", b"accept-encoding", b"connection", b"accept-language",
        b"x-prometheus-scrape-timeout-seconds",
    }
)  # fmt: skip
"""Fields that such a call may have; with any other one it is not plain."""


class PlainLanes:
    """All connections of a plain port."""

    def __init__(
        self, pages: Pages, elsewhere: Callable[[], Awaitable[asyncio.Protocol]], keep_alive: float
    ) -> None:
        """`elsewhere`: makes the protocol that takes a connection over."""
        self.pages = pages
        self.elsewhere = elsewhere
        self.keep_alive = keep_alive
        self.open: set[PlainLane] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def lane(self) -> PlainLane:
        """A new connection's protocol."""
        return PlainLane(self)

    def begin(self, work: Awaitable[None]) -> None:
        """Does something for one connection."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self, _grace: float) -> list[asyncio.Transport]:
        """Ends all of them: whoever probes, probes again."""
        transports = [lane.transport for lane in self.open]
        for transport in transports:
            transport.close()
        return []


class PlainLane(asyncio.Protocol):
    """The protocol of one connection."""

    transport: asyncio.Transport

    def __init__(self, lanes: PlainLanes) -> None:
        self._lanes = lanes
        self._got = b""
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody has connected."""
        self.transport = transport  # type: ignore[assignment]
        self._lanes.open.add(self)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody has gone."""
        del exc
        self._leave()

    def _leave(self) -> None:
        self._lanes.open.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._lanes.keep_alive, self.transport.close)

    def data_received(self, data: bytes) -> None:
        """A head, or a part of one."""
        self._got += data
        if not self._busy:
            self._read()
        elif len(self._got) > LONGEST:
            self.transport.pause_reading()

    def _read(self) -> None:
        end = self._got.find(b"\r\n\r\n") + 4
        if (
            end < 4
            and len(self._got) <= LONGEST
            and self._got.startswith(b"GET "[: len(self._got)])
        ):
            return
        found = _REQUEST.fullmatch(self._got[:end]) if end >= 4 else None
        page = self._lanes.pages.get(found[1].decode()) if found else None
        fields = {n.lower(): v for n, v in FIELD.findall(found[2])} if found else {}
        self._busy = True
        if page is None or not _PLAIN.issuperset(fields) or b"host" not in fields:
            self.transport.pause_reading()
            self._lanes.begin(self._handed_over())
            return
        self._got = self._got[end:]
        close = fields.get(b"connection", b"").lower() != b"keep-alive" and b"connection" in fields
        self._lanes.begin(self._answered(page, ending=close))

    async def _answered(self, page: Callable[[], Awaitable[Page]], *, ending: bool) -> None:
        code, media, body = await page()
        if self.transport.is_closing():
            return
        self.transport.write(page_head(code, media, len(body), ending=ending) + body)
        self._busy = False
        if ending:
            self.transport.close()
            return
        self._wait()
        self.transport.resume_reading()
        if self._got:
            self._read()

    async def _handed_over(self) -> None:
        protocol = await self._lanes.elsewhere()
        if self.transport.is_closing():
            return
        self._leave()
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)
        self.transport.resume_reading()
        protocol.data_received(self._got)
