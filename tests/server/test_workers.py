"""Several processes behind one port, as if they were one."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.process import PATIENCE, Serving, serving
from tests.server.test_contract import LEGAL
from webhook.cli import main
from webhook.server.summing import Exposition

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTED = 'controller_runtime_webhook_requests_total{code="200",webhook="/validate"}'
GENERATION = "skyhook_webhook_settings_generation"


def workers(running: Serving) -> list[int]:
    """The process ids of the workers."""
    text = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children").read_text()
    return [int(pid) for pid in text.split()]


def value(running: Serving, sample: str) -> float:
    found = re.search(rf"^{re.escape(sample)} (\S+)$", running.metrics(), re.MULTILINE)
    return float(found[1]) if found else 0.0


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, Path]]:
    folder = tmp_path_factory.mktemp("workers")
    config = folder / "settings.yaml"
    config.write_text("workers: 2\nmode: enforce\n")
    with serving(folder / "server", "--config", str(config), "--shutdown-delay", "0") as running:
        yield running, config


def test_both_answer_on_one_port_and_count_together(two):
    running, _ = two
    assert len(workers(running)) == 2
    before = value(running, COUNTED)
    for _ in range(40):  # a new connection each: the kernel spreads them
        assert running.call(LEGAL).json["response"]["allowed"] is True
    assert value(running, COUNTED) >= before + 40  # and what readiness asks
    assert value(running, "skyhook_webhook_workers") == 2
    answered = {
        line["worker"] for line in running.lines if line["event"] == "review" and line["uid"]
    }
    assert answered == {1, 2}


def test_each_family_stands_once_in_the_metrics(two):
    running, _ = two
    text = running.metrics()
    heads = re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)
    assert len(heads) == len(set(heads))
    samples = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
    assert len(samples) == len(set(samples))
    assert 'skyhook_webhook_certificate_expiry_timestamp_seconds{cert="leaf"}' in samples


def test_settings_reach_every_worker(two):
    running, config = two
    config.write_text("workers: 2\nmode: audit\n")
    assert running.until(lambda: value(running, GENERATION) == 2)
    told = {line["worker"] for line in running.lines if line["event"] == "settings"}
    assert told == {1, 2}


def test_a_bad_edit_is_told_by_readiness(two):
    running, config = two
    good = config.read_text()
    config.write_text("mode: nonsense\n")
    try:
        assert running.until(lambda: value(running, "skyhook_webhook_settings_broken") == 1)
        assert running.until(lambda: b"the file is refused" in running.ready().body)
    finally:
        config.write_text(good)
    assert running.until(lambda: value(running, "skyhook_webhook_settings_broken") == 0)


def test_a_worker_that_dies_is_begun_again_and_what_it_counted_stays(two):
    running, _ = two
    assert running.ready().status == 200
    counted = value(running, COUNTED)
    victim = workers(running)[0]
    os.kill(victim, signal.SIGKILL)
    running.event("worker ended")
    assert running.until(lambda: running.ready().status == 200)
    assert len(workers(running)) == 2
    assert victim not in workers(running)
    assert value(running, COUNTED) >= counted
    assert value(running, "skyhook_webhook_worker_restarts_total") == 1
    assert running.call(LEGAL).status == 200


def test_all_drain_together(two):
    running, _ = two
    pids = workers(running)
    running.signal()
    assert running.ended() == 0
    assert all(gone(pid) for pid in pids)
    assert {line.get("worker") for line in running.lines if line["event"] == "ended"} == {
        None,
        1,
        2,
    }
    assert running.raw == []
    assert [line for line in running.lines if line["event"] == "fault"] == []


def test_a_supervisor_whose_workers_die_at_once_gives_up(tmp_path):
    with serving(tmp_path / "server", "--workers", "2", "--shutdown-delay", "0") as running:
        end = time.monotonic() + PATIENCE
        while running.process.poll() is None and time.monotonic() < end:
            for pid in workers(running) if running.process.poll() is None else ():
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        assert running.ended() == 3
    assert "workers die at once; giving up" in {line["event"] for line in running.lines}


def test_workers_do_not_outlive_their_supervisor(tmp_path):
    with serving(tmp_path / "server", "--workers", "2", "--shutdown-delay", "0") as running:
        pids = workers(running)
        running.process.kill()
        assert running.until(lambda: all(gone(pid) for pid in pids))


def test_counters_add_up_and_gauges_of_the_dead_do_not_count():
    first = Exposition("# HELP a x\n# TYPE a counter\na 2.0\n# HELP g x\n# TYPE g gauge\ng 5.0\n")
    total = Exposition("")
    for one in (first.counted(), Exposition("# HELP a x\n# TYPE a counter\na 3.0\n"), first):
        total.add(one)
    assert total.samples == {"a": {"a": 7.0}, "g": {"g": 5.0}}
    assert total.text().splitlines()[:3] == ["# HELP a x", "# TYPE a counter", "a 7.0"]


def test_of_generations_the_least_counts():
    total = Exposition("")
    for number in (3, 2):
        total.add(Exposition(f"# TYPE {GENERATION} gauge\n{GENERATION} {number}\n"))
    assert total.samples == {GENERATION: {GENERATION: 2.0}}


def test_a_memory_of_one_process_is_refused_with_several(tmp_path, capfd):
    flags = ("--workers", "2", "--cross-check", "memory", "--cert-dir", str(tmp_path))
    assert main(["serve", "--bind-address", "127.0.0.1", "--port", "0", *flags]) == 2
    assert "with several workers use live" in capfd.readouterr().err
