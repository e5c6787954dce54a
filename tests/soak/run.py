"""`make soak`: a server under mixed recorded traffic, rotations, reloads and rude peers; what it holds and how quick it is.

Writes samples.csv, soak.svg and a summary; ends with 1 when something grew without bound or failed.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import socket
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.corpora import conversions, reviews
from tests.fuzz.mutating import mutated
from tests.server.process import Serving, ask, serving
from tests.soak.plot import Panel, drawn
from webhook.certs.authority import Authority
from webhook.certs.clock import utc_now

ROTATE, RELOAD, RUDE, RECONNECT = 15.0, 10.0, 1.0, 400
_ALWAYS = "record_max_bytes: 8388608\nmode: enforce\n"
SETTINGS = (_ALWAYS, _ALWAYS + "usual_rules: true\n", "mode: [\n")
MIB = 2**20
MOST_GROWTH = 24 * MIB
"""After the first quarter, in which caches fill and the allocator finds its size."""


@dataclass
class Tally:
    """What the callers saw."""

    calls: int = 0
    failures: list[str] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, seconds: float) -> None:
        with self.lock:
            self.calls += 1
            self.took.append(seconds)

    def fail(self, why: str) -> None:
        with self.lock:
            self.failures.append(why)

    def drain(self) -> tuple[int, list[float]]:
        with self.lock:
            found, self.took = self.took, []
            return self.calls, found


def call_on(server: Serving, tally: Tally, stop: threading.Event, seed: int, pause: float) -> None:
    """One caller, as an API server has them: kept connections, now and then a new one."""
    chance = Random(seed)
    while not stop.is_set():
        try:
            with server.session() as connection:
                for _ in range(chance.randrange(RECONNECT)):
                    if stop.is_set():
                        return
                    path, body, wanted = one(chance)
                    started = time.perf_counter()
                    answer = ask(connection, body, path)
                    tally.note(time.perf_counter() - started)
                    if answer.status not in wanted:
                        tally.fail(f"{path}: {answer.status} {answer.body[:200]!r}")
                    stop.wait(pause)
        except OSError as error:
            tally.fail(f"{type(error).__name__}: {error}")


def one(chance: Random) -> tuple[str, bytes, tuple[int, ...]]:
    """A call of one of the paths; every twentieth body is damaged."""
    path = chance.choices(("/validate", "/mutate", "/convert"), (6, 2, 2))[0]
    body = chance.choice(conversions() if path == "/convert" else reviews())
    if chance.random() < 0.05:
        return path, mutated(body, chance), (200, 400)
    return path, body, (200,)


def rude(server: Serving, stop: threading.Event) -> None:
    """Peers that say nothing, no TLS, or half a call."""
    while not stop.wait(RUDE):
        for words in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01"):
            try:
                with socket.create_connection(("127.0.0.1", server.port), 5) as sock:
                    sock.sendall(words)
            except OSError:
                pass


def rotate(authority: Authority, folder: Path) -> None:
    """A new leaf of the same CA, file by file, as a careless tool writes it."""
    leaf = authority.sign(("localhost", "127.0.0.1"), now=utc_now())
    (folder / "tls.key").write_bytes(leaf.key_pem)
    time.sleep(0.2)
    (folder / "tls.crt").write_bytes(leaf.cert_pem)


def turn(server: Serving, authority: Authority, config: Path, stop: threading.Event) -> None:
    """Rotations and reloads, a bad file among them."""
    began, rotations, reloads = time.monotonic(), 0, 0
    while not stop.wait(0.5):
        passed = time.monotonic() - began
        if passed > (rotations + 1) * ROTATE:
            rotations += 1
            rotate(authority, server.cert_dir)
        if passed > (reloads + 1) * RELOAD:
            reloads += 1
            config.write_text(SETTINGS[reloads % len(SETTINGS)])


def sample(server: Serving, tally: Tally, began: float) -> dict[str, float]:
    calls, took = tally.drain()
    took.sort()
    return {
        "seconds": round(time.monotonic() - began, 1),
        "rss": server.memory("VmRSS"),
        "descriptors": len(os.listdir(f"/proc/{server.process.pid}/fd")),
        "calls": calls,
        "p50": round(statistics.median(took) * 1000, 3) if took else 0,
        "p99": round(took[int(len(took) * 0.99)] * 1000, 3) if took else 0,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--callers", type=int, default=4)
    parser.add_argument(
        "--pause", type=float, default=0.01, help="seconds between calls of one caller"
    )
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--out", type=Path, default=Path("dist/soak"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        samples, tally, lines = soaked(Path(place), args)
    with (args.out / "samples.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(samples[0]))
        writer.writeheader()
        writer.writerows(samples)
    (args.out / "soak.svg").write_text(picture(samples))
    text, good = summary(samples, tally, lines, args)
    (args.out / "summary.md").write_text(text)
    print(text)
    return 0 if good else 1


def soaked(place: Path, args: Any) -> tuple[list[dict[str, float]], Tally, list[dict[str, Any]]]:
    config, records = place / "config.yaml", place / "records"
    config.write_text(SETTINGS[0])
    certs = place / "certs"
    certs.mkdir()
    authority = Authority.make("soak CA", now=utc_now())
    (certs / "ca.crt").write_bytes(authority.cert_pem)
    rotate(authority, certs)
    tally, stop = Tally(), threading.Event()
    flags = ("--config", str(config), "--record", str(records))
    seen: list[dict[str, Any]] = []
    with serving(place, *flags) as server:
        work = [
            (call_on, (server, tally, stop, args.seed + n, args.pause)) for n in range(args.callers)
        ]
        work += [(rude, (server, stop)), (turn, (server, authority, config, stop))]  # type: ignore[list-item]
        threads = [threading.Thread(target=f, args=a, daemon=True) for f, a in work]
        for thread in threads:
            thread.start()
        began, samples = time.monotonic(), []
        while time.monotonic() - began < args.minutes * 60:
            time.sleep(2)
            samples.append(sample(server, tally, began))
            seen += kept(server)
        stop.set()
        for thread in threads:
            thread.join(20)
        server.signal()
        assert server.ended() == 0
        seen += kept(server)
    return samples, tally, seen


def kept(server: Serving) -> list[dict[str, Any]]:
    """Log lines but reviews, which would fill our own memory."""
    lines = server.lines[:]
    del server.lines[: len(lines)]
    return [x for x in lines if x["event"] not in {"review", "mutate", "refused"}]


def picture(samples: list[dict[str, float]]) -> str:
    at = [s["seconds"] / 60 for s in samples]
    return drawn(
        [
            Panel("resident memory, MiB", at, {"": [s["rss"] / MIB for s in samples]}),
            Panel("descriptors", at, {"": [s["descriptors"] for s in samples]}),
            Panel(
                "latency, ms",
                at,
                {"p50": [s["p50"] for s in samples], "p99": [s["p99"] for s in samples]},
            ),
        ],
        "minutes",
    )


def summary(
    samples: list[dict[str, float]], tally: Tally, lines: list[dict[str, Any]], args: Any
) -> tuple[str, bool]:
    settled = samples[len(samples) // 4 :]
    third = max(len(settled) // 3, 1)
    early, late = (
        statistics.median(s["rss"] for s in part) for part in (settled[:third], settled[-third:])
    )
    events: dict[str, int] = {}
    for line in lines:
        what = line["event"].partition(":")[0].partition(" from ")[0]
        events[what] = events.get(what, 0) + 1
    taken = sum(line["event"] == "certificate" for line in lines)
    faults = [x for x in lines if x["event"] in ("fault", "library", "background work ended", "")]
    descriptors = [s["descriptors"] for s in settled]
    good = not tally.failures and not faults and late - early < MOST_GROWTH
    good = good and max(descriptors) - min(descriptors) < 100
    rows = {
        "length": f"{samples[-1]['seconds'] / 60:.1f} minutes, {args.callers} callers, seed {args.seed}",
        "run on": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores shared with others, Python {platform.python_version()}",
        "calls": f"{samples[-1]['calls']:,.0f}, {len(tally.failures)} not answered as they should be",
        "rotations and reloads": f"{taken} certificates taken, {events.get('settings', 0)} settings taken over",
        "memory": f"{early / MIB:.1f} MiB after a quarter, {late / MIB:.1f} MiB at the end, at most {max(s['rss'] for s in samples) / MIB:.1f}",
        "descriptors": f"{min(descriptors):.0f} to {max(descriptors):.0f}",
        "latency": f"p50 {statistics.median(s['p50'] for s in settled):.1f} ms, p99 {statistics.median(s['p99'] for s in settled):.1f} ms (medians of 2 s)",
        "faults in the log": str(len(faults)),
    }
    text = "| | |\n|---|---|\n" + "".join(f"| {k} | {v} |\n" for k, v in rows.items())
    text += f"\nevents: {json.dumps(events)}\n"
    for why in (*tally.failures[:5], *map(str, faults[:5])):
        text += f"\n- {why}"
    return text + "\n", good


if __name__ == "__main__":
    os.nice(10)
    sys.exit(main())
