"""Where the server's certificates come from, and what it does while none comes."""

from __future__ import annotations

import json
import socket
import ssl
import time
from typing import TYPE_CHECKING

import pytest

from tests.server.process import Serving, chunk, head, serving
from webhook.certs.authority import Authority, service_names
from webhook.certs.bundle import CertError
from webhook.certs.clock import utc_now
from webhook.metrics import Metrics
from webhook.server.certificates import Certificates
from webhook.server.log import Log
from webhook.server.state import State
from webhook.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = """
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
"""


class Waiting(Serving):
    """A process that does not serve yet: its ports are known beforehand."""

    def event(self, name: str, after: int = 0) -> dict:
        return {"port": 0} if name == "serving" else super().event(name, after)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch):
    """A replica of the self-signed mode whose API server is not there."""
    kubeconfig, config = tmp_path / "kubeconfig", tmp_path / "config.yaml"
    kubeconfig.write_text(NOBODY)
    port, health = free_port(), free_port()
    document = {"tls": "self-signed", "namespace": "x", "kubeconfig": str(kubeconfig)}
    config.write_text(json.dumps(document))
    monkeypatch.setattr("tests.server.process.Serving", Waiting)
    flags = ["--config", str(config), "--port", str(port)]
    flags += ["--health-probe-bind-address", f"127.0.0.1:{health}"]
    with serving(tmp_path, *flags) as server:
        server.port, server.health_port = port, health
        yield server


def test_without_an_api_server_it_is_alive_not_ready_and_ends_at_once_when_told(waiting):
    said = waiting.until(
        lambda: [x for x in waiting.lines if x["event"].startswith("certificates:")]
    )
    assert said[0]["event"].endswith("; waiting")
    assert waiting.get(waiting.health_port, "/healthz").status == 200
    answer = waiting.ready()
    assert answer.status == 503
    assert answer.body == b"not ready: the caBundle has not been seen right yet\n"
    with (
        socket.create_connection(("127.0.0.1", waiting.port), 10) as plain,
        pytest.raises(ssl.SSLError),
    ):
        ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
    started = time.monotonic()
    waiting.signal()
    assert waiting.ended() == 0
    assert time.monotonic() - started < 10
    assert [x["event"] for x in waiting.lines if x["event"] in ("draining", "ended")] == ["ended"]
    assert waiting.raw == []


def state(**flags) -> State:
    settings = load_settings({"cert_dir": None, **flags})
    return State(None, settings, Metrics(frozenset()), Log("error", lambda _: None))


class Tls:
    """A listener's context that remembers what it was given."""

    def __init__(self) -> None:
        self.bundles = []

    def swap(self, bundle) -> None:
        self.bundles.append(bundle)


async def test_a_folder_gets_a_development_certificate_and_its_changes_are_followed(tmp_path):
    tls = Tls()
    certificates = Certificates(state(cert_dir=tmp_path), tls)
    await certificates.connect()
    await certificates.first()
    assert certificates.shared is None
    assert len(certificates.works()) == 1
    assert [b.cert_pem for b in tls.bundles] == [(tmp_path / "tls.crt").read_bytes()]
    await certificates.close()


async def test_a_kubeconfig_that_is_not_there_is_said_at_the_start(tmp_path):
    certificates = Certificates(
        state(tls="self-signed", kubeconfig=tmp_path / "none", namespace="x"), Tls()
    )
    with pytest.raises(CertError, match="no way to the API server"):
        await certificates.connect()
    await certificates.close()


async def test_waits_of_a_rotation_are_those_of_the_settings(tmp_path):
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(NOBODY)
    rotation = {"look": 0.5, "settle": 1, "retire": 2}
    certificates = Certificates(
        state(tls="self-signed", kubeconfig=kubeconfig, namespace="x", rotation=rotation), Tls()
    )
    await certificates.connect()
    assert len(certificates.works()) == 2
    pace = certificates.shared.source._pace
    waits = [each.total_seconds() for each in (pace.look, pace.settle, pace.retire)]
    assert waits == [0.5, 1, 2]
    await certificates.close()


@pytest.mark.parametrize("namespace", ["somewhere", "elsewhere"])
async def test_convert_counts_as_answered_only_under_our_services_name(namespace, monkeypatch):
    asked = []

    async def ask(*args, **more):
        asked.append((args, more))

    monkeypatch.setattr("webhook.server.certificates.ask", ask)
    certificates = Certificates(state(bind_address="127.0.0.1"), Tls())
    certificates._cluster = type("C", (), {"namespace": namespace})
    ca = Authority.make("CA", now=utc_now()).sign(service_names("s", "n"), now=utc_now()).ca_pem
    assert await certificates._answers_conversion(ca)
    ((args, more),) = asked
    assert (args[2], args[4:], more) == (
        "/convert", (ca, f"skyhook-webhook.{namespace}.svc"), {"check_name": True},
    )  # fmt: skip


def test_where_clients_have_to_show_a_certificate_it_is_ready_all_the_same(tmp_path):
    """Our own request shows none, and is not counted among those that should."""
    config, client_ca = tmp_path / "config.yaml", tmp_path / "client-ca.crt"
    client_ca.write_bytes(Authority.make("clients", now=utc_now()).cert_pem)
    config.write_text("client_certificates: enforce\n")
    flags = ["--config", str(config), "--client-ca", str(client_ca)]
    with serving(tmp_path, *flags) as server:
        assert server.ready().status == 200
        assert 'client_certificates_total{verified="false"' not in server.metrics()
        assert server.call(b"{}").status == 403
        assert "skyhook_webhook_client_certificates_total" in server.metrics()
        with server.connect() as sock:  # not plain, and over before anybody has looked at it
            sock.sendall(head("chunked") + chunk(b"{}") + chunk(b""))
            sock.unwrap().close()
        assert server.until(lambda: [x for x in server.lines if x.get("code") == 400])
        assert [line for line in server.lines if line["event"] == "fault"] == []
