"""What stands behind the three paths: ask the engine, count, write the line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.reviews.answer import answer
from webhook.reviews.conversion import decode_conversion
from webhook.reviews.engine import Judged
from webhook.reviews.mutation import mutation_review
from webhook.server.log import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webhook.core.finding import Finding
    from webhook.server.state import State

Respond = Callable[[bytes], bytes | Awaitable[list[bytes]]]
"""From a body (anything that reads as bytes) to the answer; one that takes long is awaited, and may come in pieces."""
ONE_TURN: Final = 512 * 1024
"""Bytes of a conversion call that is answered at once; of a longer one others get turns."""


def validating(state: State) -> Respond:
    """The function behind /validate."""

    def respond(body: bytes) -> bytes | Awaitable[list[bytes]]:
        started = perf_counter()
        if state.cross_check is None:
            return told(body, state.engine.judge_body(body), started)
        found = state.cross_check.look(state.engine, body)
        if isinstance(found, Judged):
            return told(body, found, started)
        return compared(body, found, started)

    async def compared(body: bytes, found: Awaitable[Judged], started: float) -> list[bytes]:
        return [told(body, await found, started)]

    def told(body: bytes, judged: Judged, started: float) -> bytes:
        user = judged.request.user_info
        verdict = state.rarely.hush(judged.verdict, user.username if user else "")
        if verdict is not judged.verdict:
            judged = replace(judged, verdict=verdict, response=answer(judged.request, verdict))
        state.metrics.count(judged)
        if state.recorder is not None:
            from webhook.server.recording import record

            record(state.recorder, bytes(body), judged)
        log_review(state, judged, perf_counter() - started)
        return judged.encode()

    return respond


def mutating(state: State) -> Respond:
    """The function behind /mutate."""

    def respond(body: bytes) -> bytes:
        mutated = state.engine.mutate_review(mutation_review(body))
        state.metrics.count_mutation(mutated)
        request, mutation = mutated.request, mutated.mutation
        if mutation.patch is not None or mutation.doubt:
            state.log(
                "warning" if mutation.doubt else "info",
                "mutate",
                uid=short(request.uid),
                user=short(request.user_info.username if request.user_info else ""),
                kind=short(request.kind.kind),
                name=short(request.name),
                patched=mutation.patch is not None,
                withheld=short(mutation.doubt),
            )
        return mutated.encode()

    return respond


def converting(state: State) -> Respond:
    """The function behind /convert; of a long list other calls get their turn between slices."""

    def respond(body: bytes) -> bytes | Awaitable[list[bytes]]:
        review = decode_conversion(body)
        slices = state.engine.convert_slices(review)
        state.metrics.count_conversion(review.desired, served, len(review.objects))
        return b"".join(slices) if len(body) <= ONE_TURN else in_turns(slices)

    def served() -> set[str]:
        return {v for one in state.engine.converters.values() for v in one.served}

    async def in_turns(slices: Iterator[bytes]) -> list[bytes]:
        pieces = []
        for piece in slices:
            pieces.append(piece)
            await asyncio.sleep(0)
        return pieces

    return respond


class ReviewLine(msgspec.Struct, omit_defaults=True):
    """The line of one review: a struct, for nothing else is written as often."""

    time: float
    level: str
    event: str
    uid: str
    user: str
    operation: str
    kind: str
    subresource: str
    name: str
    allowed: bool
    deny: list[str]
    warn: list[str]
    audit: list[str]
    would_deny: tuple[str, ...]
    ms: float
    break_glass: str = ""
    worker: int | None = None


def log_review(state: State, judged: Judged, seconds: float) -> None:
    """One line: uid, user, object, rule ids. Never the object itself."""
    request, verdict = judged.request, judged.verdict
    level = "warning" if verdict.denied else "info"
    if not state.log.wants(level):
        return
    user = request.user_info
    line = ReviewLine(
        round(time.time(), 3),
        level,
        "review",
        short(request.uid),
        short(user.username) if user else "",
        short(request.operation),
        short(request.kind.kind),
        short(request.sub_resource),
        short(request.name),
        not verdict.denied,
        [],
        [],
        [],
        (),
        round(seconds * 1000, 3),
        "",
        state.log.also.get("worker"),
    )
    if not verdict.clean:
        line.deny, line.warn = _rules(verdict.denied), _rules(verdict.warned)
        line.audit, line.would_deny = _rules(verdict.audited), verdict.would_deny
        line.break_glass = short(verdict.broken_glass)
    state.log.line(line, urgent=level != "info")


def _rules(findings: Sequence[Finding]) -> list[str]:
    return sorted({f.rule for f in findings}) if findings else []
