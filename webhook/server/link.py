"""The line between a supervisor and one of its workers: JSON objects, one a line, over a socket pair."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.certs.bundle import CertBundle

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator
    from datetime import datetime

_ENCODE: Final = msgspec.json.Encoder()
_DECODE: Final = msgspec.json.Decoder(dict[str, Any])
LONGEST: Final = 16 * 1024 * 1024


class Link:
    """One end."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def open(self) -> None:
        """Takes the socket into the running loop."""
        self._reader, self._writer = await asyncio.open_unix_connection(
            sock=self._sock, limit=LONGEST
        )

    def send(self, **message: Any) -> None:
        """To the other end, if it is still there."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(_ENCODE.encode(message) + b"\n")

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """What the other end says, until it is gone."""
        while self._reader is not None:
            try:
                line = await self._reader.readline()
            except (ConnectionError, ValueError):
                return
            if not line:
                return
            yield _DECODE.decode(line)

    def close(self) -> None:
        """Ends it."""
        if self._writer is not None:
            self._writer.close()


def told(bundle: CertBundle) -> dict[str, str]:
    """A bundle as a message; it never leaves the machine's memory."""
    return {
        "cert": bundle.cert_pem.decode(),
        "key": bundle.key_pem.decode(),
        "ca": bundle.ca_pem.decode(),
    }


def heard(message: dict[str, str], now: datetime) -> CertBundle:
    """The bundle of a message. Raises CertError."""
    cert, key, ca = (message[part].encode() for part in ("cert", "key", "ca"))
    return CertBundle.load(cert, key, ca, now=now)
