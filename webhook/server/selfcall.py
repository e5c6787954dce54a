"""Calls to our own listener over TLS, as the API server makes them."""

from __future__ import annotations

import asyncio
import ssl
from typing import Final

from webhook.certs.serving import client_context

TIMEOUT: Final = 5.0
VALIDATE: Final = "/validate"
CONVERT: Final = "/convert"
REVIEW: Final = (
    b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",'
    b'"request":{"uid":"readiness","operation":"CONNECT"}}'
)
_CONVERSION: Final = (
    b'{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"probe",'
    b'"desiredAPIVersion":"%b/v1beta1","objects":[{"apiVersion":"%b/v1alpha1","kind":"Probe",'
    b'"metadata":{"name":"probe"}}]}}'
)


def conversion(group: str) -> bytes:
    """A sample ConversionReview."""
    name = group.encode()
    return _CONVERSION % (name, name)


def loopback(host: str) -> str:
    """Where a listener bound to ``host`` is reached from inside."""
    everywhere = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104
    return everywhere.get(host, host)


async def ask(
    host: str,
    port: int,
    path: str,
    body: bytes,
    ca_pem: bytes | None,
    server_name: str,
    *,
    check_name: bool = False,
) -> str | None:
    """Posts ``body``; None when it was answered with 200, else what went wrong.

    Without ``ca_pem`` the certificate is not verified: a mounted leaf whose CA is not mounted.
    ``check_name``: the certificate must also be one for ``server_name``.
    """
    try:
        async with asyncio.timeout(TIMEOUT):
            head = await _post(host, port, path, body, _context(ca_pem, check_name), server_name)
    except (OSError, ssl.SSLError, TimeoutError, asyncio.IncompleteReadError) as error:
        return type(error).__name__
    return None if accepted(head) else "it was refused"


def accepted(status_line: bytes) -> bool:
    """Whether an answer begins as one that the API server reads on."""
    return status_line.startswith(b"HTTP/1.1 200 ")


def _context(ca_pem: bytes | None, check_name: bool) -> ssl.SSLContext:
    context = client_context(ca_pem) if ca_pem else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = check_name and bool(ca_pem)
    if not ca_pem:
        context.verify_mode = ssl.CERT_NONE
    return context


async def _post(
    host: str, port: int, path: str, body: bytes, context: ssl.SSLContext, server_name: str
) -> bytes:
    reader, writer = await asyncio.open_connection(
        host, port, ssl=context, server_hostname=server_name
    )
    try:
        writer.write(
            b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (path.encode(), len(body), body)
        )
        await writer.drain()
        return await reader.readuntil(b"\r\n")
    finally:
        writer.close()
