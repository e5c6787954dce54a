"""Server processes under load: started, pinned, measured from outside, interleaved by whoever calls.

Server and client are pinned to different cores. `cpu_ms` is utime + stime of the server's whole process tree
per request: what throughput per core rests on, and the figure least touched by noise.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import socket
import ssl
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import payloads

TICK = os.sysconf("SC_CLK_TCK")
STARTED_WITHIN = 60.0
LOOK = 0.002


@dataclass(frozen=True)
class Place:
    """Where servers find their certificate and leave their logs, and who runs on which core."""

    certs: Path
    folder: Path
    goload: Path
    server_cpus: str = "0"
    client_cpus: str = "1"


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def tree(pid: int) -> list[int]:
    out = [pid]
    for p in out:
        for task in Path(f"/proc/{p}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                out += [int(x) for x in task.read_text().split()]
    return out


def cpu_seconds(pid: int) -> float:
    total = 0
    for p in tree(pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
    return total / TICK


def memory_mib(pid: int, key: str) -> float:
    """VmRSS (now) or VmHWM (the peak since `reset_peak`)."""
    total = 0
    for p in tree(pid):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{p}/status").read_text().splitlines():
                if line.startswith(key + ":"):
                    total += int(line.split()[1])
    return total / 1024


def reset_peak(pid: int) -> None:
    for p in tree(pid):
        with contextlib.suppress(OSError):
            Path(f"/proc/{p}/clear_refs").write_text("5")


class Server:
    """One server under test. `{port}` and `{certs}` in its command are filled in."""

    def __init__(self, name: str, command: str, place: Place) -> None:
        self.name, self.port, self.place = name, free_port(), place
        words = shlex.split(command.format(port=self.port, certs=place.certs))
        log = (place.folder / f"{name}.log").open("ab")
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            ["taskset", "-c", place.server_cpus, *words],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        try:
            self.first_answer_ms = self._first_answer(begin)
        except BaseException:
            self.stop()
            raise

    def _first_answer(self, begin: float) -> float:
        context = ssl.create_default_context(cafile=self.place.certs / "ca.crt")
        body = payloads.build("small")
        request = (
            "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode() + body
        while time.perf_counter() - begin < STARTED_WITHIN:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} exited with {self.process.returncode}")
            with contextlib.suppress(OSError):
                with socket.create_connection(("127.0.0.1", self.port), timeout=10) as raw:
                    with context.wrap_socket(raw, server_hostname="localhost") as s:
                        s.sendall(request)
                        if s.recv(65536).startswith(b"HTTP/1.1 200"):
                            return (time.perf_counter() - begin) * 1000
            time.sleep(LOOK)
        raise RuntimeError(f"{self.name} did not answer")

    def idle_mib(self) -> float:
        return memory_mib(self.process.pid, "VmRSS")

    def stop(self) -> None:
        for sig in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sig)
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                continue
            except ProcessLookupError:
                self.process.wait(5)
            return


def loading(
    server: Server, case: str, conns: int, seconds: float, *, new_connections: bool = False
) -> subprocess.Popen[str]:
    """A client of the kube-apiserver's kind at work; it prints what it saw as JSON."""
    place, spec = server.place, payloads.CASES[case]
    kind = spec["kind"]
    body = place.folder / f"{case}.body"
    if not body.exists():
        body.write_bytes(payloads.build(case))
    check = kind if kind in ("conversion", "mutation") else "admission"
    return subprocess.Popen(
        [
            *("taskset", "-c", place.client_cpus, str(place.goload)),
            *("-url", f"https://localhost:{server.port}{payloads.PATHS[kind]}"),
            *("-body", str(body), "-uid", payloads.uid_for(0), "-ca", str(place.certs / "ca.crt")),
            *("-c", str(conns), "-d", f"{seconds}s", "-check", check),
            *("-count", str(spec.get("count", 0)), f"-newconn={str(new_connections).lower()}"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def seen(client: subprocess.Popen[str]) -> dict[str, Any]:
    """What a client has seen, once it is done. Raises RuntimeError when one answer was wrong."""
    out, err = client.communicate(timeout=180)
    if client.returncode:
        raise RuntimeError(err[-500:])
    found: dict[str, Any] = json.loads(out)
    if found["errors"]:
        raise RuntimeError(f"{found['errors']} wrong answers: {found['first_error'][:500]}")
    return found


def measured(
    server: Server, case: str, conns: int, seconds: float, *, new_connections: bool = False
) -> dict[str, float]:
    """One stretch of load: CPU a request, latencies in ms, requests a second, peak memory."""
    pid = server.process.pid
    reset_peak(pid)
    before = cpu_seconds(pid)
    found = seen(loading(server, case, conns, seconds, new_connections=new_connections))
    used = cpu_seconds(pid) - before
    return {
        "cpu_ms": used * 1000 / max(1, found["requests"]),
        "p50_ms": found["p50_ms"],
        "p99_ms": found["p99_ms"],
        "rps": found["rps"],
        "peak_mib": memory_mib(pid, "VmHWM"),
        "requests": found["requests"],
    }
