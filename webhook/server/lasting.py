"""Work beside the server that goes on for good: certificates, settings that change on disk."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from webhook.server.log import Log

RESTART: Final = 5.0
"""Seconds before work that ended by a fault begins again."""


async def lasting(work: Callable[[], Awaitable[None]], log: Log, pause: float = RESTART) -> None:
    """Runs it, and again whenever it ends: a fault in it is said, and stops nothing."""
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - the outermost handler of background work
            log.fault("background work ended", error)
        await asyncio.sleep(pause)
