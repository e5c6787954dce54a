"""How fast `replay` is, and in how much memory: recorded reviews repeated, by a pipe, as one runs it.

    python -m bench.replay [--count 1000000] [--jobs 1] [--audit] [--recordings FOLDER]

Prints one JSON object. The options are the defaults, so each write with a finding is listed as well.
`machine` is how long ten million additions take here, before and after: divide by what they take on
a quiet core to know how much of this one was ours.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import threading
import time
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "skyhook" / "recorded"
CHECKED_IN = ROOT / "tests" / "recorded"


def recorded(folder: Path) -> list[bytes]:
    """Every line of the recordings, unpacked."""
    lines: list[bytes] = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path) as stream:
            lines += [line.rstrip(b"\n") + b"\n" for line in stream]
    return lines


def audited(lines: list[bytes]) -> list[bytes]:
    """The same writes as audit events of level RequestResponse."""
    from tests.replaying import audit

    reviews = (json.loads(line) for line in lines)
    return [json.dumps(event).encode() + b"\n" for _, event in audit.log(reviews)]


def machine() -> float:
    """Seconds of CPU for ten million additions."""
    started, total = time.process_time(), 0
    for number in range(10_000_000):
        total += number
    return round(time.process_time() - started, 3)


def chunks(lines: list[bytes], count: int) -> Iterator[bytes]:
    """So many lines, over and over, a few at a time."""
    held: list[bytes] = []
    for number, line in enumerate(cycle(lines)):
        if number == count:
            break
        held.append(line)
        if len(held) == 64:
            yield b"".join(held)
            held = []
    yield b"".join(held)


def run(lines: list[bytes], count: int, jobs: int) -> dict[str, object]:
    """One replay; its figures."""
    command = [sys.executable, "-m", "webhook", "replay", "-q", "-o", "json"]
    command += ["--jobs", str(jobs), "-"]
    before, calibrated = resource.getrusage(resource.RUSAGE_CHILDREN), machine()
    started = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    peak = {"MiB": 0.0}
    watch = threading.Thread(target=_watch, args=(process.pid, peak), daemon=True)
    watch.start()
    out: list[bytes] = []
    reader = threading.Thread(target=lambda: out.append(process.stdout.read()))  # type: ignore[union-attr]
    reader.start()
    size = 0
    assert process.stdin is not None
    for piece in chunks(lines, count):
        size += len(piece)
        process.stdin.write(piece)
    process.stdin.close()
    reader.join()
    process.wait()
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    summary = json.loads(out[0])["summary"]
    return {
        "lines": count, "judged": summary["writes"], "not judged": sum(summary["unjudged"].values()),
        "denied": summary["denied"], "jobs": jobs, "bytes a line": round(size / count), "wall s": round(wall, 1),
        "cpu s": round(cpu, 1), "lines a second": round(count / wall), "lines a second of cpu": round(count / cpu),
        "peak MiB of all processes": round(peak["MiB"]), "machine": [calibrated, machine()],
        "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def _watch(pid: int, peak: dict[str, float]) -> None:
    """Looks at the resident memory of a process and its children, twice a second."""
    while True:
        try:
            peak["MiB"] = max(peak["MiB"], sum(map(_resident, _family(pid))) / 2**20)
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.5)


def _family(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return 0


def main() -> None:
    """Reads the flags, prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--audit", action="store_true")
    parser.add_argument(
        "--recordings", type=Path, default=SHARED if SHARED.is_dir() else CHECKED_IN
    )
    given = parser.parse_args()
    lines = recorded(given.recordings)
    if given.audit:
        lines = audited(lines)
    print(json.dumps(run(lines, given.count, given.jobs)))


if __name__ == "__main__":
    main()
