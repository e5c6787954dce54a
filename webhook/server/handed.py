"""A worker's side of the line: certificates that its supervisor hands it, and what that asks for."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from webhook.certs.bundle import CertError
from webhook.server.link import heard

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from webhook.certs.serving import ServingContext
    from webhook.server.link import Link
    from webhook.server.state import State

AGAIN: Final = 1.0
"""Seconds until a certificate that could not be taken is tried again."""
_NO_ONE: Final = "its supervisor ended before there was a certificate"


class Handed:
    """Stands where `Certificates` does in a server alone.

    Attributes:
        shared: None: who owns the certificates is the supervisor.
    """

    shared: None = None

    def __init__(
        self,
        state: State,
        tls: ServingContext,
        link: Link,
        answers: dict[str, Callable[[], Awaitable[Any]]],
    ) -> None:
        """`answers`: what may be asked, by name."""
        self._state = state
        self._tls = tls
        self._link = link
        self._answers = answers

    async def connect(self) -> None:
        """Opens the line."""
        await self._link.open()

    async def first(self) -> None:
        """Waits for the first bundle. Raises CertError without a supervisor."""
        async for message in self._link.messages():
            await self._take(message)
            if self._tls.bundle is not None:
                return
        raise CertError(_NO_ONE)

    def works(self) -> list[Callable[[], Awaitable[None]]]:
        """What must run beside the server."""
        self._link.send(serving=True)
        return [self._follow]

    async def close(self) -> None:
        """Ends the line."""
        self._link.close()

    async def _follow(self) -> None:
        async for message in self._link.messages():
            await self._take(message)
        os.kill(os.getpid(), signal.SIGTERM)  # the supervisor has gone: nobody would look after us
        await asyncio.Event().wait()

    async def _take(self, message: dict[str, Any]) -> None:
        if "bundle" in message:
            await self._swap(message["bundle"])
        elif "ask" in message:
            answer = await self._answers[message["ask"]]()
            said = answer.decode() if isinstance(answer, bytes) else answer
            self._link.send(id=message["id"], answer=said)

    async def _swap(self, bundle: Any) -> None:
        """Serves a new certificate; for want of a descriptor it is not lost: nobody sends it again."""
        said = False
        while True:
            try:
                self._tls.swap(heard(bundle, datetime.now(UTC)))
            except CertError as error:
                self._state.log("error", "certificate refused", why=str(error))
            except OSError as error:
                if not said:
                    self._state.log("error", "certificate waits", why=str(error.strerror))
                said = True
                await asyncio.sleep(AGAIN)
                continue
            return
