"""The tests' own API client: warnings are read as kubectl reads them, and a closed connection is opened anew."""

from __future__ import annotations

import http.client
import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.kube.client import Client
from tests.kube.pki import write_pki

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Answers(BaseHTTPRequestHandler):
    """Answers each request on a kept connection, and hangs up after those to /last and /silent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/silent":
            self.close_connection = True
            return
        body = self.headers.get("X-Actor", "nobody").encode()
        self.send_response(200)
        self.send_header("Warning", '299 - "say \\"yes\\" or a \\\\"')
        self.send_header("Warning", '299 - "second"')
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.path == "/last"

    def log_message(self, *args: object) -> None: ...


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    write_pki(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "serving.crt", tmp_path / "serving.key")
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        trusted = ssl.create_default_context(cafile=str(tmp_path / "ca.crt"))
        client = Client(f"https://127.0.0.1:{server.server_port}", trusted, timeout=10)
        yield client
        client.close()
        server.shutdown()
        thread.join()


def test_warnings_lose_their_quoting(client: Client):
    assert client.call("a", [], "GET", "/", None).warnings == ('say "yes" or a \\', "second")


def test_a_connection_that_the_server_closed_is_opened_anew(client: Client):
    for path in ("/last", "/last", "/", "/"):
        answer = client.call("a", [("X-Actor", "a")], "GET", path, None)
        assert (answer.status, answer.body) == (200, {"text": "a"})


def test_a_new_connection_without_an_answer_is_an_error(client: Client):
    with pytest.raises(http.client.RemoteDisconnected):
        client.call("a", [], "GET", "/silent", None)


def test_a_closed_client_can_be_used_again(client: Client):
    client.call("a", [], "GET", "/", None)
    client.close()
    assert client.call("a", [], "GET", "/", None).status == 200
