"""The head of an answer."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Final

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip
_LINES: Final = {code: f"{code.value} {code.phrase}".encode() for code in HTTPStatus}


class _Date:
    """The time of day as HTTP writes it, made once a second."""

    def __init__(self) -> None:
        self._second = -1
        self._text = b""

    def __call__(self) -> bytes:
        now = int(time.time())
        if now != self._second:
            t = time.gmtime(now)
            self._text = (
                f"{_DAYS[t.tm_wday]}, {t.tm_mday:02d} {_MONTHS[t.tm_mon - 1]} {t.tm_year}"
                f" {t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d} GMT"
            ).encode()
            self._second = now
        return self._text


_date: Final = _Date()


def head_of(code: int, size: int, *, ending: bool) -> bytes:
    """Status line and fields for a JSON body of so many bytes; `ending`: the connection ends with it."""
    return (
        b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\nDate: %b\r\n%b\r\n"
        % (_LINES[HTTPStatus(code)], size, _date(), b"Connection: close\r\n" if ending else b"")
    )
