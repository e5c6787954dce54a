"""Several real `skyhook-webhook serve` processes with one Secret, and what a cluster does around them.

The API server calls a Service by ExternalName, which leads to a port of this process; it hands each
connection to one replica, as kube-proxy does, and never to a second one when that fails. Probes and
EndpointSlices follow the replicas as the kubelet and the endpoint controller make them follow, late.
"""

from __future__ import annotations

import http.client
import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.balancer import Balancer
from tests.e2e.guarding import ADMIN, REGISTERED, free_port
from webhook.catalog import Catalog
from webhook.manifests.options import NAME, Options
from webhook.manifests.webhooks import configurations

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kube.control_plane import ControlPlane

PROBED_EVERY = 0.25
"""Seconds between two looks at each replica."""
PATIENCE = 90.0
MERGE = "application/merge-patch+json"
QUICK = {"look": 0.5, "settle": 1, "retire": 2}
"""A rotation in seconds; by default it takes eleven minutes."""


def until(holds: Callable[[], Any], seconds: float = PATIENCE, every: float = 0.05) -> float:
    """Waits until something is so; how long that took."""
    started = time.monotonic()
    while not holds():
        assert time.monotonic() - started < seconds, "it never came to be"
        time.sleep(every)
    return time.monotonic() - started


class Replica:
    """One server process in the mode `tls: self-signed`.

    Attributes:
        turns: how often its readiness changed; 1 for one that became ready and stayed so.
    """

    def __init__(self, name: str, folder: Path, settings: dict[str, Any]) -> None:
        self.name = name
        self.port, self.health, self.metrics_port = free_port(), free_port(), free_port()
        self.ready = self.leaving = False
        self.turns = 0
        self.log_file = folder / f"{name}.log"
        config = folder / f"{name}.yaml"
        config.write_text(json.dumps(settings))
        command = [
            *(sys.executable, "-W", "error", "-m", "webhook", "serve", "--config", str(config)),
            *("--bind-address", "127.0.0.1", "--port", str(self.port)),
            *("--metrics-bind-address", f"127.0.0.1:{self.metrics_port}"),
            *("--health-probe-bind-address", f"127.0.0.1:{self.health}"),
        ]
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log, cwd=Path(__file__).parents[2])

    def probe(self) -> bool:
        """What the kubelet learns from /readyz."""
        with suppress(OSError, http.client.HTTPException):
            return self.get(self.health, "/readyz")[0] == 200
        return False

    @staticmethod
    def get(port: int, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def metric(self, name: str, **labels: str) -> float:
        """The sum of all series of that name that carry these labels."""
        wanted = [f'{k}="{v}"' for k, v in labels.items()]
        total = 0.0
        for line in self.get(self.metrics_port, "/metrics")[1].splitlines():
            series, _, value = line.rpartition(" ")
            if series.partition("{")[0] == name and all(one in series for one in wanted):
                total += float(value)
        return total

    def lines(self) -> list[dict[str, Any]]:
        """What it has logged; a line that is no JSON raises."""
        text = self.log_file.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def memory(self) -> int:
        """Resident bytes."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) * 1024

    def signal(self, number: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)


class Fleet:
    """Replicas behind the Service `skyhook-webhook` of a namespace, and the configurations that name it."""

    def __init__(
        self,
        cluster: ControlPlane,
        folder: Path,
        namespace: str,
        failure_policy: str = "Fail",
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.cluster, self.folder, self.namespace = cluster, folder, namespace
        self.failure_policy = failure_policy
        self.settings = {
            "tls": "self-signed",
            "namespace": namespace,
            "kubeconfig": str(cluster.kubeconfig(ADMIN)),
            "rotation": QUICK,
            **(settings or {}),
        }
        self.balancer = Balancer(self._endpoint)
        self.replicas: list[Replica] = []
        self.codes: list[int] = []
        self._numbers = itertools.count(1)
        self._turn = itertools.count()
        self._stop = threading.Event()
        self._prober = threading.Thread(target=self._probe_all, daemon=True)

    # What the API server is told.

    def install(self) -> None:
        """Namespace, Service and configurations, without a caBundle: the replicas write that."""
        self.must("POST", "/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        spec = {"type": "ExternalName", "externalName": "localhost"}
        body = {"metadata": {"name": NAME}, "spec": spec}
        self.must("POST", f"/api/v1/namespaces/{self.namespace}/services", body)
        for each in self.configurations():
            self.must("POST", f"{REGISTERED}/{each['kind'].lower()}s", each)
        self.balancer.start()
        self._prober.start()

    def configurations(self) -> list[dict[str, Any]]:
        """What we ship, for this namespace, the balancer's port and this failure policy."""
        options = Options(version="test", namespace=self.namespace, timeout_seconds=5)
        objects = configurations(Catalog.default(), options)
        for webhook in (w for o in objects for w in o["webhooks"]):
            webhook["clientConfig"]["service"]["port"] = self.balancer.port
            webhook["failurePolicy"] = self.failure_policy
        return objects

    def must(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        status, answer = self.cluster.request(ADMIN, method, path, body, kind)
        assert status in (200, 201), answer
        return answer

    def bundles(self) -> set[str]:
        """The caBundles of all our webhooks, "" for none."""
        return {
            webhook["clientConfig"].get("caBundle", "")
            for each in ("validating", "mutating")
            for webhook in self.must("GET", f"{REGISTERED}/{each}webhookconfigurations/{NAME}")[
                "webhooks"
            ]
        }

    @property
    def secret(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/secrets/skyhook-webhook-certs"

    def close(self) -> None:
        """Takes everything away."""
        self._stop.set()
        self._prober.join(10)
        for each in ("validating", "mutating"):
            self.cluster.request(
                ADMIN, "DELETE", f"{REGISTERED}/{each}webhookconfigurations/{NAME}"
            )
        for replica in self.replicas:
            replica.signal()
        for replica in self.replicas:
            replica.process.wait(60)
        self.balancer.stop()

    # What a Deployment does.

    def start(self, count: int = 1) -> list[Replica]:
        """New replicas, once they are ready."""
        new = [
            Replica(f"replica-{next(self._numbers)}", self.folder, self.settings)
            for _ in range(count)
        ]
        self.replicas += new
        until(lambda: all(r.ready for r in new) or self._dead(new))
        return new

    @staticmethod
    def _dead(new: list[Replica]) -> bool:
        for replica in new:
            assert replica.process.poll() is None, replica.log_file.read_text()[-3000:]
        return False

    def end(self, replica: Replica) -> int:
        """A Pod's deletion: SIGTERM at once; the Service leaves it out a moment later. The exit code."""
        replica.signal()
        time.sleep(PROBED_EVERY)
        replica.leaving = True
        self._publish(replica)
        code = replica.process.wait(60)
        self.codes.append(code)
        self._forget(replica)
        return code

    def kill(self, replica: Replica) -> float:
        """SIGKILL; returns once the Service leaves it out, with the seconds until then."""
        replica.signal(signal.SIGKILL)
        took = until(lambda: not replica.ready)
        replica.process.wait(10)
        self._forget(replica)
        return took

    def roll(self) -> None:
        """A rolling restart: surge 1, unavailable 0, as our Deployment says."""
        for old in list(self.replicas):
            self.start()
            self.end(old)

    def metric(self, name: str, **labels: str) -> float:
        return sum(replica.metric(name, **labels) for replica in self.replicas)

    def reviews(self) -> float:
        """Reviews of guarded kinds; our own readiness requests left out."""
        name = "skyhook_webhook_reviews_total"
        return self.metric(name) - self.metric(name, operation="CONNECT")

    # What kubelet, endpoint controller and kube-proxy do.

    def _probe_all(self) -> None:
        while not self._stop.wait(PROBED_EVERY):
            for replica in list(self.replicas):
                if not replica.leaving and replica.probe() != replica.ready:
                    replica.ready = not replica.ready
                    replica.turns += 1
                    self._publish(replica)

    def _endpoint(self) -> int | None:
        """The replica that the next connection goes to."""
        ready = [replica for replica in self.replicas if replica.ready and not replica.leaving]
        return ready[next(self._turn) % len(ready)].port if ready else None

    def _publish(self, replica: Replica) -> None:
        """Its EndpointSlice. Loopback addresses are refused there, but as a name it is accepted."""
        conditions = {
            "ready": replica.ready and not replica.leaving,
            "terminating": replica.leaving,
        }
        body = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {"name": replica.name, "labels": {"kubernetes.io/service-name": NAME}},
            "addressType": "FQDN",
            "ports": [{"port": replica.port}],
            "endpoints": [{"addresses": ["127.0.0.1"], "conditions": conditions}],
        }
        path = f"{self._slices}/{replica.name}?fieldManager=endpoints&force=true"
        self.must("PATCH", path, body, "application/apply-patch+yaml")

    def _forget(self, replica: Replica) -> None:
        self.replicas.remove(replica)
        self.cluster.request(ADMIN, "DELETE", f"{self._slices}/{replica.name}")

    @property
    def _slices(self) -> str:
        return f"/apis/discovery.k8s.io/v1/namespaces/{self.namespace}/endpointslices"
