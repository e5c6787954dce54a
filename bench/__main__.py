"""`make bench`: ours beside a Go peer and a plain Go floor, interleaved, every answer verified; one table.

    python -m bench [--quick] [CASE...] [--rounds 5] [--seconds 1.5] [--out bench/out]

Cases: those of bench/cases.py, `start` (first answer, idle memory) and `apiserver`. Exit code 1 when an
answer was wrong; never for a figure.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import apiserver, build, report
from bench.cases import CASES, Case
from bench.harness import Place, Server

ROOT = Path(__file__).resolve().parents[1]
OURS = (
    f"{sys.executable} -m webhook serve --bind-address 127.0.0.1 --port {{port}} --cert-dir {{certs}}"
    " --metrics-bind-address 127.0.0.1:0 --health-probe-bind-address 127.0.0.1:0 --shutdown-delay 0"
)
FURTHER = ("start", "apiserver")
WARM_UP = 0.5
IDLE = 1.0
"""Seconds after the first answer at which idle memory is read."""


def commands(programs: dict[str, Path], more: str) -> dict[str, str]:
    """How each server is started: log, metrics and probes on, as in a cluster."""
    return {
        "peer": f"{programs['go-peer']} -port {{port}} -certs {{certs}}",
        "ours": f"{OURS} {more}",
        "floor": f"{programs['goplain']} -port {{port}} -certs {{certs}}",
    }


def make_certificate(folder: Path) -> None:
    sys.path.insert(0, str(ROOT))
    from webhook.certs.development import ensure_development_certificate

    ensure_development_certificate(folder, now=datetime.now(UTC))


def say(text: str) -> None:
    """Progress: one line that is overwritten on a terminal, a line each elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def run_case(
    case: Case, servers: dict[str, Server], rounds: int, seconds: float
) -> list[dict[str, dict[str, float]]]:
    taking = {name: servers[name] for name in case.servers}
    for _ in case.run(taking, WARM_UP):
        pass
    found = []
    for number in range(rounds):
        say(f"{case.name}: round {number + 1} of {rounds}")
        order = dict(reversed(taking.items())) if number % 2 else taking
        found.append(dict(case.run(order, max(0.5, seconds * case.share))))
    return found


def starts(how: dict[str, str], place: Place, times: int) -> dict[str, Any]:
    """First answers and idle memory of freshly started servers, in turn."""
    first: dict[str, list[float]] = {name: [] for name in how}
    idle: dict[str, list[float]] = {name: [] for name in how}
    for number in range(times):
        for name, command in how.items():
            say(f"start: {name}, {number + 1} of {times}")
            server = Server(name, command, place)
            try:
                time.sleep(IDLE)
                first[name].append(server.first_answer_ms)
                idle[name].append(server.idle_mib())
            finally:
                server.stop()
    out: dict[str, Any] = {}
    for key, kept in (("first_ms", first), ("idle_mib", idle)):
        each = [a / b for a, b in zip(kept["ours"], kept["peer"], strict=True)]
        out[key] = {name: statistics.median(values) for name, values in kept.items()}
        out[key]["ratio"] = (statistics.median(each), min(each), max(each))
    return out


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [*(c.name for c in CASES), *FURTHER]
    parser.add_argument("case", nargs="*", metavar="CASE", help=", ".join(known))
    parser.add_argument("--quick", action="store_true", help="2 short rounds")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--serve", default="", metavar="FLAGS", help="further flags of our serve")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "out")
    args = parser.parse_args()
    if unknown := set(args.case) - set(known):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    args.case = args.case or known
    args.rounds = args.rounds or (2 if args.quick else 5)
    args.seconds = args.seconds or (0.7 if args.quick else 2.0)
    return args


def run(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    programs = build.programs()
    build.bytecode()
    place = Place(folder / "certs", folder, programs["goload"])
    make_certificate(place.certs)
    how = commands(programs, args.serve)
    found: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{os.cpu_count()} CPUs, {platform.machine()}, Python {platform.python_version()}",
        "load_before": os.getloadavg()[0],
        "cases": [],
    }
    started = time.monotonic()
    if "start" in args.case:
        found["start"] = starts(how, place, args.rounds)
    wanted = [case for case in CASES if case.name in args.case]
    servers: dict[str, Server] = {}
    try:
        if wanted or "apiserver" in args.case:
            for name, command in how.items():
                servers[name] = Server(name, command, place)
        for case in wanted:
            rounds = run_case(case, servers, args.rounds, args.seconds)
            found["cases"].append(report.line(case, rounds))
        if "apiserver" in args.case:
            with apiserver.cluster(folder / "cluster", servers) as plane:
                rounds = max(2, args.rounds // 2 + 1)
                found["apiserver"] = apiserver.figures(plane, args.seconds, rounds)
    finally:
        for server in servers.values():
            server.stop()
    found["seconds"] = time.monotonic() - started
    found["load_after"] = os.getloadavg()[0]
    return found


def main() -> int:
    args = arguments()
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        try:
            found = run(args, Path(folder))
        except RuntimeError as error:
            print(f"\nbench: {error}", file=sys.stderr)
            return 1
    say("")
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "bench.json").write_text(json.dumps(found, indent=1))
    page = report.page(found)
    (args.out / "bench.md").write_text(page)
    print(page)
    print(f"written: {args.out}/bench.md and bench.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
