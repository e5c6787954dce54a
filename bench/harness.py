"""Side-by-side benchmark of webhook servers, each against a reference, interleaved in one run.

    harness.py --certs DIR --server go='./p1-webhook -port {port} -certs {certs}' \
               --server ours='python -m ours --port {port} --certs {certs}' \
               --reference go --case small:1,8,32 --case max:1 --rounds 5 --seconds 3 --json out.json

Server and client are pinned to different cores (--server-cpus / --client-cpus). Per (server, case,
connections) and round: throughput, p50/p99 latency, server CPU ms per request (utime+stime of its
process tree: what 'per core' rests on, and the number least touched by noise), peak RSS. Ratios are
taken inside a round, against the reference's figure of that same round, then min/median/max over rounds.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import payloads
from client import client_context

if TYPE_CHECKING:
    import ssl

HERE = Path(__file__).parent
PATHS = {"admission": "/validate", "conversion": "/convert"}
TICK = os.sysconf("SC_CLK_TCK")


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
        try:
            fields = Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return total / TICK


def memory_mib(pid: int, key: str) -> float:
    total = 0
    for p in tree(pid):
        try:
            for line in Path(f"/proc/{p}/status").read_text().splitlines():
                if line.startswith(key + ":"):
                    total += int(line.split()[1])
        except OSError:
            pass
    return total / 1024


def reset_peak(pid: int) -> None:
    for p in tree(pid):
        with contextlib.suppress(OSError):
            Path(f"/proc/{p}/clear_refs").write_text("5")


class Server:
    def __init__(self, name: str, command: str, args: argparse.Namespace) -> None:
        self.name, self.port = name, free_port()
        env = dict(os.environ)
        words = shlex.split(command.format(port=self.port, certs=args.certs))
        while words and "=" in words[0] and not words[0].startswith("/"):
            key, value = words.pop(0).split("=", 1)
            env[key] = value
        log = open(Path(args.logs) / f"{name}.log", "wb")
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            ["taskset", "-c", args.server_cpus, *words],
            stdout=log,
            stderr=log,
            env=env,
            start_new_session=True,
        )
        context = client_context(f"{args.certs}/ca.crt", args.client_cert, args.client_key)
        self.first_answer_ms = self._wait(context, begin)
        time.sleep(0.3)
        self.idle_rss_mib = memory_mib(self.process.pid, "VmRSS")

    def _wait(self, context: ssl.SSLContext, begin: float) -> float:
        body = payloads.build("small")
        request = (
            f"POST {PATHS['admission']} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode() + body
        while time.perf_counter() - begin < 60:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} exited with {self.process.returncode}")
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=10) as raw:
                    with context.wrap_socket(raw, server_hostname="localhost") as s:
                        s.sendall(request)
                        answer = s.recv(65536)
                        if answer.startswith(b"HTTP/1.1 200"):
                            return (time.perf_counter() - begin) * 1000
            except OSError:
                pass
            time.sleep(0.005)
        raise RuntimeError(f"{self.name} did not answer")

    def stop(self) -> None:
        for sig in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sig)
                self.process.wait(5)
                return
            except (subprocess.TimeoutExpired, ProcessLookupError):
                continue


def run_load(server: Server, case: str, conns: int, args: argparse.Namespace) -> dict[str, Any]:
    kind = payloads.CASES[case]["kind"]
    url = f"https://localhost:{server.port}{PATHS[kind]}"
    cmd = ["taskset", "-c", args.client_cpus]
    if args.engine == "py":
        cmd += [
            sys.executable,
            str(HERE / "client.py"),
            url,
            "--case",
            case,
            "-c",
            str(conns),
            "-d",
            str(args.seconds),
            "--ca",
            f"{args.certs}/ca.crt",
        ]
        if args.client_cert:
            cmd += ["--cert", args.client_cert, "--key", args.client_key]
    else:  # another engine: same flags as goload
        body = Path(args.logs) / f"{case}.body"
        if not body.exists():
            body.write_bytes(payloads.build(case))
        cmd += [
            args.engine,
            "-url",
            url,
            "-body",
            str(body),
            "-uid",
            payloads.uid_for(0),
            "-c",
            str(conns),
            "-d",
            f"{args.seconds}s",
            "-ca",
            f"{args.certs}/ca.crt",
            "-check",
            kind,
            "-count",
            str(payloads.CASES[case].get("count", 0)),
        ]
        if args.client_cert:
            cmd += ["-cert", args.client_cert, "-key", args.client_key]
    reset_peak(server.process.pid)
    before = cpu_seconds(server.process.pid)
    done = subprocess.run(cmd, capture_output=True, text=True, timeout=args.seconds + 120)
    used = cpu_seconds(server.process.pid) - before
    if done.returncode:
        return {"requests": 0, "errors": 1, "first_error": done.stderr[-300:]}
    out: dict[str, Any] = json.loads(done.stdout)
    out["cpu_ms"] = used * 1000 / max(1, out["requests"])
    out["peak_rss_mib"] = memory_mib(server.process.pid, "VmHWM")
    return out


METRICS = ("rps", "p50_ms", "p99_ms", "cpu_ms", "peak_rss_mib")


def summarize(rows: list[dict[str, Any]], reference: str) -> list[dict[str, Any]]:
    out = []
    keys = list(dict.fromkeys((r["case"], r["conns"], r["server"]) for r in rows))
    for case, conns, server in keys:
        mine = [r for r in rows if (r["case"], r["conns"], r["server"]) == (case, conns, server)]
        ref = {
            r["round"]: r
            for r in rows
            if (r["case"], r["conns"], r["server"]) == (case, conns, reference)
        }
        item: dict[str, Any] = {
            "case": case,
            "conns": conns,
            "server": server,
            "errors": sum(r["errors"] for r in mine),
            "first_error": next((r["first_error"] for r in mine if r.get("first_error")), ""),
        }
        for m in METRICS:
            values = [r[m] for r in mine if m in r]
            ratios = [
                r[m] / ref[r["round"]][m] for r in mine if m in r and ref.get(r["round"], {}).get(m)
            ]
            if values:
                item[m] = statistics.median(values)
            if ratios:
                item[m + "_ratio"] = [min(ratios), statistics.median(ratios), max(ratios)]
        out.append(item)
    return out


def table(items: list[dict[str, Any]], reference: str) -> str:
    lines = [f"ratios are against '{reference}': median [min..max] of per-round ratios"]
    head = (
        f"{'case':13s}{'c':>3s} {'server':18s}{'rps':>9s}{'p50ms':>9s}{'p99ms':>9s}{'cpu ms':>9s}{'peakMiB':>8s}  "
        f"{'rps ratio':20s}{'p50 ratio':20s}{'p99 ratio':20s}{'cpu ratio':20s}err"
    )
    lines.append(head)

    def ratio(item: dict[str, Any], key: str) -> str:
        r = item.get(key + "_ratio")
        return f"{r[1]:.2f} [{r[0]:.2f}..{r[2]:.2f}]" if r else "-"

    for i in items:
        lines.append(
            f"{i['case']:13s}{i['conns']:>3d} {i['server']:18s}{i.get('rps', 0):9.1f}{i.get('p50_ms', 0):9.3f}"
            f"{i.get('p99_ms', 0):9.3f}{i.get('cpu_ms', 0):9.3f}{i.get('peak_rss_mib', 0):8.0f}  "
            f"{ratio(i, 'rps'):20s}{ratio(i, 'p50_ms'):20s}{ratio(i, 'p99_ms'):20s}{ratio(i, 'cpu_ms'):20s}"
            f"{i['errors']}{' ' + i['first_error'][:80] if i['errors'] else ''}"
        )
    return "\n".join(lines)


def main() -> int:
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ap.add_argument(
        "--server",
        action="append",
        required=True,
        metavar="NAME=COMMAND",
        help="{port} and {certs} are filled in; leading K=V words set the environment",
    )
    ap.add_argument("--reference", required=True)
    ap.add_argument("--case", action="append", required=True, metavar="CASE:CONNS,...")
    ap.add_argument("--certs", required=True, help="folder with ca.crt, tls.crt, tls.key")
    ap.add_argument("--client-cert", default="")
    ap.add_argument("--client-key", default="")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--seconds", type=float, default=3)
    ap.add_argument("--warmup", type=float, default=0.5)
    ap.add_argument(
        "--starts", type=int, default=1, help="starts per server, for the cold start time"
    )
    ap.add_argument(
        "--engine", default="py", help="'py' (client.py) or the path of a goload-compatible client"
    )
    ap.add_argument("--server-cpus", default="0")
    ap.add_argument("--client-cpus", default="1")
    ap.add_argument("--logs", default=tempfile.gettempdir())
    ap.add_argument("--json", default="")
    args = ap.parse_args()
    Path(args.logs).mkdir(parents=True, exist_ok=True)
    if args.json:
        Path(args.json).touch()  # fail now rather than after the run
    if args.reference not in [s.split("=", 1)[0] for s in args.server]:
        ap.error("--reference is not one of the servers")
    commands = dict(s.split("=", 1) for s in args.server)
    servers: dict[str, Server] = {}
    cold: dict[str, list[float]] = {n: [] for n in commands}
    rows: list[dict[str, Any]] = []
    try:
        for _ in range(args.starts - 1):
            for name, command in commands.items():
                s = Server(name, command, args)
                cold[name].append(s.first_answer_ms)
                s.stop()
        for name, command in commands.items():
            try:
                servers[name] = Server(name, command, args)
                cold[name].append(servers[name].first_answer_ms)
            except RuntimeError as e:
                print("skipped:", e, file=sys.stderr)
        for spec in args.case:
            case, _, counts = spec.partition(":")
            for conns in [int(c) for c in (counts or "1").split(",")]:
                keep, args.seconds = args.seconds, args.warmup
                for s in servers.values():
                    run_load(s, case, conns, args)
                args.seconds = keep
                for number in range(args.rounds):
                    order = list(servers.values())
                    if number % 2:
                        order.reverse()
                    for s in order:
                        rows.append(
                            {
                                "case": case,
                                "conns": conns,
                                "server": s.name,
                                "round": number,
                                "load1": os.getloadavg()[0],
                                **run_load(s, case, conns, args),
                            }
                        )
    finally:
        for s in servers.values():
            s.stop()
    items = summarize(rows, args.reference)
    print(table(items, args.reference))
    print("\nserver              first answer ms (median)   idle RSS MiB")
    for name, s in servers.items():
        print(f"{name:20s}{statistics.median(cold[name]):12.0f}{s.idle_rss_mib:24.1f}")
    if args.json:
        Path(args.json).write_text(
            json.dumps(
                {
                    "args": dict(vars(args).items()),
                    "rows": rows,
                    "summary": items,
                    "cold_start_ms": cold,
                    "idle_rss_mib": {n: s.idle_rss_mib for n, s in servers.items()},
                },
                indent=1,
            )
        )
    return 1 if any(i["errors"] for i in items) else 0


if __name__ == "__main__":
    sys.exit(main())
