"""The calls of one API server's connection: head, body, answer, again.

Only heads of one plain form are read here (head.py). At the first byte of any other the whole
connection goes over to aiohttp, which has seen more of the world: chunks, Expect, other methods and paths,
bad syntax. A body arrives in a buffer of its own size, straight from OpenSSL.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from webhook.reviews.decode import ReviewError
from webhook.server.arrival import Arrival
from webhook.server.connection import Reader
from webhook.server.failure import Answer
from webhook.server.head import LONGEST
from webhook.server.sending import Outlet

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from webhook.server.body import Share
    from webhook.server.head import Call
    from webhook.server.lanes import Lanes

BUFFER: Final = 16 * 1024
"""A whole small review with its head; one TLS record."""


class Lane(Reader):
    """The protocol of one connection.

    Attributes:
        transport: the connection itself.
    """

    __slots__ = (
        "_arrival", "_at", "_buffer", "_busy", "_call", "_got", "_lanes", "_late", "_left", "_loop", "_outlet", "_seen",
        "_share", "_timer", "_tls", "_view", "transport",
    )  # fmt: skip

    transport: asyncio.Transport
    _outlet: Outlet
    _timer: asyncio.TimerHandle

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray(BUFFER)
        self._view = memoryview(self._buffer)
        self._at = self._got = 0  # what is read of the buffer, and what is there
        self._call: Call | None = None  # whose body arrives, or is judged
        self._share: Share | None = None
        self._arrival: Arrival | None = None
        self._left = 0  # bytes of a refused body that are still to come
        self._late: asyncio.TimerHandle | None = None
        self._busy = False  # an answer is being made: what arrives meanwhile waits in the buffer
        self._seen = self._loop.time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A handshake is through."""
        self.transport = transport  # type: ignore[assignment]
        self._outlet = Outlet(self.transport)
        self._tls = transport.get_extra_info("ssl_object")
        self._lanes.open.add(self)
        self._timer = self._loop.call_later(self._lanes.keep_alive, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """The peer has gone, or we have ended it."""
        del exc
        self._leave_lanes()
        if self._arrival is not None and self._call is not None:
            self._call.route.refuse(ReviewError(400, "BadRequest", "the body did not arrive whole"))
        if not self._busy:
            self._release()
        self._outlet.resume()

    def _leave_lanes(self) -> None:
        self._lanes.open.discard(self)
        self._timer.cancel()
        self._no_longer_late()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the next bytes go."""
        del sizehint
        if self._arrival is not None:
            return self._arrival.rest
        if self._left:
            return self._view[: min(self._left, BUFFER)]
        return self._view[self._got :]

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes have come."""
        if self._arrival is not None:
            self._more_of_the_body(self._arrival, nbytes)
        elif self._left:
            self._left -= nbytes
            if not self._left:
                self._refused_body_is_over()
        else:
            self._got += nbytes
            if not self._busy:
                self._read()
            elif self._got == BUFFER:
                self.transport.pause_reading()

    def turn_over(self) -> None:
        """Nothing more is there for now."""
        if self._got and not self._busy and not self.transport.is_closing():
            self._read(more=False)

    def _read(self, *, more: bool = True) -> None:
        """Heads, and bodies that are there as a whole; `more`: the rest of a short one may be there already."""
        while self._got:
            end = self._buffer.find(b"\r\n\r\n", self._at, self._got) + 4
            if end < 4:
                if self._got - self._at > LONGEST:
                    self._hand_over()
                elif self._at:  # to the front, so that there is room behind it
                    left = self._got - self._at
                    self._buffer[:left] = self._buffer[self._at : self._got]
                    self._at, self._got = 0, left
                return
            call = self._lanes.heads.read(self._view[self._at : end].tobytes())
            if call is None:
                self._hand_over()
                return
            if self._got - end < call.length:
                if end + call.length > BUFFER or not more:
                    self._expect_body(call, end)
                return
            body = self._view[end : end + call.length].tobytes()
            self._at = end + call.length
            if self._at == self._got:
                self._at = self._got = 0
            try:
                call.route.check_client(self._tls)
            except ReviewError as error:
                self._send(call.route.refuse(error), ending=call.close)
            else:
                self._answer(call, body)
            if self._busy or self.transport.is_closing():
                return

    def _expect_body(self, call: Call, end: int) -> None:
        """The rest of the body will arrive in a buffer of its size."""
        route, there = call.route, self._view[end : self._got]
        self._call, self._at, self._got = call, 0, 0
        try:
            route.check_client(self._tls)
            self._share = route.enter(call.length)
            self._arrival = Arrival(call.length, there, self._share)
        except ReviewError as error:
            self._refuse_rest(error, call.length - len(there))
            return
        self._late = self._loop.call_later(route.state.settings.body_timeout, self._too_late)

    def _more_of_the_body(self, arrival: Arrival, nbytes: int) -> None:
        try:
            if not arrival.add(nbytes):
                return
        except ReviewError as error:
            self._refuse_rest(error, arrival.left)
            return
        self._arrival = None
        self._no_longer_late()
        self._busy = True
        self._lanes.turns.add(lambda: self._turn(arrival.whole))

    def _too_late(self) -> None:
        self._late = None
        left = self._arrival.left if self._arrival is not None else 0
        self._refuse_rest(ReviewError(408, "Timeout", "the body did not arrive in time"), left)

    def _refuse_rest(self, error: ReviewError, left: int) -> None:
        """Answers now. What is still to come of the body goes nowhere, and then the connection ends.

        Closing at once could take the answer away.
        """
        call = self._call
        self._no_longer_late()
        self._release()
        self._arrival = self._call = None
        if call is None:
            return
        self._left = left
        self._send(call.route.refuse(error), ending=True)
        if left:
            timeout = call.route.state.settings.body_timeout
            self._late = self._loop.call_later(timeout, self._refused_body_is_over)

    def _refused_body_is_over(self) -> None:
        self._left = 0
        self.transport.close()

    def _no_longer_late(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _release(self) -> None:
        share, self._share = self._share, None
        if share is not None and self._call is not None:
            self._call.route.leave(share)

    def _turn(self, body: bytes) -> None:
        """A large body is judged, unless nobody waits for the answer any more."""
        call, self._busy = self._call, False
        if call is None or self.transport.is_closing():
            self._release()
            return
        self._answer(call, body)
        self._go_on()

    def _answer(self, call: Call, body: bytes) -> None:
        answer = call.route.judge(body)
        if isinstance(answer, Answer):
            self._release()
            self._send(answer, ending=call.close)
            return
        self._busy = True
        self._call = call
        if self._got == BUFFER:
            self.transport.pause_reading()
        self._lanes.begin(self._finish(call, answer))

    async def _finish(self, call: Call, making: Awaitable[Answer]) -> None:
        """Sends an answer that takes long to make, at the pace at which it is read."""
        route = call.route
        if self._share is None:  # a short one that waits, for a Node
            self._share = route.enter(0)
        try:
            answer = await making
            if not self.transport.is_closing():
                ending = call.close or answer.close or self._lanes.ends
                await self._outlet.send_slowly(answer, ending=ending)
                self._after(ending)
        finally:
            self._release()
            self._busy = False
        self._go_on()

    def _go_on(self) -> None:
        """After an answer: with what has come meanwhile."""
        if self._busy or self.transport.is_closing():
            return
        if self._got == BUFFER:
            self.transport.resume_reading()
        if self._got:
            self._read()

    def _send(self, answer: Answer, *, ending: bool) -> None:
        ending = ending or answer.close or self._lanes.ends
        self._outlet.send(answer, ending=ending)
        self._after(ending)

    def _after(self, ending: bool) -> None:
        self._seen = self._loop.time()
        if ending and not self._left:
            self.transport.close()

    def pause_writing(self) -> None:
        """The peer reads slowly."""
        self._outlet.pause()

    def resume_writing(self) -> None:
        """It has read."""
        self._outlet.resume()

    def _look(self) -> None:
        """Ends a connection on which nothing was asked for long."""
        idle = 0.0 if self.under_way else self._loop.time() - self._seen
        limit = self._lanes.keep_alive
        if idle >= limit:
            self.transport.close()
        else:
            self._timer = self._loop.call_later(limit - idle, self._look)

    @property
    def under_way(self) -> bool:
        """Whether somebody waits for an answer, or sends the rest of a refused body."""
        return self._busy or self._arrival is not None or bool(self._left)

    def _hand_over(self) -> None:
        """The connection is aiohttp's from here on, with everything that is not read yet."""
        self._busy = True
        self.transport.pause_reading()
        self._lanes.begin(self._handed_over())

    async def _handed_over(self) -> None:
        protocol = await self._lanes.elsewhere()
        transport = self.transport
        if transport.is_closing():
            return
        self._leave_lanes()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        transport.resume_reading()
        protocol.data_received(self._view[self._at : self._got].tobytes())
