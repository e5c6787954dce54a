"""The head of a call in the one plain form that API servers send; everything else is aiohttp's business."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webhook.server.routes import Route

LONGEST: Final = 8190
"""Bytes of a head, as aiohttp has it for each line of one."""
FIELDS: Final = rb"((?:[A-Za-z0-9-]+:[ \t]*[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n){1,40})"
"""Fields whose values are not empty, and in ASCII."""
_REQUEST: Final = re.compile(
    rb"POST (/[a-z]+)(?:\?[A-Za-z0-9=&.%_-]*)? HTTP/1\.1\r\n" + FIELDS + rb"\r\n"
)
FIELD: Final = re.compile(rb"([A-Za-z0-9-]+):[ \t]*+([\x20-\x7e]*)\r\n")
_NUMBER: Final = re.compile(rb"[0-9]{1,10}")
_JSON: Final = re.compile(rb"application/json(?:;[ ]?charset=utf-8)?", re.IGNORECASE)
_ONCE: Final = (b"host", b"content-length", b"content-type")
_ELSEWHERE: Final = frozenset(
    {b"transfer-encoding", b"expect", b"upgrade", b"te", b"trailer", b"content-encoding", b"connection"}
)  # fmt: skip
"""Fields that change how a message is read; with any of them a call is not plain."""
MOST_KNOWN: Final = 512


class Call(NamedTuple):
    """What a head asks for."""

    route: Route
    length: int
    close: bool


class Heads:
    """Reads heads, and remembers them: an API server sends few different ones."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self._routes = {path.encode(): route for path, route in routes.items()}
        self._known: dict[bytes, Call] = {}

    def read(self, head: bytes) -> Call | None:
        """The call; None unless the head is of the plain form in every byte."""
        call = self._known.get(head)
        if call is None:
            call = self._parsed(head)
            if call is not None:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[head] = call
        return call

    def _parsed(self, head: bytes) -> Call | None:
        found = _REQUEST.fullmatch(head)
        route = self._routes.get(found[1]) if found else None
        if found is None or route is None:
            return None
        fields = [(name.lower(), value) for name, value in FIELD.findall(found[2])]
        names = [name for name, _ in fields]
        values = dict(fields)
        close = values.get(b"connection", b"").lower() == b"close"
        odd = _ELSEWHERE.intersection(names)
        if any(names.count(name) != 1 for name in _ONCE) or odd - (
            {b"connection"} if close else set()
        ):
            return None
        number = values[b"content-length"]
        if not _NUMBER.fullmatch(number) or not _JSON.fullmatch(values[b"content-type"]):
            return None
        length = int(number)
        if not 0 < length <= route.limit or names.count(b"connection") > 1:
            return None
        return Call(route, length, close)
