"""/validate, /mutate, /convert: read, ask the engine, write. A crash is never a verdict: it is a 500."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from webhook.reviews.answer import answer
from webhook.reviews.conversion import decode_conversion
from webhook.reviews.decode import ReviewError, decode_admission
from webhook.server.body import check_head, read_body
from webhook.server.failure import failure, refusal
from webhook.server.log import short
from webhook.server.recording import record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from webhook.reviews.engine import Judged
    from webhook.server.state import State


CONVERT: Final = "/convert"
NO_BODY: Final = (ConnectionError, HttpProcessingError, web.RequestPayloadError)
"""What reading a body raises when the client goes away, or sends what is no HTTP."""


class Route:
    """One path: limits, metrics and failures around a function from body to answer."""

    def __init__(
        self, state: State, name: str, limit: int, respond: Callable[[bytes], Awaitable[bytes]]
    ) -> None:
        self.state = state
        self.name = name
        self.limit = limit
        self.respond = respond
        metrics = state.metrics
        self._latency = metrics.latency.labels(name)
        self._in_flight = metrics.in_flight.labels(name)
        self._ok = metrics.requests.labels(name, "200")

    async def serve(self, request: web.Request) -> web.Response:
        """Serves one call."""
        self._in_flight.inc()
        self.state.in_flight += 1
        try:
            response = await self._answer(request)
        finally:
            self._in_flight.dec()
            self.state.in_flight -= 1
        if self.state.draining:
            response.force_close()
        return response

    async def _answer(self, request: web.Request) -> web.Response:
        state = self.state
        try:
            self._check_client(request)
            with state.room.share() as share:
                body = await read_body(request, self.limit, state.settings.body_timeout, share)
                started = perf_counter()
                payload = await self.respond(body)
        except ReviewError as error:
            return self._refuse(error)
        except NO_BODY:
            return self._refuse(ReviewError(400, "BadRequest", "the body did not arrive whole"))
        except Exception as error:  # noqa: BLE001 - the outermost handler: a fault of ours
            state.metrics.requests.labels(self.name, "500").inc()
            state.log.fault("fault", error, path=self.name)
            return failure(500, "skyhook-webhook failed to judge this call; see its log")
        self._latency.observe(perf_counter() - started)
        self._ok.inc()
        return web.Response(body=payload, content_type="application/json")

    def _refuse(self, error: ReviewError) -> web.Response:
        state = self.state
        state.metrics.requests.labels(self.name, str(error.code)).inc()
        state.log("info", "refused", path=self.name, code=error.code, why=short(error.message))
        return refusal(error)

    def _check_client(self, request: web.Request) -> None:
        """Admission calls may have to carry a client certificate; conversion calls carry none."""
        settings = self.state.settings
        if settings.client_ca is None or self.name == CONVERT:
            return
        tls = request.transport.get_extra_info("ssl_object") if request.transport else None
        verified = tls is not None and bool(tls.getpeercert())
        self.state.metrics.clients.labels(self.name, str(verified).lower()).inc()
        if not verified and settings.client_certificates == "enforce":
            raise ReviewError(403, "Forbidden", "a client certificate is required here")

    async def expect(self, request: web.Request) -> web.StreamResponse | None:
        """``Expect: 100-continue``: a body that would be refused is never asked for."""
        if request.headers.get("Expect", "").lower() != "100-continue":
            return failure(417, "only Expect: 100-continue is understood")
        try:
            check_head(request, self.limit)
        except ReviewError as error:
            return refusal(error)
        if request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return None


def validating(state: State) -> Callable[[bytes], Awaitable[bytes]]:
    """The function behind /validate."""

    async def respond(body: bytes) -> bytes:
        started = perf_counter()
        judged = await judged_body(state, body)
        user = judged.request.user_info
        verdict = state.rarely.hush(judged.verdict, user.username if user else "")
        if verdict is not judged.verdict:
            judged = replace(judged, verdict=verdict, response=answer(judged.request, verdict))
        state.metrics.count(judged)
        if state.recorder is not None:
            record(state.recorder, body, judged)
        log_review(state, judged, perf_counter() - started)
        return judged.encode()

    return respond


async def judged_body(state: State, body: bytes) -> Judged:
    """The verdict, with what is known of Nodes where that is wanted. Raises ReviewError."""
    if state.cross_check is None:
        return state.engine.judge_body(body)
    return await state.cross_check.judge(state.engine, body)


def mutating(state: State) -> Callable[[bytes], Awaitable[bytes]]:
    """The function behind /mutate."""

    async def respond(body: bytes) -> bytes:
        mutated = state.engine.mutate_review(decode_admission(body))
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


def converting(state: State) -> Callable[[bytes], Awaitable[bytes]]:
    """The function behind /convert; other calls get their turn between slices of a long list."""

    async def respond(body: bytes) -> bytes:
        review = decode_conversion(body)
        pieces: list[bytes] = []
        for piece in state.engine.convert_slices(review):
            if pieces:
                await asyncio.sleep(0)
            pieces.append(piece)
        served = frozenset(v for one in state.engine.converters.values() for v in one.served)
        state.metrics.count_conversion(review.desired, served, len(review.objects))
        return b"".join(pieces) if len(pieces) > 1 else pieces[0]

    return respond


def log_review(state: State, judged: Judged, seconds: float) -> None:
    """One line: uid, user, object, rule ids. Never the object itself."""
    request, verdict = judged.request, judged.verdict
    level = "info" if verdict.allowed else "warning"
    state.log(
        level,
        "review",
        uid=short(request.uid),
        user=short(request.user_info.username if request.user_info else ""),
        operation=short(request.operation),
        kind=short(request.kind.kind),
        subresource=short(request.sub_resource),
        name=short(request.name),
        allowed=verdict.allowed,
        deny=sorted({f.rule for f in verdict.denied}),
        warn=sorted({f.rule for f in verdict.warned}),
        audit=sorted({f.rule for f in verdict.audited}),
        would_deny=list(verdict.would_deny),
        **({"break_glass": short(verdict.broken_glass)} if verdict.broken_glass else {}),
        ms=round(seconds * 1000, 3),
    )
