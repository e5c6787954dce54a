"""stdout is data, stderr is talk; colours and progress only where a person looks; pipes may break."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from tests.lifecycle.skyhook import entry, node
from tests.reviews.builders import PERSON, body
from tests.server.process import ROOT
from webhook.cli.progress import Counting, counting

ILLEGAL = body(
    node({"foo|1.0": entry("apply/in_progress")}),
    node({"foo|1.0": entry("interrupt/skipped")}),
    PERSON,
)
COMMAND = [sys.executable, "-m", "webhook", "validate"]
ESCAPE = "\x1b["


def on_a_terminal(args, *, out=True, err=True, env=None):
    """Runs it with stdout and stderr on terminals of their own: (exit code, out, err)."""
    masters, slaves = zip(pty.openpty(), pty.openpty(), strict=True)
    ends = [slaves[0] if out else subprocess.PIPE, slaves[1] if err else subprocess.PIPE]
    process = subprocess.Popen(
        [*COMMAND, *args],
        cwd=ROOT,
        stdout=ends[0],
        stderr=ends[1],
        env={**os.environ, "TERM": "xterm", **(env or {})},
    )
    got = {masters[0]: b"", masters[1]: b""}
    for slave in slaves:
        os.close(slave)
    if not out:
        got[process.stdout.fileno()] = b""
    if not err:
        got[process.stderr.fileno()] = b""
    open_ends, end = set(got), time.monotonic() + 120
    while open_ends and time.monotonic() < end:
        for fd in select.select(list(open_ends), [], [], 0.2)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                data = b""
            got[fd] += data
            if not data:
                open_ends.discard(fd)
    code = process.wait(60)
    text_out = got[masters[0] if out else process.stdout.fileno()]
    text_err = got[masters[1] if err else process.stderr.fileno()]
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    for master in masters:
        os.close(master)
    return code, text_out.decode(), text_err.decode()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("streams") / "one.jsonl"
    path.write_bytes(ILLEGAL + b"\n")
    return str(path)


def test_a_person_sees_colours(small):
    code, out, _ = on_a_terminal([small])
    assert code == 1
    assert f"{ESCAPE}31m" in out
    assert ": deny: " in re.sub(r"\x1b\[[0-9;]*m", "", out)


def test_a_file_or_a_pipe_sees_none(small):
    _, out, _ = on_a_terminal([small], out=False)
    assert ESCAPE not in out
    assert ": deny: " in out


def test_data_has_no_colour_even_on_a_terminal(small):
    _, out, _ = on_a_terminal(["-o", "jsonl", small])
    assert ESCAPE not in out


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """More than a pipe holds, in any form."""
    path = tmp_path_factory.mktemp("streams") / "many.jsonl"
    path.write_bytes((ILLEGAL + b"\n") * 500)
    return str(path)


def test_long_input_shows_progress_on_a_terminal_and_only_on_stderr():
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "-o", "jsonl", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=slave,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(slave)
    assert process.stdin is not None
    assert process.stdout is not None
    shown, out, end = b"", b"", time.monotonic() + 90
    with process.stdin, process.stdout:
        while b"a second" not in shown and time.monotonic() < end:
            process.stdin.write((ILLEGAL + b"\n") * 50)
            process.stdin.flush()
            for fd in select.select([master, process.stdout], [], [], 0.1)[0]:
                data = os.read(master if fd == master else process.stdout.fileno(), 65536)
                shown, out = (shown + data, out) if fd == master else (shown, out + data)
        process.stdin.close()
        out += process.stdout.read()
        process.wait(60)
    os.close(master)
    assert re.search(rb"[0-9,]+ judged, [0-9,]+ a second", shown)
    assert ESCAPE.encode() not in out
    assert out.count(b"\n") % 50 == 0


def test_quiet_shows_none(many):
    _, _, err = on_a_terminal(["-q", "-o", "jsonl", many], out=False)
    assert err == ""


def test_stderr_in_a_file_shows_none(many):
    done = subprocess.run(
        [*COMMAND, "-o", "jsonl", many], cwd=ROOT, capture_output=True, check=False, text=True
    )
    assert done.stderr == "500 judged: 0 allowed, 500 denied, 0 with warnings\n"


def test_jsonl_streams_while_the_input_is_still_open():
    process = subprocess.Popen(
        [*COMMAND, "-q", "-o", "jsonl", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        for _ in range(60):  # more than a buffer, less than a pipe holds
            process.stdin.write(ILLEGAL + b"\n")
        process.stdin.flush()
        assert select.select([process.stdout], [], [], 60)[0], "nothing came before the input ended"
        process.stdin.close()
        assert process.stdout.read().count(b"\n") == 60
        assert process.wait(60) == 1


@pytest.mark.parametrize(
    ("form", "size"), [("text", "many"), ("jsonl", "many"), ("jsonl", "small")]
)
def test_a_broken_pipe_is_no_failure_and_no_noise(request, form, size):
    command = [*COMMAND, "-q", "-o", form, request.getfixturevalue(size)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(60) in (0, 1)


class Clock:
    time = 0.0

    def __call__(self):
        return self.time


@pytest.mark.parametrize(
    ("seconds", "visible", "shown"), [(0.5, True, False), (2.0, True, True), (2.0, False, False)]
)
def test_progress_shows_after_a_second_where_it_is_visible(monkeypatch, seconds, visible, shown):
    clock = Clock()
    monkeypatch.setattr("webhook.cli.progress.time.monotonic", clock)
    counter = Counting("judged", visible=visible)
    clock.time = seconds
    assert list(counter.each(range(600))) == list(range(600))
    assert (counter._status is not None) is shown
    counter.stop()


def test_without_a_terminal_nothing_is_visible():
    with counting("judged") as counter:
        assert list(counter.each([1])) == [1]
        assert counter._visible is False
