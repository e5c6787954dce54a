"""Time as an argument: the two shapes every source takes, and the real clock for production."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

Now = Callable[[], datetime]
Sleep = Callable[[float], Awaitable[None]]


def utc_now() -> datetime:
    """The wall clock, aware."""
    return datetime.now(UTC)
