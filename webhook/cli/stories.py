"""Writes judged one by one, or as a story in which earlier ones tell of Nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from webhook.reviews.remembering import Remembering
from webhook.reviews.verdict import Verdict
from webhook.reviews.wire import AdmissionRequest

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

Judge = Callable[[str, AdmissionRequest], Verdict]
"""(source, write) -> what becomes of it."""


def judge_of(engine: Engine, *, remember: bool) -> Judge:
    """How an engine judges; ``remember``: a source is a story."""
    if not remember:
        return lambda _source, request: engine.judge_request(request)
    story = Remembering(engine.catalog)

    def judge(source: str, request: AdmissionRequest) -> Verdict:
        verdict = engine.judge_request(request, story.evidence(source, None))
        story.learn(request, verdict, None)
        return verdict

    return judge
