"""Raw bytes to a live server: whole calls, damaged in their heads, framing and bodies."""

from __future__ import annotations

import contextlib
import ssl
import time
from typing import TYPE_CHECKING

from tests.fuzz.corpora import conversions, reviews
from tests.fuzz.mutating import mutated
from tests.server.process import Serving, drained, serving

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

HEADS = (
    b"", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Length: -1\r\n", b"Expect: 100-continue\r\n",
    b"Content-Length: 99999999999999999999\r\n", b"Connection: upgrade\r\nUpgrade: websocket\r\n", b"Host:\r\n",
    b"Content-Encoding: gzip\r\n", b"X: " + b"a" * 9000 + b"\r\n", b"X\x00: 1\r\n", b" folded: 1\r\n", b"Content-Type: \xff\r\n",
    b"Connection: close\r\n", b"Transfer-Encoding: gzip, chunked\r\n", b"Content-Length: 1\r\nContent-Length: 2\r\n",
)  # fmt: skip
LINES = (b"POST /validate HTTP/1.1", b"POST /mutate HTTP/1.1", b"POST /convert HTTP/1.1", b"GET /validate HTTP/1.1",
         b"POST /%00/../validate HTTP/1.1", b"POST /validate HTTP/1.0", b"PRI * HTTP/2.0", b"POST http://x/validate HTTP/1.1",
         b"OPTIONS * HTTP/1.1", b"POST /validate?timeout=3s HTTP/1.1", b"CONNECT x:1 HTTP/1.1", b"post /validate http/1.1")  # fmt: skip
GOOD_EVERY = 50
KNOWN = "web_request.py"
"""aiohttp 3.14 makes a request without a URL of a broken line behind a broken one: it ends the connection."""


def call(chance: Random) -> bytes:
    """One or several calls, of which most are broken somewhere."""
    out = b""
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        body = chance.choice(chance.choice((reviews(), conversions())))
        if chance.random() < 0.5:
            body = mutated(body, chance)
        length = len(body) if chance.random() < 0.8 else chance.randrange(len(body) + 50)
        head = chance.choice(LINES) + b"\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        if chance.random() < 0.4:
            head += chance.choice(HEADS)
        if chance.random() < 0.85:
            head += b"Content-Length: %d\r\n" % length
        out += head + b"\r\n" + body
    return damaged(out, chance) if chance.random() < 0.3 else out


def damaged(data: bytes, chance: Random) -> bytes:
    """A byte or a piece of the head is something else."""
    at = chance.randrange(min(len(data), 300))
    piece = chance.choice((b"\x00", b"\r", b"\n", b"\r\n\r\n", b"\xff", b" ", b":", b""))
    return data[:at] + piece + data[at + chance.randrange(4) :]


def hammer(place: Path, chance: Random, seconds: float) -> tuple[int, list[tuple[bytes, str]]]:
    """(how many were sent, [(what broke it, how)])."""
    sent, broken, read = 0, list[tuple[bytes, str]](), 0
    data: list[bytes] = []
    end = time.monotonic() + seconds
    with serving(place) as server:
        good = reviews()[0]
        wanted = server.call(good).body
        while time.monotonic() < end and server.process.poll() is None:
            data = [call(chance) for _ in range(chance.choice((1, 1, 4, 8)))]
            sent += once(server, data, chance)
            fresh, read = server.lines[read:], len(server.lines)
            said = [line for line in fresh if line["event"] in ("fault", "library", "")]
            said = [line for line in said if not line.get("at", "").startswith(KNOWN)]
            if said:
                broken.append((b"".join(data), str(said)))
            if chance.randrange(GOOD_EVERY) == 0 and server.call(good).body != wanted:
                broken.append((b"".join(data), "a good call is answered otherwise"))
        if server.process.poll() is not None:
            broken.append((b"".join(data), "the server has ended"))
    return sent, broken


def once(server: Serving, calls: list[bytes], chance: Random) -> int:
    """Sends over one connection, in one piece or several, and reads or hangs up; how many were sent."""
    sent = 0
    with contextlib.suppress(OSError, ssl.SSLError), server.connect(2) as sock:
        for data in calls:
            cut = chance.randrange(len(data)) if chance.random() < 0.2 else len(data)
            sock.sendall(data[:cut])
            sent += 1
            if cut < len(data) and chance.random() < 0.5:
                sock.sendall(data[cut:])
            if chance.random() < 0.7:
                drained(sock, 0.02)
    return sent
