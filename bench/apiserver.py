"""A real kube-apiserver as the client: status writes with nobody, with ours and with the Go peer in their way.

All configurations are registered at once; an object's label says which webhooks it meets, so that
rounds can be interleaved without waiting for the API server to take a change over.
"""

from __future__ import annotations

import base64
import json
import statistics
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bench import payloads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.harness import Server
    from tests.kube.control_plane import ControlPlane

PATH = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"
REGISTERED = "/apis/admissionregistration.k8s.io/v1"
LABEL = "bench.example.com/meets"
WAYS = ("nobody", "ours", "peer", "ours-mutating", "peer-mutating")
SIZES = {"small": 1, "100 nodes": 100}
ADMIN, OPERATOR = "kubernetes-admin", "operator"
MERGE = "application/merge-patch+json"
WRITERS = 4
"""Clients at once where writes a second are counted."""


@contextmanager
def cluster(folder: Path, servers: dict[str, Server]) -> Iterator[ControlPlane]:
    """A control plane with the CRDs, the webhooks of both servers and the objects to write."""
    from tests.controlplane.build import find_or_build
    from tests.kube.control_plane import start_control_plane
    from tests.kube.crds import install_crds

    plane = start_control_plane(find_or_build(), folder)
    try:
        install_crds(plane)
        for size, nodes in SIZES.items():
            for way in WAYS:
                for writer in range(WRITERS):
                    _create(plane, _name(size, way, writer), way, nodes)
        for name in ("ours", "peer"):
            _register(plane, name, servers[name])
        time.sleep(2.0)  # the API server takes configurations over within a second
        yield plane
    finally:
        plane.stop()


def _name(size: str, way: str, writer: int) -> str:
    return f"{size.replace(' ', '-')}-{way}-{writer}"


def _create(plane: ControlPlane, name: str, way: str, nodes: int) -> None:
    document = payloads.skyhook(nodes, 1, name=name, managed_fields=False, conditions=True)
    status = document.pop("status")
    document["metadata"] = {"name": name, "labels": {LABEL: way}}
    _must(plane.request(ADMIN, "POST", PATH, document))
    body = json.dumps({"status": status})
    _must(plane.request(OPERATOR, "PATCH", f"{PATH}/{name}/status", body, MERGE))


def _must(answer: tuple[int, dict[str, Any]]) -> None:
    if answer[0] not in (200, 201):
        raise RuntimeError(f"{answer[0]}: {str(answer[1])[:500]}")


def _register(plane: ControlPlane, name: str, server: Server) -> None:
    ca = base64.b64encode((server.place.certs / "ca.crt").read_bytes()).decode()
    for kind, path, ways in (
        ("Validating", "validate", [name, f"{name}-mutating"]),
        ("Mutating", "mutate", [f"{name}-mutating"]),
    ):
        hook = {
            "name": f"{path}.{name}.example.com",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "failurePolicy": "Fail",
            "timeoutSeconds": 10,
            "clientConfig": {"url": f"https://localhost:{server.port}/{path}", "caBundle": ca},
            "objectSelector": {
                "matchExpressions": [{"key": LABEL, "operator": "In", "values": ways}]
            },
            "rules": [
                {
                    "apiGroups": ["skyhook.nvidia.com"],
                    "apiVersions": ["*"],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": ["skyhooks", "skyhooks/status"],
                }
            ],
        }
        document = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": f"{kind}WebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [hook],
        }
        where = f"{REGISTERED}/{kind.lower()}webhookconfigurations"
        _must(plane.request(ADMIN, "POST", where, document))


def figures(plane: ControlPlane, seconds: float, rounds: int) -> list[dict[str, Any]]:
    """Rows by size and way: p50 and p99 of one writer in ms, writes a second of four."""
    rows: list[dict[str, Any]] = []
    for size in SIZES:
        found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
        for number in range(rounds + 1):
            for way in WAYS if number % 2 else tuple(reversed(WAYS)):
                row = _round(plane, size, way, seconds if number else 0.4)
                if number:
                    found[way].append(row)
            print(f"apiserver, {size}: round {number} of {rounds}", file=sys.stderr, flush=True)
        for way, kept in found.items():
            rows.append(
                {"size": size, "way": way}
                | {k: statistics.median(r[k] for r in kept) for k in kept[0]}
            )
    return rows


def _round(plane: ControlPlane, size: str, way: str, seconds: float) -> dict[str, float]:
    one = sorted(_writes(plane, _name(size, way, 0), seconds * 0.6))
    many: list[float] = []

    def write(writer: int) -> None:
        many.extend(_writes(plane, _name(size, way, writer), seconds * 0.4))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - started
    return {
        "p50_ms": one[len(one) // 2],
        "p99_ms": one[min(len(one) - 1, int(len(one) * 0.99))],
        "writes_s": len(many) / took,
    }


def _writes(plane: ControlPlane, name: str, seconds: float) -> list[float]:
    """Latencies in ms of merge patches of the status, one after the other; each must succeed."""
    found: list[float] = []
    end = time.perf_counter() + seconds
    while True:
        boot = {"gpu-node-00000.dc1.example.internal": str(time.perf_counter_ns())}
        body = json.dumps({"status": {"nodeBootIds": boot}})
        begin = time.perf_counter()
        answer = plane.request(OPERATOR, "PATCH", f"{PATH}/{name}/status", body, MERGE)
        now = time.perf_counter()
        _must(answer)
        found.append((now - begin) * 1000)
        if now >= end:
            return found
