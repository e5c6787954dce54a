"""serve --record: what is judged is on disk, can be replayed, and costs nobody an answer."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.lifecycle.skyhook import entry, node
from tests.reviews.builders import PERSON, body
from tests.server.process import serving
from webhook.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def step(pair: str) -> bytes:
    old, new = (node({"foo|1.0": entry(p)}) for p in ("apply/in_progress", pair))
    for side in (old, new):
        side["metadata"]["annotations"]["stranger.example/token"] = "s3cret"
    sent: bytes = body(old, new, PERSON)
    return sent


@pytest.mark.parametrize("masked", [False, True])
def test_what_was_judged_is_replayed_with_the_same_verdicts(
    tmp_path: Path, capsys: Any, masked: bool
) -> None:
    folder = tmp_path / "recordings"
    flags = ["--record", str(folder), "--shutdown-delay", "0"]
    flags += ["--record-mask"] if masked else []
    with serving(tmp_path / "server", *flags) as running:
        for pair in ("apply/complete", "interrupt/skipped", "apply/erroring"):
            assert running.call(step(pair)).status == 200
        assert running.call(b"not JSON").status == 400
        assert running.ready().status == 200
        written = 'skyhook_webhook_recorded_reviews_total{result="written"} 3.0'
        assert running.until(lambda: written in running.metrics())
        assert [p.suffix for p in folder.iterdir()] == [".part"], "what is still being written"
        running.signal()
        assert running.ended() == 0
    assert [p.suffix for p in folder.iterdir()] == [".gz"]
    assert main(["replay", "--jobs", "1", "-o", "json", str(folder)]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["writes"] == 3
    assert document["summary"]["first"] > 1.7e9
    assert [row["findings"][0]["rule"] for row in document["results"]] == [
        "skyhook.node-package-step.edge"
    ]
    assert ("s3cret" in unpacked(folder)) is not masked


def unpacked(folder: Path) -> str:
    return "".join(gzip.decompress(path.read_bytes()).decode() for path in folder.iterdir())


def test_a_folder_that_cannot_be_written_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with serving(tmp_path / "server", "--record", str(tmp_path / "file" / "below")) as running:
        assert running.call(step("apply/complete")).json["response"]["allowed"]
        assert running.event("recording fails")
        assert running.until(
            lambda: 'recorded_reviews_total{result="failed"} 1.0' in running.metrics()
        )
        assert running.ready().status == 200
