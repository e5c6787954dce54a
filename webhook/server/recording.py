"""The recorder beside the server: made from the settings, fed with what was judged."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from webhook.recording.line import Review
from webhook.recording.masking import Mask, kept_annotations
from webhook.recording.recorder import Recorder
from webhook.recording.shelf import Shelf

if TYPE_CHECKING:
    from webhook.catalog import Catalog
    from webhook.reviews.engine import Judged
    from webhook.server.state import State

FILE_BYTES: Final = 64 * 1024 * 1024
FILE_SECONDS: Final = 3600.0


def recorder_of(state: State) -> Recorder | None:
    """The recorder that the settings ask for, not started; None for none."""
    settings = state.settings
    if settings.record is None:
        return None
    shelf = Shelf(
        settings.record,
        most_bytes=settings.record_max_bytes,
        file_bytes=FILE_BYTES,
        file_seconds=FILE_SECONDS,
        clock=time.time,
    )
    mask = Mask(_kept(state.engine.catalog)) if settings.record_mask else None
    return Recorder(
        shelf,
        lambda result, number: state.metrics.recorded.labels(result).inc(number),
        lambda error: state.log.fault("recording fails", error),
        mask,
    )


def record(recorder: Recorder, body: bytes, judged: Judged) -> None:
    """Hands a judged review over; our own probes are left out."""
    if judged.request.operation == "CONNECT":
        return
    verdict = judged.verdict
    rules = {
        effect: sorted({finding.rule for finding in found})
        for effect, found in (
            ("deny", verdict.denied),
            ("warn", verdict.warned),
            ("audit", verdict.audited),
        )
        if found
    }
    recorder.offer(Review(time.time(), body, verdict.allowed, rules))


def _kept(catalog: Catalog) -> tuple[str, ...]:
    """The annotations that profiles read."""
    prefixes = [p.identity.prefix for p in catalog.profiles if p.identity is not None]
    texts = (repr(guard) for p in catalog.profiles for guard in p.guards)
    return kept_annotations(texts, prefixes)
