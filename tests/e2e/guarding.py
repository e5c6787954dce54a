"""A real `skyhook-webhook serve` beside the control plane, and its webhook configurations by URL."""

from __future__ import annotations

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from webhook.catalog import Catalog
from webhook.manifests.options import Options
from webhook.manifests.webhooks import configurations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kube.control_plane import ControlPlane

ADMIN = "kubernetes-admin"
STARTED_WITHIN = 60.0
REGISTERED = "/apis/admissionregistration.k8s.io/v1"


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


class Guard:
    """One server process; settings as a document, certificates in the folder."""

    def __init__(self, folder: Path, settings: dict[str, Any] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port, self.health, self.metrics_port = free_port(), free_port(), free_port()
        self.log_file = folder / "serve.log"
        config = folder / "settings.yaml"
        config.write_text(json.dumps(settings or {}))
        self._log = self.log_file.open("ab")
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "webhook", "serve", "--config", str(config)),
                *("--bind-address", "127.0.0.1", "--port", str(self.port)),
                *("--cert-dir", str(folder / "certs"), "--shutdown-delay", "0"),
                *("--metrics-bind-address", f"127.0.0.1:{self.metrics_port}"),
                *("--health-probe-bind-address", f"127.0.0.1:{self.health}"),
            ],
            stderr=self._log,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._wait_ready()

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + STARTED_WITHIN
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(self.log_file.read_text()[-3000:])
            try:
                if self._get(self.health, "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"not ready: {self.log_file.read_text()[-3000:]}")

    @staticmethod
    def _get(port: int, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    @property
    def ca_bundle(self) -> str:
        return base64.b64encode((self.folder / "certs" / "ca.crt").read_bytes()).decode()

    def metric(self, name: str, **labels: str) -> float:
        """The sum of all series of that name that carry these labels."""
        total = 0.0
        for line in self._get(self.metrics_port, "/metrics")[1].splitlines():
            series, _, value = line.rpartition(" ")
            wanted = [f'{k}="{v}"' for k, v in labels.items()]
            if series.partition("{")[0] == name and all(one in series for one in wanted):
                total += float(value)
        return total

    def reviews(self) -> float:
        """How many reviews of guarded kinds came in; the server's own readiness calls left out."""
        everything = self.metric("skyhook_webhook_reviews_total")
        return everything - self.metric("skyhook_webhook_reviews_total", operation="CONNECT")

    def configurations(self, failure_policy: str = "Fail") -> list[dict[str, Any]]:
        """What we ship, reached by URL, as no cluster DNS is there."""
        objects = configurations(Catalog.default(), Options(version="test"))
        for webhook in (w for o in objects for w in o["webhooks"]):
            path = webhook["clientConfig"]["service"]["path"]
            webhook["clientConfig"] = {
                "url": f"https://127.0.0.1:{self.port}{path}",
                "caBundle": self.ca_bundle,
            }
            webhook["failurePolicy"] = failure_policy
            webhook["timeoutSeconds"] = 10
        return objects

    def register(self, cluster: ControlPlane, failure_policy: str = "Fail") -> None:
        """Creates the configurations, and waits until the API server calls us."""
        for body in self.configurations(failure_policy):
            self._create(cluster, body)
        self._wait_called(cluster)

    @staticmethod
    def _create(cluster: ControlPlane, body: dict[str, Any]) -> None:
        path = f"{REGISTERED}/{body['kind'].lower()}s"
        status, answer = cluster.request(ADMIN, "POST", path, body)
        assert status == 201, answer

    @contextmanager
    def without_mutation(self, cluster: ControlPlane) -> Iterator[None]:
        """Only `/validate` is called within; the API server takes a moment to know."""
        (body,) = (o for o in self.configurations() if o["kind"].startswith("Mutating"))
        path = f"{REGISTERED}/mutatingwebhookconfigurations/{body['metadata']['name']}"
        assert cluster.request(ADMIN, "DELETE", path)[0] == 200
        try:
            self._wait_mutating(cluster, called=False)
            yield
        finally:
            self._create(cluster, body)
            self._wait_mutating(cluster, called=True)

    def _wait_mutating(self, cluster: ControlPlane, *, called: bool) -> None:
        deadline = time.monotonic() + 20
        while (self._mutations_of_a_write(cluster) > 0) != called:
            assert time.monotonic() < deadline, "the API server knows no better"
            time.sleep(0.1)

    def _mutations_of_a_write(self, cluster: ControlPlane) -> float:
        """How often `/mutate` was called for one status write with conditions."""
        skyhooks, name = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks", f"probe-{self.port}"
        spec = {"packages": {"probe": {"version": "1.0.0", "image": "registry.example/probe"}}}
        body = {"apiVersion": "skyhook.nvidia.com/v1alpha1", "kind": "Skyhook", "spec": spec}
        assert (
            cluster.request(ADMIN, "POST", skyhooks, {**body, "metadata": {"name": name}})[0] == 201
        )
        ready = {"type": "Ready", "status": "False", "reason": "Waiting", "message": "probe"}
        condition = {**ready, "lastTransitionTime": "2026-01-01T00:00:00Z"}
        before = self.metric("skyhook_webhook_mutations_total")
        status, answer = cluster.request(
            ADMIN,
            *("PATCH", f"{skyhooks}/{name}/status", {"status": {"conditions": [condition]}}),
            "application/merge-patch+json",
        )
        assert status == 200, answer
        cluster.request(ADMIN, "DELETE", f"{skyhooks}/{name}")
        return self.metric("skyhook_webhook_mutations_total") - before

    def _wait_called(self, cluster: ControlPlane) -> None:
        name = f"probe-{self.port}"
        body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        assert cluster.request(ADMIN, "POST", "/api/v1/nodes", body)[0] == 201
        before, deadline = self.reviews(), time.monotonic() + 20
        while self.reviews() == before:
            assert time.monotonic() < deadline, "the API server never called us"
            patch = {"metadata": {"labels": {f"skyhook.nvidia.com/probe-{time.time_ns()}": "x"}}}
            cluster.request(
                ADMIN, "PATCH", f"/api/v1/nodes/{name}", patch, "application/merge-patch+json"
            )
            time.sleep(0.1)
        cluster.request(ADMIN, "DELETE", f"/api/v1/nodes/{name}")

    def unregister(self, cluster: ControlPlane) -> None:
        for kind in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
            cluster.request(ADMIN, "DELETE", f"{REGISTERED}/{kind}/skyhook-webhook")

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self._log.close()
        return code


@contextmanager
def registered(
    cluster: ControlPlane, folder: Path, settings: dict[str, Any] | None = None
) -> Iterator[Guard]:
    """A server that the API server calls within, and that ends well."""
    server = Guard(folder, settings)
    try:
        server.register(cluster)
        yield server
    finally:
        server.unregister(cluster)
        code = server.stop()
    assert code == 0
