"""Faults injected for real into a running server: each one survived, nothing lost, a clear word in the log."""

from __future__ import annotations

import gzip
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import PERSON, body
from tests.server.process import ask, head, serving
from webhook.building import engine_of
from webhook.recording.shelf import Shelf
from webhook.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.process import Serving

MIB = 2**20
GOOD = body(skyhook(), skyhook())


def denied(server: Serving) -> bool:
    """Whether a write that is none is still refused: it answers, and it judges."""
    old, new = (node({"foo|1.0": entry(p)}) for p in ("apply/in_progress", "apply/done"))
    return server.call(body(old, new)).json["response"]["allowed"] is False


def faults(server: Serving) -> list[dict[str, Any]]:
    return [line for line in server.lines if line["event"] in ("fault", "")]


def noise(number: int) -> bytes:
    """A review of 200 KB that cannot be packed."""
    text = os.urandom(100_000).hex()
    old, new = (node({"foo|1.0": entry(p)}, **{"x.example/n": text}) for p in ("apply/in_progress", "apply/complete"))  # fmt: skip
    new["metadata"]["labels"] = {"n": str(number)}
    return body(old, new, PERSON)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 1 MiB; skips where nobody may mount one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, check=False).returncode:
        pytest.skip("nobody may mount a small disk here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def failed(server: Serving) -> float:
    lines = server.metrics().splitlines()
    name = 'skyhook_webhook_recorded_reviews_total{result="failed"}'
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


def test_a_full_disk_under_the_recordings_costs_no_answer(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        flags = ("--record", str(disk / "records"), "--shutdown-delay", "0")
        with serving(tmp_path, *flags) as server:
            for number in range(30):
                assert server.call(noise(number)).json["response"]["allowed"] is True
                time.sleep(0.02)  # the recorder gathers for 50 ms
            assert server.until(lambda: failed(server) > 0)
            said = server.event("recording fails")
            assert (said["level"], said["error"]) == ("error", "OSError")
            assert sum(line["event"] == "recording fails" for line in server.lines) == 1, "once"
            assert denied(server)
            assert server.ready().status == 200
            server.signal()
            assert server.ended() == 0
            assert not faults(server)


def test_a_file_that_may_not_grow_costs_no_answer(tmp_path: Path) -> None:
    """RLIMIT_FSIZE: what a quota does."""
    with serving(tmp_path, "--record", str(tmp_path / "records")) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (300_000, 300_000))
        for number in range(20):
            assert server.call(noise(number)).status == 200
            time.sleep(0.02)
        assert server.event("recording fails")["error"] == "OSError"
        assert denied(server)
        assert not faults(server)


def test_a_full_disk_under_the_certificates_is_said_at_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "certs") as disk:
        (disk / "filler").write_bytes(b"x" * MIB)
        command = ["serve", "--bind-address", "127.0.0.1", "--port", "0", "--cert-dir", str(disk),
                   "--metrics-bind-address", "0", "--health-probe-bind-address", "0"]  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "webhook", *command],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert "No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (disk / "tls.key").exists() or (disk / "tls.key").stat().st_size == 0


def test_a_log_that_cannot_be_written_costs_no_answer(tmp_path: Path) -> None:
    """The disk of the log is full: lines are lost, verdicts are not."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    port, health = (_free_port() for _ in range(2))
    command = [sys.executable, "-m", "webhook", "serve", "--bind-address", "127.0.0.1", "--port", str(port),
               "--metrics-bind-address", "0", "--health-probe-bind-address", f"127.0.0.1:{health}",
               "--cert-dir", str(tmp_path / "certs"), "--shutdown-delay", "0"]  # fmt: skip
    with full.open("wb") as log, subprocess.Popen(command, stderr=log) as process:
        try:
            server = _Quiet(process, tmp_path / "certs", port, health)
            assert server.until(server.answers)
            assert all(denied(server) for _ in range(5))
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            if process.poll() is None:
                process.kill()


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def test_without_descriptors_it_waits_and_then_goes_on(tmp_path: Path) -> None:
    """EMFILE: peers take all there are; as soon as they leave, calls are answered again."""
    with serving(tmp_path) as server, ExitStack() as peers:
        used = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used + 20, used + 20))
        for _ in range(60):
            sock = socket.create_connection(("127.0.0.1", server.port), 5)
            peers.callback(sock.close)
        said = server.until(lambda: [x for x in server.lines if x["event"] == "no descriptors"], 10)
        assert said, [line["event"] for line in server.lines]
        assert said[0]["level"] == "error"
        peers.close()
        assert server.until(lambda: _answers(server), 20)
        assert denied(server)
        assert not faults(server)
        said = [x for x in server.lines if x["event"] == "no descriptors"]
        assert len(said) < 6, "a line in ten seconds at most"


def _answers(server: Serving) -> bool:
    try:
        return server.call(GOOD).status == 200
    except OSError:
        return False


def reset(server: Serving, sent: bytes, *, tls: bool = True) -> None:
    """Sends so much, and is gone without a good-bye."""
    sock = server.connect() if tls else socket.create_connection(("127.0.0.1", server.port), 5)
    with sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if sent:
            sock.sendall(sent)


def test_peers_that_reset_halfway_are_forgotten(tmp_path: Path) -> None:
    """In the handshake, in the head, in the body, before the answer, between two calls."""
    whole = head(len(GOOD)) + GOOD
    with serving(tmp_path) as server:
        before = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        for _ in range(8):
            for sent in (b"", b"\x16\x03\x01", whole):
                reset(server, sent, tls=False)
            for sent in (
                b"",
                whole[:20],
                whole[: len(whole) // 2],
                whole,
                whole * 3,
                whole + whole[:-1],
            ):
                reset(server, sent)
        assert denied(server)
        assert server.until(
            lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) <= before + 4, 20
        )
        assert not faults(server)
        assert not [line for line in server.lines if line["level"] == "error"]


def idle(server: Serving, number: int, peers: ExitStack) -> None:
    for _ in range(number):
        peers.enter_context(server.connect())


@pytest.mark.parametrize("number", [150, pytest.param(2000, marks=pytest.mark.nightly)])
def test_idle_peers_and_slow_ones_keep_nobody_waiting(tmp_path: Path, number: int) -> None:
    """Each holds a connection; some send a byte of their head now and then (slow loris)."""
    low, high = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(high, max(low, 2 * number + 500)), high))
    try:
        with serving(tmp_path) as server, ExitStack() as peers:
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (number + 200, high))
            before = server.memory("VmRSS")
            idle(server, number - 20, peers)
            slow = [peers.enter_context(server.connect()) for _ in range(20)]
            took = []
            for byte in head(len(GOOD))[:25]:
                for sock in slow:
                    sock.sendall(bytes([byte]))
                started = time.monotonic()
                assert server.call(GOOD).status == 200
                took.append(time.monotonic() - started)
            assert sorted(took)[len(took) // 2] < 0.5
            grown = server.memory("VmRSS") - before
            assert grown < number * 400_000 + 20 * MIB, f"{grown / number:.0f} bytes a peer"
            assert denied(server)
            assert not faults(server)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (low, high))


@pytest.mark.parametrize("seconds", [1.5, pytest.param(20, marks=pytest.mark.nightly)])
def test_who_was_stopped_goes_on_where_it_was(tmp_path: Path, seconds: float) -> None:
    """SIGSTOP: what had come in is answered after SIGCONT, and readiness is itself again."""
    with serving(tmp_path) as server, server.session() as connection:
        assert ask(connection, GOOD).status == 200
        server.signal(signal.SIGSTOP)
        sock = socket.create_connection(("127.0.0.1", server.port), 5)
        answers: list[int] = []
        caller = threading.Thread(target=lambda: answers.append(ask(connection, GOOD).status))
        caller.start()
        time.sleep(seconds)
        assert not answers
        server.signal(signal.SIGCONT)
        caller.join(10)
        sock.close()
        assert answers == [200]
        assert server.ready().status == 200
        assert denied(server)
        assert not faults(server)


def test_a_call_that_memory_does_not_suffice_for_is_a_500_and_the_next_is_answered(
    tmp_path: Path,
) -> None:
    """RLIMIT_AS: the verdict of a call that cannot be held is the cluster's, by failurePolicy."""
    big = body(skyhook(), skyhook(meta={"annotations": {"x": "y" * (15 * MIB)}}))
    with serving(tmp_path) as server:
        assert server.call(GOOD).status == 200
        now = server.memory("VmSize")
        resource.prlimit(
            server.process.pid, resource.RLIMIT_AS, (now + 8 * MIB, resource.RLIM_INFINITY)
        )
        for _ in range(3):
            with suppress(OSError, ValueError):  # the connection went: as good as a 500
                assert server.call(big).status in (200, 500)
        assert server.process.poll() is None
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        assert denied(server)
        assert {line["error"] for line in faults(server) if "error" in line} <= {"MemoryError"}


def test_a_configuration_that_is_half_written_changes_nothing(tmp_path: Path) -> None:
    """Cut off anywhere, empty, or gone for a moment: what is in force stays, and one word tells why not."""
    config = tmp_path / "config.yaml"
    whole = "mode: audit\nmodes:\n  - {mode: enforce, rules: ['*.node-package-step.value']}\n"
    config.write_text(whole)
    with serving(tmp_path, "--config", str(config)) as server:
        for cut in (len("mode: aud"), len(whole) - 9, len("mode: audit\nmodes:\n  - {mo")):
            config.write_text(whole[:cut])
            time.sleep(0.3)
            assert denied(server), whole[:cut]
        config.unlink()
        time.sleep(0.3)
        assert denied(server)
        config.write_text(whole)
        assert server.ready().status == 200
        assert not faults(server)


def test_a_certificate_that_is_half_written_is_not_taken(tmp_path: Path) -> None:
    """Certificate and key are two files: in between, and cut off, the old pair is served."""
    with serving(tmp_path / "other") as other:
        fresh = {n: (other.cert_dir / n).read_bytes() for n in ("tls.crt", "tls.key", "ca.crt")}
    with serving(tmp_path) as server:
        files = server.cert_dir
        for name, data in fresh.items():
            if name != "ca.crt":
                (files / name).write_bytes(data[: len(data) // 2])
                time.sleep(0.2)
                assert denied(server), name
        (files / "tls.crt").write_bytes(fresh["tls.crt"])  # a pair that does not match
        time.sleep(1.5)
        assert denied(server)
        for name, data in fresh.items():
            (files / name).write_bytes(data)
        assert server.until(lambda: _trusts(server), 30), "the new pair is taken once it is whole"
        assert not faults(server)


def _trusts(server: Serving) -> bool:
    try:
        return denied(server)
    except OSError:
        return False


STEPS = (timedelta(hours=1), timedelta(hours=-1), timedelta(days=365), timedelta(days=-365))


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_clock_that_steps_moves_no_verdict_but_those_about_time(step: timedelta) -> None:
    """Time is read once a review: what is no rule about time is judged the same before and after."""
    now = [datetime(2026, 11, 29, 20, tzinfo=UTC)]
    engine = engine_of(Settings(), lambda: now[0])
    old, new = (node({"foo|1.0": entry(p)}) for p in ("apply/in_progress", "apply/done"))
    review = body(old, new)
    glass = {"guard.skyhook.nvidia.com/break-glass": "2026-11-30T12:00:00Z INC-1: stuck"}
    spec = {"packages": {"Bad_Key": {"version": "1.0"}}}
    broken = body(skyhook(), skyhook(meta={"annotations": glass}, spec=spec), "admin",
                  groups=["system:masters"], subresource="")  # fmt: skip
    before = engine.judge_body(review).encode()
    assert engine.judge_body(broken).verdict.allowed
    now[0] += step
    assert engine.judge_body(review).encode() == before
    inside = timedelta() < datetime(2026, 11, 30, 12, tzinfo=UTC) - now[0] <= timedelta(hours=24)
    assert engine.judge_body(broken).verdict.allowed is inside


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_recordings_survive_a_clock_that_steps(tmp_path: Path, step: timedelta) -> None:
    """Files keep their order and lose no line, whatever the clock says of their age."""
    now = [1_795_966_535.0]
    shelf = Shelf(tmp_path, most_bytes=MIB, file_bytes=MIB, file_seconds=60, clock=lambda: now[0])
    for number in range(6):
        shelf.append(b"%d\n" % number)
        now[0] += step.total_seconds() if number == 2 else 1
        shelf.flush()
    shelf.close()
    read = b"".join(gzip.decompress(p.read_bytes()) for p in sorted(tmp_path.iterdir()))
    assert sorted(read.split()) == [b"%d" % n for n in range(6)]


class _Quiet:
    """A server whose log nobody can read."""

    def __init__(self, process: Any, cert_dir: Path, port: int, health: int) -> None:
        from tests.server.process import Serving

        self.process, self.cert_dir, self.port, self.health_port = process, cert_dir, port, health
        for name in ("connect", "context", "session", "call"):
            setattr(self, name, getattr(Serving, name).__get__(self))

    def until(self, holds: Any) -> bool:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if holds():
                return True
            time.sleep(0.1)
        return False

    def answers(self) -> bool:
        try:
            return bool(self.call(GOOD).status == 200)  # type: ignore[attr-defined]
        except OSError:
            return False


def test_the_page_tells_every_fault() -> None:
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "faults.md").read_text()
    rows = {line.rsplit("|", 2)[1].strip() for line in page.splitlines() if line.startswith("|")}
    files = (Path(__file__), root / "tests" / "e2e" / "test_faults_api.py")
    names = {
        name.replace("_", " ")
        for file in files
        for name in re.findall(r"^def test_(\w+)", file.read_text(), re.MULTILINE)
    }
    assert rows - {"test", "---"} == names - {"the page tells every fault"}
