"""Work beside the server is begun again; a certificate that could not be taken at once is not lost."""

from __future__ import annotations

import asyncio
import errno
import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from webhook.certs.development import ensure_development_certificate
from webhook.server import handed
from webhook.server.handed import Handed
from webhook.server.lasting import lasting
from webhook.server.log import Log

if TYPE_CHECKING:
    import pytest


def log() -> tuple[Log, list[dict[str, Any]]]:
    """A log, and its lines."""
    lines: list[dict[str, Any]] = []
    return Log("info", lambda text: lines.append(json.loads(text))), lines


async def test_work_that_ends_by_a_fault_or_by_itself_is_begun_again_and_the_fault_is_said() -> (
    None
):
    begun, enough = 0, asyncio.Event()

    async def work() -> None:
        nonlocal begun
        begun += 1
        if begun == 1:
            raise OSError(errno.EMFILE, "Too many open files")
        if begun == 3:
            enough.set()

    said, lines = log()
    task = asyncio.create_task(lasting(work, said, pause=0.0))
    async with asyncio.timeout(5):
        await enough.wait()
    task.cancel()
    assert [(line["event"], line["error"]) for line in lines] == [
        ("background work ended", "OSError")
    ]


async def test_a_worker_without_descriptors_takes_its_certificate_later(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handed, "AGAIN", 0.0)
    ensure_development_certificate(tmp_path, now=datetime.now(UTC))
    names = (("cert", "tls.crt"), ("key", "tls.key"), ("ca", "ca.crt"))
    bundle = {part: (tmp_path / name).read_text() for part, name in names}
    taken: list[object] = []
    failures = [OSError(errno.EMFILE, "Too many open files")] * 2

    def swap(new: object) -> None:
        if failures:
            raise failures.pop()
        taken.append(new)

    said, lines = log()
    state: Any = SimpleNamespace(log=said)
    tls: Any = SimpleNamespace(swap=swap)
    link: Any = SimpleNamespace()
    await Handed(state, tls, link, {})._take({"bundle": bundle})
    assert len(taken) == 1
    assert [(line["event"], line["why"]) for line in lines] == [
        ("certificate waits", "Too many open files")
    ]
