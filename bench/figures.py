"""The figures of bench/README.md: reviews a second of `validate -o jsonl`, server CPU per review.

    .venv/bin/python bench/figures.py [--seconds 3] [--rounds 3]

CPU is utime+stime of the process from /proc, so what else the machine does moves it least. Each
server figure is printed beside that of a floor that reads the body and answers a fixed 200.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import harness  # noqa: E402
import payloads  # noqa: E402

RECORDED = ROOT / "tests" / "recorded"
CASES = ("small", "n100", "max", "max_all")


def validate_rate(copies: int) -> tuple[int, float]:
    """(reviews, reviews a CPU second) of `validate -o jsonl` on recorded reviews, repeated."""
    lines = b"".join(gzip.open(path).read() for path in sorted(RECORDED.glob("*.jsonl.gz")))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "reviews.jsonl"
        source.write_bytes(lines * copies)
        count = lines.count(b"\n") * copies
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with Path(os.devnull).open("wb") as sink:
            subprocess.run(
                [sys.executable, "-m", "webhook", "validate", "-o", "jsonl", "-q", str(source)],
                stdout=sink,
                check=False,
                cwd=ROOT,
            )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return count, count / used


def server_cpu(seconds: float, rounds: int) -> list[dict[str, float | str | int]]:
    """CPU ms and latencies of ours and of the floor, in turn, for each case."""
    payloads.CASES["max_all"] = {"kind": "admission", "nodes": None, "changed": 1_000_000}
    with tempfile.TemporaryDirectory() as folder:
        certs = Path(folder) / "certs"
        make_certificate(certs)
        args = argparse.Namespace(certs=str(certs), logs=folder, server_cpus="0", client_cert="", client_key="")  # fmt: skip
        os.chdir(ROOT)
        servers = {
            name: harness.Server(name, command, args)
            for name, command in {"ours": OURS, "floor": floor(Path(folder))}.items()
        }
        try:
            rows = [
                row for case in CASES for row in measured(servers, case, certs, seconds, rounds)
            ]
        finally:
            for server in servers.values():
                server.stop()
    return rows


OURS = (
    f"{sys.executable} -m webhook serve --bind-address 127.0.0.1 --port {{port}}"
    " --cert-dir {certs} --metrics-bind-address 0 --health-probe-bind-address 0 --shutdown-delay 0"
)


def floor(folder: Path) -> str:
    """The command of a plain Go server that reads the body and answers a fixed 200."""
    source, binary = HERE / "gotools", folder / "goplain"
    subprocess.run(["go", "build", "-o", str(binary), "./goplain"], cwd=source, check=True)
    return f"{binary} -port {{port}} -certs {{certs}}"


def make_certificate(folder: Path) -> None:
    code = (
        "import sys; from datetime import UTC, datetime; from pathlib import Path;"
        "from webhook.certs.development import ensure_development_certificate as make;"
        "make(Path(sys.argv[1]), now=datetime.now(UTC))"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, cwd=ROOT)


def measured(
    servers: dict[str, harness.Server], case: str, certs: Path, seconds: float, rounds: int
) -> list[dict[str, float | str | int]]:
    """Medians over rounds, the servers in turn; every answer is verified by the client."""
    import client

    context = client.client_context(f"{certs}/ca.crt")
    rows: dict[str, list[tuple[float, ...]]] = {name: [] for name in servers}
    for number in range(rounds + 1):  # the first round warms up
        for name, server in servers.items():
            url = f"https://localhost:{server.port}/validate"
            before = harness.cpu_seconds(server.process.pid)
            result = client.load(url, case, 1, seconds if number else 0.5, context)
            used = harness.cpu_seconds(server.process.pid) - before
            assert not result.errors, result.first_error
            if number:
                rows[name].append((used * 1000 / result.requests, result.p50_ms, result.p99_ms))
    found = []
    for name, kept in rows.items():
        cpu, p50, p99 = (statistics.median(column) for column in zip(*kept, strict=True))
        found.append({"case": case, "server": name, "cpu_ms": round(cpu, 3), "p50_ms": round(p50, 3), "p99_ms": round(p99, 3)})  # fmt: skip
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--copies", type=int, default=6)
    args = parser.parse_args()
    started = time.time()
    count, rate = validate_rate(args.copies)
    print(f"validate -o jsonl: {count} reviews, {rate:,.0f} a second of one core")
    for row in server_cpu(args.seconds, args.rounds):
        print(json.dumps(row))
    print(f"load average {os.getloadavg()[0]:.1f}, {time.time() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
