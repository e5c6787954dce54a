"""The deprecation window: whether old condition names are still kept, and until when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Final, Self

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}$")
_WORDS: Final = "open, closed, or until: <date>"


class WindowError(ValueError):
    """A window that cannot be read."""


@dataclass(frozen=True, slots=True)
class Window:
    """Open, closed, or open until an instant.

    Attributes:
        opened: whether old names are kept, as long as nothing ends it.
        until: the first instant at which it is closed; None when no end is set.
    """

    opened: bool = True
    until: datetime | None = None

    def is_open(self, now: datetime) -> bool:
        """Whether old names are kept at ``now``."""
        return self.opened and (self.until is None or now < self.until)

    @classmethod
    def parse(cls, setting: object) -> Self:
        """``open``, ``closed``, a date, or ``{"until": <date>}``. Raises WindowError.

        A date without a time is the beginning of that day in UTC; a time without offset is UTC.
        """
        if isinstance(setting, dict) and set(setting) == {"until"}:
            return cls(until=_instant(setting["until"]))
        if setting == "open":
            return cls()
        if setting == "closed":
            return cls(opened=False)
        if isinstance(setting, str) and setting.startswith("until"):
            return cls(until=_instant(setting.removeprefix("until").lstrip(": ")))
        return cls(until=_instant(setting))

    def __str__(self) -> str:
        if self.until is not None:
            return f"until {self.until.isoformat().removesuffix('T00:00:00+00:00')}"
        return "open" if self.opened else "closed"


OPEN: Final = Window()
CLOSED: Final = Window(opened=False)


def _instant(value: object) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    if not isinstance(value, str):
        raise WindowError(f"a window is {_WORDS}, not {type(value).__name__}")
    text = f"{value}T00:00:00Z" if _DAY.match(value) else value
    try:
        return _instant(datetime.fromisoformat(text))
    except ValueError:
        raise WindowError(f"{value!r} is no date; a window is {_WORDS}") from None
