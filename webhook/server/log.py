"""JSON lines on stderr, cheap enough for one a review. Never an object under review, never a key."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_ENCODE: Final = msgspec.json.Encoder()
_LONGEST: Final = 300

Write = Callable[[bytes], object]


class Log:
    """Writes events as JSON objects, one a line.

    Attributes:
        level: the least level that is written.
    """

    def __init__(self, level: str = "info", write: Write | None = None) -> None:
        self.level = _LEVELS[level]
        self._write = write or _stderr

    def __call__(self, level: str, event: str, **fields: Any) -> None:
        """One line: time, level, what happened, and its particulars."""
        if _LEVELS[level] < self.level:
            return
        line = {"time": round(time.time(), 3), "level": level, "event": event, **fields}
        self._write(_ENCODE.encode(line) + b"\n")

    def fault(self, event: str, error: BaseException, **fields: Any) -> None:
        """A fault of ours: its type and its place, not its text, which may hold what was read."""
        self("error", event, error=type(error).__name__, at=_place(error), **fields)


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    code = trace.tb_frame.f_code
    return f"{code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno} {code.co_name}"


def short(text: str | None) -> str:
    """A client's text for a log line: cut."""
    return (text or "")[:_LONGEST]


def _stderr(line: bytes) -> None:
    sys.stderr.buffer.write(line)
    sys.stderr.buffer.flush()
