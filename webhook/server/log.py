"""JSON lines on stderr, cheap enough for one a review. Never an object under review, never a key."""

from __future__ import annotations

import errno
import logging
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_BY_LEVEL: Final = (("error", 40), ("warning", 30), ("info", 20), ("debug", 0))
_ENCODE: Final = msgspec.json.Encoder()
_LONGEST: Final = 300
_PEERS: Final = frozenset({"HttpProcessingError", "RequestPayloadError", "ConnectionError"})
"""What aiohttp complains of where a peer sends no HTTP or half a body, or goes away; by name, for the
log must not load aiohttp."""

_NO_DESCRIPTORS: Final = frozenset({errno.EMFILE, errno.ENFILE})
_AGAIN: Final = 10.0

Write = Callable[[bytes], object]
Later = Callable[[float, Callable[[], None]], object]
"""A loop's `call_later`."""
HELD: Final = 0.005
"""Seconds for which lines of allowed reviews may wait for one another: a call of the kernel for each
would be the dearest part of a small review beside its rules."""
MOST_HELD: Final = 256


class Log:
    """Writes events as JSON objects, one a line.

    Attributes:
        level: the least level that is written.
        also: what every line says: the number of the worker, where there are several.
    """

    def __init__(self, level: str = "info", write: Write | None = None) -> None:
        self.level = _LEVELS[level]
        self.also: dict[str, Any] = {}
        self._write = write or _stderr
        self._held: deque[bytes] = deque()
        self._later: Later | None = None
        self._due = False  # `_release` will be called
        self._last = -HELD  # when a line was written that waited for nothing

    def gather(self, later: Later) -> None:
        """From now on lines that come thick and fast are written together, within `HELD` seconds.

        The first one after a pause is written at once, and so is everything but allowed reviews, with what
        was held before it. A process that is killed loses what it holds; every other end calls `flush`.
        """
        self._later = later

    def _release(self) -> None:
        self._due = False
        self.flush()

    def flush(self) -> None:
        """Writes what is held, from whichever thread."""
        lines = []
        with suppress(IndexError):
            while True:
                lines.append(self._held.popleft())
        if lines:
            self._write(b"".join(lines))

    def at(self, level: str) -> None:
        """From now on the least level that is written."""
        self.level = _LEVELS[level]

    def __call__(self, level: str, event: str, **fields: Any) -> None:
        """One line: time, level, what happened, and its particulars."""
        if not self.wants(level):
            return
        line = {
            "time": round(time.time(), 3),
            "level": level,
            "event": event,
            **self.also,
            **fields,
        }
        self.flush()
        self._write(_ENCODE.encode(line) + b"\n")

    def wants(self, level: str) -> bool:
        """Whether lines of this level are written."""
        return _LEVELS[level] >= self.level

    def line(self, line: msgspec.Struct, *, urgent: bool = True) -> None:
        """One line whose form is fixed, with time, level and event of its own."""
        text = _ENCODE.encode(line) + b"\n"
        if urgent or self._later is None:
            self.flush()
            self._write(text)
            return
        if not self._due:
            now = time.monotonic()
            quiet, self._last = now - self._last, now
            if quiet > HELD:
                self._write(text)
                return
            self._due = True
            self._later(HELD, self._release)
        self._held.append(text)
        if len(self._held) >= MOST_HELD:
            self.flush()

    def fault(self, event: str, error: BaseException, **fields: Any) -> None:
        """A fault of ours: its type and its place, not its text, which may hold what was read."""
        self("error", event, error=type(error).__name__, at=_place(error), **fields)


class Bridge(logging.Handler):
    """Takes what only knows `logging` into the same log: our certificates, and libraries.

    Of a library nothing but its name and the error's type and place is told: its texts may hold
    what a client sent. Calls that are no HTTP are everyday on an open port: debug.
    """

    def __init__(self, log: Log) -> None:
        super().__init__(logging.INFO)
        self._log = log
        self._told = -_AGAIN

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record."""
        level = next(name for name, least in _BY_LEVEL if record.levelno >= least)
        if record.name.startswith("webhook."):
            self._log(level, record.getMessage(), logger=record.name)
            return
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and any(c.__name__ in _PEERS for c in type(error).__mro__):
            self._log("debug", "not HTTP", error=type(error).__name__)
        elif isinstance(error, OSError) and error.errno in _NO_DESCRIPTORS:
            self._without_descriptors()
        elif error is not None:
            self._log.fault("library", error, logger=record.name)
        else:
            self._log(level, "library", logger=record.name, at=f"{record.filename}:{record.lineno}")

    def _without_descriptors(self) -> None:
        """Once in ten seconds: asyncio says so a thousand times a second (3.11, the whole backlog)."""
        now = time.monotonic()
        if now - self._told >= _AGAIN:
            self._told = now
            self._log("error", "no descriptors", why="nobody is accepted until some are closed")


def attach(log: Log) -> None:
    """Makes ``log`` the only place where this process logs."""
    logging.basicConfig(handlers=[Bridge(log)], level=logging.INFO, force=True)


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
    """A line that cannot be written is lost: a full disk or a reader gone is no fault of a review."""
    with suppress(OSError, ValueError):
        sys.stderr.buffer.write(line)
        sys.stderr.buffer.flush()
