"""An API server that is down, slow, or refuses our writes: nothing is lost, and the log says what was tried."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.e2e.fleet import QUICK, Fleet, Replica, until
from tests.e2e.guarding import ADMIN, REGISTERED
from webhook.certs.clock import utc_now
from webhook.certs.development import ensure_development_certificate
from webhook.manifests.options import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kube.control_plane import ControlPlane

BUNDLES = f"{REGISTERED}/validatingwebhookconfigurations/{NAME}"


class Moody:
    """A proxy before the API server that answers as it is told.

    Attributes:
        mood: an HTTP status for writes of caBundles, "down" for none to anything, "slow" for late; or "".
        refused: how many calls it turned away.
        folder: with its certificate.
    """

    def __init__(self, cluster: ControlPlane, folder: Path) -> None:
        self.mood: int | str = ""
        self.folder = folder
        self.refused = 0
        target = urlsplit(cluster.url)
        upstream = ssl.create_default_context(cafile=str(cluster.ca_file))
        moody = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def _pass(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length) if length else None
                mood = moody.mood
                if mood == "down":
                    moody.refused += 1
                    self.close_connection = True
                    self.connection.close()
                    return
                if mood == "slow":
                    time.sleep(2)
                if isinstance(mood, int) and self.command == "PATCH":
                    moody.refused += 1
                    self._say(mood, json.dumps({"kind": "Status", "message": "in a mood"}).encode())
                    return
                self._forward(body)

            def _say(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _forward(self, body: bytes | None) -> None:
                away = http.client.HTTPSConnection(
                    str(target.hostname), target.port, context=upstream, timeout=60
                )
                drop = ("host", "connection", "accept-encoding", "content-length")
                given = {k: v for k, v in self.headers.items() if k.lower() not in drop}
                try:
                    away.request(self.command, self.path, body, given)
                    answer = away.getresponse()
                    if "watch=" in self.path:
                        self._stream(answer)
                    else:
                        self._say(answer.status, answer.read())
                except (OSError, http.client.HTTPException):
                    self.close_connection = True
                finally:
                    away.close()

            def _stream(self, answer: http.client.HTTPResponse) -> None:
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.close_connection = True
                for line in answer:
                    if moody.mood == "down":
                        return
                    self.wfile.write(line)
                    self.wfile.flush()

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _pass  # noqa: N815

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        ensure_development_certificate(folder, now=utc_now())
        context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def kubeconfig(path: Path, cluster: ControlPlane, server: str, ca_file: Path) -> str:
    """The administrator's, by another way."""
    document = json.loads(cluster.kubeconfig(ADMIN).read_text())
    document["clusters"][0]["cluster"] = {"server": server, "certificate-authority": str(ca_file)}
    path.write_text(json.dumps(document))
    return str(path)


@pytest.fixture(scope="module")
def moody(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moody]:
    proxy = Moody(cluster, tmp_path_factory.mktemp("moody"))
    yield proxy
    proxy.mood = ""
    proxy.stop()


@pytest.fixture(scope="module")
def fleet(
    cluster: ControlPlane, moody: Moody, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    """One replica that knows the API server through the proxy alone."""
    folder = tmp_path_factory.mktemp("moody-fleet")
    way = kubeconfig(
        folder / "kubeconfig", cluster, f"https://localhost:{moody.port}", moody.folder / "ca.crt"
    )
    fleet = Fleet(cluster, folder, "moody", settings={"kubeconfig": way, "shutdown_delay": 0})
    try:
        fleet.install()
        fleet.start()
        yield fleet
    finally:
        moody.mood = ""
        fleet.close()


def spoil(fleet: Fleet) -> None:
    """Somebody empties a caBundle."""
    bundle = base64.b64encode(b"\n").decode()
    patch = [{"op": "replace", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle}]
    fleet.must("PATCH", BUNDLES, patch, "application/json-patch+json")


def right(fleet: Fleet) -> bool:
    found = fleet.bundles()
    return len(found) == 1 and "Cg==" not in found


MOODS = [500, *(pytest.param(m, marks=pytest.mark.nightly) for m in (409, 429, "slow", "down"))]


@pytest.mark.parametrize("mood", MOODS)
def test_a_ca_bundle_is_put_right_as_soon_as_the_api_server_lets_us(
    fleet: Fleet, moody: Moody, mood: int | str
) -> None:
    (replica,) = fleet.replicas
    until(lambda: right(fleet))
    before, said = moody.refused, len(replica.lines())
    moody.mood = mood
    spoil(fleet)
    if mood == "slow":
        assert until(lambda: right(fleet), 40) < 40
        moody.mood = ""
        return
    until(lambda: moody.refused > before, 40)
    time.sleep(1)
    assert replica.process.poll() is None
    assert replica.probe(), "what is served already goes on being served"
    assert not right(fleet)
    moody.mood = ""
    until(lambda: right(fleet), 40)
    fresh = replica.lines()[said:]
    told = [line for line in fresh if line["level"] in ("warning", "error")]
    assert told, [line["event"] for line in fresh]
    assert not [line for line in fresh if line["event"] in ("fault", "background work ended")], told
    assert moody.refused - before < 200, "no storm"


def test_a_name_that_cannot_be_resolved_is_said_and_tried_again(
    cluster: ControlPlane, moody: Moody, tmp_path: Path
) -> None:
    """DNS gone: alive, not ready, and the reason in /readyz and in the log."""
    way = kubeconfig(
        tmp_path / "k", cluster, "https://apiserver.invalid:6443", moody.folder / "ca.crt"
    )
    settings = {"tls": "self-signed", "namespace": "x", "kubeconfig": way, "rotation": QUICK}
    replica = Replica("nameless", tmp_path, settings)
    try:
        until(lambda: _gets(replica, "/healthz") == 200, 30)
        until(lambda: [x for x in replica.lines() if x["level"] in ("warning", "error")], 30)
        assert _gets(replica, "/readyz") == 503
        assert "not ready" in replica.get(replica.health, "/readyz")[1]
        assert not [x for x in replica.lines() if x["event"] in ("fault", "background work ended")]
    finally:
        replica.signal()
        assert replica.process.wait(30) == 0


def _gets(replica: Replica, path: str) -> int:
    try:
        return replica.get(replica.health, path)[0]
    except (OSError, http.client.HTTPException):
        return 0
