"""Past the bound on work under way a call is refused at once; small reviews, probes and metrics go on."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.server.process import Serving, ask, chunk, drained, head, serving
from tests.server.test_contract import LEGAL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BIG = LEGAL[:-1] + b" " * 2**21 + b"}"
"""A review that cannot arrive in one piece."""
SHED = 'skyhook_webhook_shed_total{webhook="/validate"}'


@pytest.fixture(scope="module")
def bounded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("overload")
    config = folder / "settings.yaml"
    config.write_text("max_in_flight: 2\n")
    with serving(folder / "server", "--config", str(config), "--shutdown-delay", "0") as running:
        yield running


@pytest.fixture
def full(bounded: Serving) -> Iterator[Serving]:
    """Two calls whose bodies do not end are under way."""
    held = [bounded.connect() for _ in range(2)]
    for sock in held:
        sock.sendall(head(len(BIG)) + BIG[:100_000])
    assert bounded.until(lambda: 'in_flight{webhook="/validate"} 2.0' in bounded.metrics())
    yield bounded
    for sock in held:
        sock.sendall(BIG[100_000:])
        assert drained(sock, 2.0).startswith(b"HTTP/1.1 200 ")
        sock.close()
    assert 'in_flight{webhook="/validate"} 0.0' in bounded.metrics()


@pytest.mark.parametrize("whole", [head(len(BIG)) + BIG, head("chunked") + chunk(BIG[:50_000])])
def test_one_too_many_is_refused_before_its_body_is_read(full, whole):
    before = shed(full)
    started = time.monotonic()
    with full.connect() as sock:
        sock.sendall(whole[:60_000])
        got = drained(sock, 2.0)
    top, _, body = got.partition(b"\r\n\r\n")
    assert top.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after" not in top.lower()
    status = json.loads(body[: body.rindex(b"}") + 1])
    assert (status["kind"], status["reason"]) == ("Status", "ServiceUnavailable")
    assert status["message"] == "too many calls under way at once"
    assert time.monotonic() - started < 5
    assert shed(full) == before + 1


def shed(running: Serving) -> float:
    found = [line for line in running.metrics().splitlines() if line.startswith(SHED)]
    return float(found[0].split()[1]) if found else 0.0


def test_small_reviews_probes_and_metrics_go_on(full):
    assert full.call(LEGAL).json["response"]["allowed"] is True
    assert full.ready().status == 200
    assert full.get(full.health_port, "/healthz").status == 200
    assert full.get(full.metrics_port, "/metrics").status == 200


def test_afterwards_there_is_room_again(bounded):
    with bounded.session() as connection:
        for _ in range(3):
            assert ask(connection, BIG).json["response"]["allowed"] is True


def test_the_log_says_what_was_refused(bounded: Serving, tmp_path: Path):
    del tmp_path
    refused = [line for line in bounded.lines if line["event"] == "refused"]
    assert {(line["code"], line["why"]) for line in refused} == {
        (503, "too many calls under way at once")
    }
