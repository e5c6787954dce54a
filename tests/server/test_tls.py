"""What the listener speaks, and certificates that change while it runs."""

from __future__ import annotations

import socket
import ssl
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.lifecycle.skyhook import skyhook
from tests.reviews.builders import body
from tests.server.process import ROOT, serving
from webhook.certs.authority import LOCAL_NAMES, Authority

if TYPE_CHECKING:
    from pathlib import Path

LEGAL = body(skyhook(), skyhook())


def handshake(server, **options):
    """What was agreed on: (version, protocol); raises where nothing was."""
    context = server.context()
    if "protocols" in options:
        context.set_alpn_protocols(options["protocols"])
    for name in ("minimum_version", "maximum_version"):
        if name in options:
            setattr(context, name, options[name])
    with (
        socket.create_connection(("127.0.0.1", server.port), 10) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as sock,
    ):
        return sock.version(), sock.selected_alpn_protocol()


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"), (["h2"], None), ([], None)],
)
def test_http_2_is_not_offered(server, offered, chosen):
    options = {"protocols": offered} if offered else {}
    assert handshake(server, **options)[1] == chosen


@pytest.mark.parametrize(
    ("version", "name"), [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")]
)
def test_tls_1_2_and_1_3_are_spoken(server, version, name):
    assert handshake(server, minimum_version=version, maximum_version=version)[0] == name


# A hello of TLS 1.1, by hand: our own OpenSSL would refuse to send one.
HELLO_1_1 = bytes.fromhex("1603010035010000310302" + "00" * 33 + "000a002f00350033003900ff0100")


def test_tls_1_1_is_refused(server):
    with socket.create_connection(("127.0.0.1", server.port), 10) as sock:
        sock.sendall(HELLO_1_1)
        got = sock.recv(100)
    assert got[:1] in (b"\x15", b""), got  # an alert, or the end
    if got:
        assert got[5:7] in (b"\x02\x46", b"\x02\x28")  # fatal: protocol version, handshake failure


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"x" * 100]
)
def test_connects_that_are_no_tls_leave_no_line_and_no_harm(server, sent):
    before = len(server.lines)
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", server.port), 10) as sock:
            sock.sendall(sent)
    assert server.call(LEGAL).status == 200
    assert [line["event"] for line in server.lines[before:] if line["event"] != "review"] == []


def test_a_client_that_does_not_trust_us_leaves_no_line(server):
    before = len(server.lines)
    for _ in range(5):
        with (
            socket.create_connection(("127.0.0.1", server.port), 10) as plain,
            pytest.raises(ssl.SSLError),
        ):
            ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
    assert server.call(LEGAL).status == 200
    assert [line["event"] for line in server.lines[before:] if line["event"] != "review"] == []


@pytest.mark.nightly
def test_nine_thousand_broken_handshakes_leave_no_memory_behind(server):
    """B42: aborted, plain and untrusting clients."""
    server.call(LEGAL)
    before, lines = server.memory("VmRSS"), len(server.lines)
    for number in range(9000):
        with socket.create_connection(("127.0.0.1", server.port), 10) as sock:
            if number % 9 in (5, 6):
                sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
            elif number % 9 in (7, 8):
                with pytest.raises(OSError):
                    ssl.create_default_context().wrap_socket(sock, server_hostname="localhost")
    assert server.call(LEGAL).status == 200
    assert server.memory("VmRSS") - before < 30 * 2**20
    assert len(server.lines) - lines < 10


def test_an_empty_folder_gets_a_development_certificate(server):
    folder = server.cert_dir
    assert {"tls.crt", "tls.key", "ca.crt"} <= {p.name for p in folder.iterdir()}
    key = (folder / "tls.key").resolve()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert handshake(server)


def presented(server) -> bytes:
    """The leaf that a new connection gets, unverified."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", server.port), 10) as plain,
        context.wrap_socket(plain) as sock,
    ):
        return sock.getpeercert(binary_form=True) or b""


def write(folder: Path, bundle) -> None:
    folder.mkdir(exist_ok=True)
    for name, pem in (
        ("tls.crt", bundle.cert_pem),
        ("tls.key", bundle.key_pem),
        ("ca.crt", bundle.ca_pem),
    ):
        (folder / name).write_bytes(pem)


def test_a_certificate_swapped_on_disk_is_served_without_a_restart(tmp_path):
    now = datetime.now(UTC)
    bundles = [Authority.make(f"CA {n}", now=now).sign(LOCAL_NAMES, now=now) for n in range(2)]
    write(tmp_path / "certs", bundles[0])
    with serving(tmp_path) as server:
        first = presented(server)
        with server.session() as old:
            old.request("POST", "/validate", LEGAL, {"Content-Type": "application/json"})
            old.getresponse().read()
            write(tmp_path / "certs", bundles[1])
            assert server.until(lambda: presented(server) != first, 20)
            assert server.call(LEGAL).status == 200
            assert server.ready().status == 200
            old.request("POST", "/validate", LEGAL, {"Content-Type": "application/json"})
            assert old.getresponse().read()
        (tmp_path / "certs" / "tls.key").write_bytes(b"rubbish")
        time.sleep(0.1)
        assert server.call(LEGAL).status == 200
        assert server.raw == []


@pytest.mark.nightly
def test_a_broken_certificate_at_the_start_ends_it_with_one_line_after_a_minute(tmp_path):
    folder = tmp_path / "certs"
    folder.mkdir()
    (folder / "tls.crt").write_text("x")
    (folder / "tls.key").write_text("y")
    flags = ["--port", "0", "--metrics-bind-address", "0", "--health-probe-bind-address", "0"]
    command = [sys.executable, "-m", "webhook", "serve", "--cert-dir", str(folder), *flags]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert (
        done.stderr.splitlines()[-1]
        == f"skyhook-webhook: no usable certificate came from {folder} in time"
    )
    assert "Traceback" not in done.stderr
