"""All connections of the listener for reviews, and what they share."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from webhook.server.lane import Lane

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from webhook.server.head import Heads
    from webhook.server.state import State

LOOK: Final = 0.02
"""Seconds between two looks at whether calls are still under way at the end."""


class Turns:
    """Bodies that have arrived in pieces wait here, and one is judged in each turn of the loop.

    In between, everything small that has come in whole is answered: it never waits for more
    than one large body.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def add(self, work: Callable[[], None]) -> None:
        """Does it in a later turn."""
        self._waiting.append(work)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        work = self._waiting[0]
        try:
            work()
        finally:
            self._waiting.popleft()
            if self._waiting:
                asyncio.get_running_loop().call_soon(self._next)


class Lanes:
    """All lanes of a listener, and what they share."""

    def __init__(
        self,
        state: State,
        heads: Heads,
        elsewhere: Callable[[], Awaitable[asyncio.Protocol]],
        keep_alive: float,
    ) -> None:
        """`elsewhere`: makes the protocol that takes a connection over."""
        self.state = state
        self.heads = heads
        self.elsewhere = elsewhere
        self.keep_alive = keep_alive
        self.turns = Turns()
        self.open: set[Lane] = set()
        self._ending = False
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Does something that takes more than one turn."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def ends(self) -> bool:
        """Whether each answer is the last of its connection."""
        return self._ending or self.state.draining

    def lane(self) -> Lane:
        """A new connection's protocol."""
        return Lane(self)

    async def end(self, grace: float) -> list[asyncio.Transport]:
        """Ends who is idle, and the others once they have their answer, within so many seconds.

        Returns what is still open: its peer has not answered to the end yet.
        """
        self._ending = True
        for lane in tuple(self.open):
            if not lane.under_way:
                lane.transport.close()
        until = time.monotonic() + grace
        while any(lane.under_way for lane in self.open) and time.monotonic() < until:  # noqa: ASYNC110 - a count, no event
            await asyncio.sleep(LOOK)
        return [lane.transport for lane in self.open]
