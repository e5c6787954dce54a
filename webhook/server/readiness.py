"""Ready means: a TLS request of our own has just been answered."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_REVIEW: Final = (
    b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",'
    b'"request":{"uid":"readiness","operation":"CONNECT"}}'
)
_CALL: Final = (
    b"POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(_REVIEW), _REVIEW)
)
TIMEOUT: Final = 5.0
FRESH: Final = 2.0
"""For so many seconds a good answer counts, so that probes cannot become load."""


class Readiness:
    """Asks our own listener over TLS, as the API server would."""

    def __init__(
        self, host: str, port: int, ca_pem: Callable[[], bytes | None], clock: Callable[[], float]
    ) -> None:
        self._host = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104
        self._port = port
        self._ca_pem = ca_pem
        self._clock = clock
        self._good_until = 0.0
        self._busy = asyncio.Lock()
        self.draining = False

    async def __call__(self) -> str | None:
        """None when ready, else why not."""
        if self.draining:
            return "shutting down"
        if self._clock() < self._good_until:
            return None
        async with self._busy:
            if self._clock() < self._good_until:
                return None
            try:
                async with asyncio.timeout(TIMEOUT):
                    head = await self._ask()
            except (OSError, ssl.SSLError, TimeoutError, asyncio.IncompleteReadError) as error:
                return f"own TLS request failed: {type(error).__name__}"
            if not head.startswith(b"HTTP/1.1 200"):
                return "own TLS request was refused"
            self._good_until = self._clock() + FRESH
            return None

    async def _ask(self) -> bytes:
        context = ssl.create_default_context()
        ca_pem = self._ca_pem()
        if ca_pem:
            context = ssl.create_default_context(cadata=ca_pem.decode())
            context.check_hostname = False
        else:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE  # a mounted leaf whose CA is not mounted
        reader, writer = await asyncio.open_connection(self._host, self._port, ssl=context)
        try:
            writer.write(_CALL)
            await writer.drain()
            return await reader.readuntil(b"\r\n")
        finally:
            writer.close()
