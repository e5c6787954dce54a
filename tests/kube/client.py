"""Plain HTTPS to the API server, as fast as the standard library allows: a kept connection per actor and thread."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"

Body = Mapping[str, Any] | list[Any] | bytes | str | None
Headers = Sequence[tuple[str, str]]  # pairs: Impersonate-Group may be there more than once


@dataclass(frozen=True, slots=True)
class Response:
    """What the API server answered; `warnings` are the texts that kubectl would print."""

    status: int
    body: dict[str, Any]
    warnings: tuple[str, ...]


class Client:
    """Requests with given headers (who asks); safe to share between threads."""

    def __init__(self, url: str, tls: ssl.SSLContext, timeout: float = 60.0) -> None:
        parts = urlsplit(url)
        self._host, self._port = str(parts.hostname), parts.port
        self._tls = tls
        self._timeout = timeout
        self._own = threading.local()
        self._all: list[http.client.HTTPSConnection] = []
        self._lock = threading.Lock()

    def call(self, who: str, headers: Headers, method: str, path: str, body: Body) -> Response:
        """One request; a kept connection that the server has closed meanwhile is opened anew, once."""
        data = body if isinstance(body, bytes | str | None) else json.dumps(body)
        payload = data.encode() if isinstance(data, str) else data
        connection, kept = self._connection(who)
        try:
            return self._exchange(connection, method, path, payload, headers)
        except (ConnectionError, ssl.SSLEOFError, http.client.HTTPException):
            connection.close()
            if not kept:
                raise
            return self._exchange(connection, method, path, payload, headers)

    def watch(self, headers: Headers, path: str) -> Iterator[dict[str, Any]]:
        """Yields watch events until the server ends the stream (`timeoutSeconds` in the path) or the caller stops."""
        connection = self._new_connection()
        try:
            _send(connection, "GET", path, None, headers)
            for line in connection.getresponse():
                yield json.loads(line)
        finally:
            connection.close()

    def close(self) -> None:
        with self._lock:
            for connection in self._all:
                connection.close()
            self._all.clear()
            self._own = threading.local()

    def _exchange(
        self,
        connection: http.client.HTTPSConnection,
        method: str,
        path: str,
        payload: bytes | None,
        headers: Headers,
    ) -> Response:
        _send(connection, method, path, payload, headers)
        answer = connection.getresponse()
        raw = answer.read()
        warnings = tuple(map(_warning_text, answer.headers.get_all("Warning") or ()))
        return Response(answer.status, _decode(raw, answer), warnings)

    def _connection(self, who: str) -> tuple[http.client.HTTPSConnection, bool]:
        mine: dict[str, http.client.HTTPSConnection] = self._own.__dict__.setdefault("by_actor", {})
        kept = who in mine
        if not kept:
            mine[who] = self._new_connection()
            with self._lock:
                self._all.append(mine[who])
        return mine[who], kept and mine[who].sock is not None

    def _new_connection(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout, context=self._tls
        )


def _send(
    connection: http.client.HTTPSConnection,
    method: str,
    path: str,
    payload: bytes | None,
    headers: Headers,
) -> None:
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(payload or b"")))
    connection.endheaders(payload)


def _decode(raw: bytes, answer: http.client.HTTPResponse) -> dict[str, Any]:
    """The JSON object; other answers (`/readyz`, `/metrics`) come back as {"text": …}."""
    if answer.headers.get_content_type() == JSON:
        return dict(json.loads(raw))
    return {"text": raw.decode(errors="replace")}


def _warning_text(header: str) -> str:
    """`299 - "text"` with backslash escapes (RFC 7234), as client-go reads it."""
    _, _, quoted = header.partition('"')
    return quoted.removesuffix('"').replace('\\"', '"').replace("\\\\", "\\")
