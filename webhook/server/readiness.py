"""Ready means: a TLS request of our own has just been answered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from webhook.server.selfcall import REVIEW, VALIDATE, ask, loopback

if TYPE_CHECKING:
    from collections.abc import Callable

FRESH: Final = 2.0
"""For so many seconds a good answer counts, so that probes cannot become load."""
LONGEST_WAIT: Final = 60.0
"""For so many seconds at most a start waits for the caBundle; the API server may be away."""


class Readiness:
    """Asks our own listener over TLS, as the API server would.

    Attributes:
        draining: shutting down; never ready again.
        sample: path and body of the own request.
        trusted: set once the caBundle was seen right, where we keep it. After that, neither the
            caBundle nor the API server can take readiness away.
    """

    def __init__(
        self, host: str, port: int, ca_pem: Callable[[], bytes | None], clock: Callable[[], float]
    ) -> None:
        self._host = loopback(host)
        self._port = port
        self._ca_pem = ca_pem
        self._clock = clock
        self._started = clock()
        self._good_until = 0.0
        self._busy = asyncio.Lock()
        self.draining = False
        self.sample = (VALIDATE, REVIEW)
        self.trusted: asyncio.Event | None = None

    async def __call__(self) -> str | None:
        """None when ready, else why not."""
        if self.draining:
            return "shutting down"
        if self._awaits_trust():
            return "the caBundle has not been seen right yet"
        if self._clock() < self._good_until:
            return None
        async with self._busy:
            if self._clock() < self._good_until:
                return None
            wrong = await ask(self._host, self._port, *self.sample, self._ca_pem(), "localhost")
            if wrong is not None:
                return f"own TLS request failed: {wrong}"
            self._good_until = self._clock() + FRESH
            return None

    def _awaits_trust(self) -> bool:
        if self.trusted is None or self.trusted.is_set():
            return False
        return self._clock() - self._started < LONGEST_WAIT
