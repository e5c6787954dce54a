"""Constant load from several writers, bounded in count and time; every write is one that we are asked about."""

from __future__ import annotations

import base64
import itertools
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tests.e2e.guarding import ADMIN
from webhook.manifests.options import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.fleet import Fleet
    from tests.kube.control_plane import ControlPlane

T = TypeVar("T")
MERGE = "application/merge-patch+json"
SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"
NODES = "/api/v1/nodes"
OPERATOR = "operator"
PAUSE = 0.02
MOST_WRITES = 50_000
LONGEST = 900.0
SPEC = {"packages": {"load": {"version": "1.0.0", "image": "registry.example/load"}}}


@dataclass(frozen=True, slots=True)
class Failure:
    """A write that did not go through: when it began (monotonic), what it was, what was said."""

    began: float
    what: str
    status: int
    message: str


@dataclass(slots=True)
class Load:
    """Writers as threads; `with` begins and ends them.

    Attributes:
        written: writes that went through.
        slowest: seconds of the slowest write.
        retried: writes that the API server asked to be made again a second later.
    """

    cluster: ControlPlane
    writers: int = 4
    written: int = 0
    slowest: float = 0.0
    retried: int = 0
    failures: list[Failure] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Self:
        for number in range(self.writers):
            prepare(self.cluster, f"load-{number}")
        self._threads = [
            threading.Thread(target=self._run, args=(f"load-{number}",), daemon=True)
            for number in range(self.writers)
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
        for number in range(self.writers):
            remove(self.cluster, f"load-{number}")

    def _run(self, name: str) -> None:
        end = time.monotonic() + LONGEST
        for number in itertools.count(1):
            if self._stop.is_set() or time.monotonic() > end:
                return
            if self.written + len(self.failures) >= MOST_WRITES:
                return
            self._write(name, number)
            time.sleep(PAUSE)

    def _write(self, name: str, number: int) -> None:
        what, write = WRITES[number % len(WRITES)]
        began = time.monotonic()
        status, answer = patiently(lambda: write(self.cluster, name, number), self._retry)
        took = time.monotonic() - began
        with self._lock:
            self.slowest = max(self.slowest, took)
            if status == 200:
                self.written += 1
            else:
                self.failures.append(Failure(began, what, status, str(answer.get("message"))))

    def _retry(self) -> None:
        with self._lock:
            self.retried += 1


def patiently(request: Callable[[], tuple[int, T]], retried: Callable[[], None]) -> tuple[int, T]:
    """Asks again after a 429 with Retry-After, as client-go and kubectl do, ten times at most.

    For a moment after each change of a CRD, its caBundle included, the API server answers so by
    itself: "storage is (re)initializing" (apiextensions-apiserver, customresource_handler.go).
    """
    for _ in range(10):
        status, answer = request()
        if status != 429:
            break
        retried()
        time.sleep(1)
    return status, answer


def prepare(cluster: ControlPlane, name: str) -> None:
    """What a writer writes to; made by somebody who waits until somebody answers."""
    skyhook = {
        "apiVersion": "skyhook.nvidia.com/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": name},
        "spec": SPEC,
    }
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    for path, body in ((SKYHOOKS, skyhook), (NODES, node)):
        status, answer = cluster.request(ADMIN, "POST", path, body)
        assert status == 201, answer


def remove(cluster: ControlPlane, name: str) -> None:
    for path in (SKYHOOKS, NODES):
        cluster.request(ADMIN, "DELETE", f"{path}/{name}")


def spec(cluster: ControlPlane, name: str, number: int) -> tuple[int, dict[str, Any]]:
    """A person edits the spec: /validate."""
    body = {"spec": {"priority": 100 + number % 1000}}
    return cluster.request(ADMIN, "PATCH", f"{SKYHOOKS}/{name}", body, MERGE)


def status(cluster: ControlPlane, name: str, number: int) -> tuple[int, dict[str, Any]]:
    """The operator writes a condition: /mutate, then /validate."""
    body = {
        "status": {
            "conditions": [
                {
                    "type": "Load",
                    "status": "True",
                    "reason": f"Write{number}",
                    "message": "load",
                    "lastTransitionTime": "2026-05-01T10:00:00Z",
                }
            ]
        }
    }
    return cluster.request(OPERATOR, "PATCH", f"{SKYHOOKS}/{name}/status", body, MERGE)


def label(cluster: ControlPlane, name: str, number: int) -> tuple[int, dict[str, Any]]:
    """The operator writes a key of its own on a Node: /validate."""
    body = {"metadata": {"annotations": {"skyhook.nvidia.com/load": str(number)}}}
    return cluster.request(OPERATOR, "PATCH", f"{NODES}/{name}", body, MERGE)


WRITES: tuple[tuple[str, Callable[..., tuple[int, dict[str, Any]]]], ...] = (
    ("spec", spec),
    ("status", status),
    ("node", label),
)


def illegal(cluster: ControlPlane, name: str) -> int:
    """The status code of a write that nobody makes: 422 while we guard."""
    value = (
        '{"p|1.0":{"name":"p","version":"1.0","image":"i","stage":"nowhere","state":"complete"}}'
    )
    body = {"metadata": {"annotations": {f"skyhook.nvidia.com/nodeState_{name}": value}}}
    status, _ = cluster.request(OPERATOR, "PATCH", f"{NODES}/{name}?dryRun=All", body, MERGE)
    return status


class Diallers:
    """A strict client: takes the stored caBundle, then dials under the Service's name; each is a handshake."""

    def __init__(self, fleet: Fleet, port: int = 0) -> None:
        self._fleet = fleet
        self._port = port or fleet.balancer.port
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.dialled = 0
        self.failures: list[Failure] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            began = time.monotonic()
            for why in self.dial():
                self.failures.append(Failure(began, "dial", 0, why))

    def dial(self) -> Iterator[str]:
        """What goes wrong with each of the stored bundles."""
        fleet = self._fleet
        bundles = fleet.bundles()
        for bundle in bundles:
            self.dialled += 1
            if not bundle:
                yield "no caBundle"
                continue
            try:
                context = ssl.create_default_context(cadata=base64.b64decode(bundle).decode())
                with (
                    socket.create_connection(("127.0.0.1", self._port), 10) as plain,
                    context.wrap_socket(plain, server_hostname=f"{NAME}.{fleet.namespace}.svc"),
                ):
                    pass
            except (OSError, ValueError) as error:
                yield repr(error)
