"""Our own calls to our own listener: verified as the API server would, and never for longer than they may take."""

from __future__ import annotations

import asyncio

import pytest

from webhook.building import engine_of
from webhook.certs.authority import Authority, service_names
from webhook.certs.clock import utc_now
from webhook.certs.serving import ServingContext
from webhook.reviews.conversion import decode_conversion
from webhook.reviews.decode import decode_admission
from webhook.server import selfcall
from webhook.server.certificates import CRD_GROUPS
from webhook.server.selfcall import CONVERT, REVIEW, VALIDATE, ask, conversion, loopback
from webhook.settings import load_settings

NAME = "skyhook-webhook.somewhere.svc"
NAMES = service_names("skyhook-webhook", "somewhere")


@pytest.fixture
def authority() -> Authority:
    return Authority.make("test CA", now=utc_now())


@pytest.fixture
async def listener(authority):
    """A TLS listener of that CA that answers with a given status line, or not at all."""
    context = ServingContext()
    context.swap(authority.sign(NAMES, now=utc_now()))
    said = {"answer": b"HTTP/1.1 200 OK\r\n\r\n", "got": b""}

    async def serve(reader, writer):
        said["got"] = await reader.readuntil(b"\r\n\r\n")
        if said["answer"] is None:
            await reader.read()
        else:
            writer.write(said["answer"])
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context.outer)
    said["port"] = server.sockets[0].getsockname()[1]
    yield said
    server.close()
    await asyncio.sleep(0.01)


async def asked(listener, ca, name=NAME, **more):
    return await ask("127.0.0.1", listener["port"], VALIDATE, REVIEW, ca, name, **more)


async def test_a_200_over_a_verified_connection_is_good(listener, authority):
    assert await asked(listener, authority.cert_pem, check_name=True) is None
    assert listener["got"].startswith(b"POST /validate HTTP/1.1\r\n")


async def test_another_ca_does_not_verify(listener):
    other = Authority.make("other CA", now=utc_now())
    assert await asked(listener, other.cert_pem) == "SSLCertVerificationError"


async def test_another_name_is_refused_only_where_names_are_checked(listener, authority):
    name = "skyhook-webhook.elsewhere.svc"
    wrong = await asked(listener, authority.cert_pem, name, check_name=True)
    assert wrong == "SSLCertVerificationError"
    assert await asked(listener, authority.cert_pem, name) is None


async def test_without_a_ca_nothing_is_verified(listener):
    assert await asked(listener, None) is None
    assert await asked(listener, b"", check_name=True) is None


@pytest.mark.parametrize("status", [b"404 Not Found", b"403 Forbidden", b"500 Oops", b"2000 Odd"])
def test_anything_but_200_is_a_refusal(status):
    assert not selfcall.accepted(b"HTTP/1.1 " + status + b"\r\n")


async def test_a_refusal_is_said(listener, authority):
    listener["answer"] = b"HTTP/1.1 503 Service Unavailable\r\n\r\n"
    assert await asked(listener, authority.cert_pem) == "it was refused"


async def test_who_hangs_up_or_says_nothing_is_not_waited_for(listener, authority, monkeypatch):
    listener["answer"] = b""
    assert await asked(listener, authority.cert_pem) == "IncompleteReadError"
    monkeypatch.setattr(selfcall, "TIMEOUT", 0.2)
    listener["answer"] = None
    assert await asked(listener, authority.cert_pem) == "TimeoutError"


async def test_nobody_there(unused_tcp_port):
    wrong = await ask("127.0.0.1", unused_tcp_port, CONVERT, b"{}", None, NAME)
    assert wrong == "ConnectionRefusedError"


async def test_a_listener_without_certificate_yet_refuses_the_handshake():
    context = ServingContext()
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=context.outer)
    async with server:
        port = server.sockets[0].getsockname()[1]
        wrong = await ask("127.0.0.1", port, VALIDATE, REVIEW, None, NAME)
    assert wrong in ("SSLError", "ConnectionResetError")


@pytest.mark.parametrize(
    ("bound", "reached"),
    [
        ("0.0.0.0", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("::", "::1"),
        ("::1", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("10.0.0.7", "10.0.0.7"),
    ],
)
def test_where_a_listener_is_reached_from_inside(bound, reached):
    assert loopback(bound) == reached


def test_the_samples_are_what_the_engine_answers():
    engine = engine_of(load_settings({}), utc_now)
    assert engine.judge_review(decode_admission(REVIEW)).verdict.allowed
    for group in CRD_GROUPS:
        answer = b"".join(engine.convert_slices(decode_conversion(conversion(group))))
        assert b'"Success"' in answer
        assert f'"{group}/v1beta1"'.encode() in answer
