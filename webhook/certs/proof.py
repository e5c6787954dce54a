"""A pair that is in order is proven by a handshake with ourselves in memory: OpenSSL is loaded anyway.

It takes a few milliseconds, and the 9 MiB of cryptography are left for what has to be made, or named as wrong.
"""

from __future__ import annotations

import os
import ssl
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS: Final = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]  # fmt: skip
_TURNS: Final = 8
"""More than a handshake has."""


def proven(
    cert_pem: bytes, key_pem: bytes, ca_pem: bytes, now: datetime
) -> tuple[datetime, datetime] | None:
    """The dates of a leaf that matches its key, chains to the CA if there is one, and is valid now.

    None when any of this is not certain: then `chain.check_pair` decides. What is certain here is so
    there too: OpenSSL asks for more (purposes, strength, dates by the real clock).
    """
    try:
        leaf, *above = _handshake(cert_pem, key_pem, ca_pem)
    except (OSError, ValueError):  # of ssl, or no descriptor for one more file
        return None
    return leaf if all(begin <= now < end for begin, end in (leaf, *above)) else None


@lru_cache(maxsize=1)  # a folder is looked at every other second
def _handshake(cert_pem: bytes, key_pem: bytes, ca_pem: bytes) -> list[tuple[datetime, datetime]]:
    """The dates of the leaf, then of every CA here. Raises ssl.SSLError, ValueError."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load_pair(server, cert_pem, key_pem)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False  # the names are for whoever dials us
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # whatever stands in the CA is trusted
    trusted = ca_pem.decode("ascii").strip()
    client.load_verify_locations(cadata=trusted or _first(cert_pem))
    leaf = _shaken(client, server)
    client.load_verify_locations(cadata=cert_pem.decode("ascii"))  # for their dates
    return [_dates(leaf), *map(_dates, client.get_ca_certs())]


def load_pair(context: ssl.SSLContext, cert_pem: bytes, key_pem: bytes) -> None:
    """Gives a context a pair. Raises ssl.SSLError, ValueError; never asks a terminal for a password."""
    with _as_file(key_pem.rstrip() + b"\n" + cert_pem) as path:
        context.load_cert_chain(path, password="")


def _shaken(client: ssl.SSLContext, server: ssl.SSLContext) -> dict[str, Any]:
    """The server's certificate, verified. Raises ssl.SSLError."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(back, there),
        server.wrap_bio(there, back, server_side=True),
    )
    for turn in range(_TURNS):
        try:
            ends[turn % 2].do_handshake()
        except ssl.SSLWantReadError:
            continue
    return ends[0].getpeercert() or {}


def _dates(certificate: dict[str, Any]) -> tuple[datetime, datetime]:
    """When a certificate begins and ends."""
    return _moment(certificate.get("notBefore", "")), _moment(certificate.get("notAfter", ""))


def _moment(text: str) -> datetime:
    """What OpenSSL prints, ``Jan  5 09:34:43 2018 GMT``; `ssl` would load all of strptime. Raises ValueError."""
    month, day, clock, year, zone = text.split()
    if zone != "GMT":
        raise ValueError(zone)
    number, (hour, minute, second) = _MONTHS.index(month) + 1, map(int, clock.split(":"))
    return datetime(int(year), number, int(day), hour, minute, second, tzinfo=UTC)


def _first(pem: bytes) -> str:
    """The first certificate of a chain."""
    end = b"-----END CERTIFICATE-----"
    return (pem.partition(end)[0] + end).decode("ascii")


@contextmanager
def _as_file(pem: bytes) -> Iterator[str]:
    """A path that holds `pem`: `ssl` reads only files, and a key should not touch a disk."""
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("tls", os.MFD_CLOEXEC), "wb") as file:
            file.write(pem)
            file.flush()
            yield f"/proc/self/fd/{file.fileno()}"
    else:
        import tempfile

        with tempfile.NamedTemporaryFile() as named:
            named.write(pem)
            named.flush()
            yield named.name
