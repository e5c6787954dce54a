"""The server over HTTPS and the command line give the same verdicts, in the same words."""

from __future__ import annotations

import http.client
import json
import ssl
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.e2e.guarding import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    server = Guard(tmp_path_factory.mktemp("same"))
    yield server
    assert server.stop() == 0


class Caller:
    """One connection kept alive, as the API server keeps it."""

    def __init__(self, guard: Guard) -> None:
        context = ssl.create_default_context(cafile=str(guard.folder / "certs" / "ca.crt"))
        self.connection = http.client.HTTPSConnection("127.0.0.1", guard.port, context=context)

    def validate(self, body: bytes) -> dict[str, Any]:
        self.connection.request("POST", "/validate", body, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        raw = answer.read()
        assert answer.status == 200, raw[:300]
        response: dict[str, Any] = json.loads(raw)["response"]
        return response


def by_server(caller: Caller, line: bytes) -> tuple[str, bool, list[str], list[tuple[str, str]]]:
    response = caller.validate(line)
    causes = response.get("status", {}).get("details", {}).get("causes", [])
    told = [(c["field"], c["message"]) for c in causes]
    return response["uid"], response["allowed"], response.get("warnings", []), told


def by_command(folder: Path, names: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "webhook", "validate", "-q", "-o", "jsonl", *names],
        capture_output=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 1, done.stderr  # the damage is in there
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(guard: Guard, folder: Path, names: list[str]) -> int:
    count, denied = 0, set()
    caller = Caller(guard)
    lines = reading.lines(folder, names=names)
    for line, result in zip(lines, by_command(folder, names), strict=True):
        uid, allowed, warnings, causes = by_server(caller, line)
        assert (uid, allowed, warnings) == (
            result["uid"],
            result["allowed"],
            result["warnings"],
        ), result
        said = [(f["field"], f["message"]) for f in result["findings"] if f["severity"] == "deny"]
        assert causes[: len(said)] == said[: len(causes)]
        count += 1
        if not allowed:
            denied.add(reading.origin(json.loads(line)))
    caller.connection.close()
    assert denied >= reading.DAMAGE
    assert denied <= reading.EXCEPTIONS
    return count


def test_on_the_distilled_recordings(guard: Guard) -> None:
    names = [p.name for p in reading.files(reading.CHECKED_IN) if p.name != reading.REJECTED_FILE]
    assert compare(guard, reading.CHECKED_IN, sorted(names)) > 4000


@pytest.mark.nightly
@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
def test_on_all_recordings(guard: Guard) -> None:
    names = [p.name for p in reading.files(reading.SHARED)]
    assert compare(guard, reading.SHARED, sorted(names)) > 54_000
