"""What conversion and mutation cost: in process, over HTTPS, and a LIST through a real API server.

python -m bench.conversion                    in process: CPU and memory
python -m bench.conversion --https            one server process, one connection
python -m bench.conversion --api              LIST of 500 at either version; needs the control plane
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from webhook.catalog import PROFILES, shipped  # noqa: E402
from webhook.core.writer import NOBODY  # noqa: E402
from webhook.reviews.conversion import convert, decode_conversion  # noqa: E402
from webhook.reviews.decode import decode_admission, request_of  # noqa: E402
from webhook.reviews.mirroring import MirrorSettings, converters_of, keepers_of  # noqa: E402
from webhook.reviews.mutation import mutate, mutation_answer  # noqa: E402

GROUP = "skyhook.nvidia.com"
NOW = datetime(2026, 11, 29, tzinfo=UTC)
TYPES = ("Ready", "ApplyPackage", "NodesIgnored", "TaintNotTolerable", "Blocked")
SINGLE = {"4 KB": 4_000, "100 KB": 100_000, "1 MB": 1_000_000}
LISTS = {"500 x 4 KB": (500, 4_000), "100 x 100 KB": (100, 100_000)}


def skyhook(name: str, size: int, *, mirrored: bool = True) -> dict:
    """A Skyhook of about so many bytes of JSON, with the operator's conditions."""
    node = {
        "name": "tuning",
        "version": "1.2.3",
        "image": "registry.example/pkgs/tuning",
        "stage": "config",
        "state": "complete",
    }
    conditions = []
    for kind in TYPES:
        said = {
            "lastTransitionTime": "2026-05-01T10:00:00Z",
            "message": "0/1 nodes complete, 1 in progress (node-a)",
            "observedGeneration": 1,
            "reason": "Progressing",
            "status": "False",
            "type": kind,
        }
        conditions += [said, {**said, "type": f"{GROUP}/{kind}"}] if mirrored else [said]
    found = {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": name, "uid": "3f1c9a52-0d5e-4c1b-9d2e-7a6b5c4d3e2f", "generation": 1},
        "spec": {
            "packages": {"tuning": {"version": "1.2.3", "image": "registry.example/pkgs/tuning"}}
        },
        "status": {"conditions": conditions, "nodeState": {}, "status": "in_progress"},
    }
    each = len(json.dumps({"node-00000": {"tuning|1.2.3": node}}, separators=(",", ":")))
    missing = size - len(json.dumps(found, separators=(",", ":")))
    found["status"]["nodeState"] = {
        f"node-{n:05d}": {"tuning|1.2.3": node} for n in range(max(0, missing // each))
    }
    return found


def conversion_review(objects: list[dict]) -> bytes:
    request = {
        "uid": "c0c0c0c0-0000-4000-8000-000000000001",
        "desiredAPIVersion": f"{GROUP}/v1beta1",
        "objects": objects,
    }
    return packed(
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
    )


def admission_review(size: int, *, patched: bool) -> bytes:
    """A status write of two objects; with bare types only, mirrors have to be added."""
    one = skyhook("demo", size, mirrored=not patched)
    request = {
        "uid": "0a1b2c3d-0000-4000-8000-000000000001",
        "operation": "UPDATE",
        "kind": {"group": GROUP, "version": "v1alpha1", "kind": "Skyhook"},
        "resource": {"group": GROUP, "version": "v1alpha1", "resource": "skyhooks"},
        "subResource": "status",
        "userInfo": {
            "username": "system:serviceaccount:skyhook:skyhook-operator-controller-manager"
        },
        "object": one,
        "oldObject": one,
    }
    return packed(
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    )


def packed(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def in_process() -> None:
    settings = MirrorSettings()
    profiles = [shipped(name) for name in PROFILES]
    converters, keepers = converters_of(profiles, settings), keepers_of(profiles, settings)

    def converting(body: bytes) -> object:
        return convert(decode_conversion(body), converters, NOW)

    def mutating(body: bytes) -> object:
        request = request_of(decode_admission(body))
        return mutation_answer(request, mutate(request, keepers, operators=NOBODY, now=NOW))

    print(f"{'in process':38} {'body':>9} {'cpu min':>10} {'cpu p50':>10} {'peak above':>11}")
    for name, size in SINGLE.items():
        row(f"convert {name}, mirrors there", converting, conversion_review([skyhook("a", size)]))
        row(
            f"convert {name}, mirrors made",
            converting,
            conversion_review([skyhook("a", size, mirrored=False)]),
        )
    for name, (count, size) in LISTS.items():
        row(
            f"convert {name}",
            converting,
            conversion_review([skyhook(f"s-{n}", size) for n in range(count)]),
        )
    for name, size in (("small", 4_000), ("3 MB", 1_500_000)):
        row(f"mutate {name}, nothing to do", mutating, admission_review(size, patched=False))
        row(f"mutate {name}, 5 mirrors added", mutating, admission_review(size, patched=True))


def row(name: str, call, body: bytes) -> None:
    taken = []
    end = time.monotonic() + 3
    while len(taken) < 5 or (time.monotonic() < end and len(taken) < 2000):
        started = time.thread_time()
        call(body)
        taken.append(time.thread_time() - started)
    tracemalloc.start()
    call(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    micro = f"{min(taken) * 1e6:8.0f}us {statistics.median(taken) * 1e6:8.0f}us"
    print(f"{name:38} {len(body):9,} {micro} {peak / 1e6:8.2f} MB", flush=True)


def over_https() -> None:
    from tests.server.process import ask, serving

    print(
        f"{'over HTTPS, one connection':38} {'body':>9} {'p50':>10} {'server cpu':>11} {'peak RSS':>10}"
    )
    bodies = {f"convert {n}": conversion_review([skyhook("a", size)]) for n, size in SINGLE.items()}
    bodies |= {
        f"convert {n}": conversion_review([skyhook(f"s-{i}", size) for i in range(count)])
        for n, (count, size) in LISTS.items()
    }
    for name, body in bodies.items():
        with (
            tempfile.TemporaryDirectory() as folder,
            serving(Path(folder), "--shutdown-delay", "0") as server,
        ):
            with server.session() as connection:
                for _ in range(3):
                    assert ask(connection, body, "/convert").status == 200
                taken, used, end = [], server.cpu(), time.monotonic() + 3
                while time.monotonic() < end:
                    started = time.monotonic()
                    assert ask(connection, body, "/convert").status == 200
                    taken.append(time.monotonic() - started)
                used = (server.cpu() - used) / len(taken)
            line = f"{statistics.median(taken) * 1e3:8.2f}ms {used * 1e3:9.2f}ms {server.memory() / 1e6:7.0f} MB"
            print(f"{name:38} {len(body):9,} {line}", flush=True)


def through_the_api() -> None:
    from tests.controlplane.build import find_or_build
    from tests.e2e.converting import ADMIN, Converting, path
    from tests.kube.control_plane import start_control_plane

    with tempfile.TemporaryDirectory() as folder:
        cluster = start_control_plane(find_or_build(), Path(folder) / "cluster")
        both = Converting(cluster, Path(folder) / "guard")
        try:
            both.install()
            with ThreadPoolExecutor(2) as writers:
                list(writers.map(both.create, [f"many-{n:03d}" for n in range(500)]))
            print("through the API server, ms: min / p50; conversions that reached us")
            one = f"{path('v1alpha1', 'many-000')}", f"{path('v1beta1', 'many-000')}"
            lists = path("v1alpha1"), path("v1beta1")
            for what, (stored, ours), rounds in (("LIST of 500", lists, 9), ("GET", one, 200)):
                for version, where in (("v1alpha1", stored), ("v1beta1", ours)):
                    before = both.guard.metric("skyhook_webhook_converted_objects_total")
                    taken = []
                    for _ in range(rounds):
                        started = time.monotonic()
                        assert cluster.request(ADMIN, "GET", where)[0] == 200
                        taken.append((time.monotonic() - started) * 1e3)
                    reviews = both.guard.metric("skyhook_webhook_converted_objects_total") - before
                    said = f"{min(taken):.1f} / {statistics.median(taken):.1f}; {reviews / rounds:.0f} each"
                    print(f"{what} {version}: {said}", flush=True)
        finally:
            both.guard.stop()
            cluster.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--https", action="store_true")
    parser.add_argument("--api", action="store_true")
    chosen = parser.parse_args()
    if chosen.api:
        through_the_api()
    elif chosen.https:
        over_https()
    else:
        in_process()
