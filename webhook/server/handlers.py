"""The three paths under aiohttp: for every call that is not in the plain form of an API server (lane.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from webhook.reviews.decode import ReviewError
from webhook.server.body import check_head, read_body
from webhook.server.failure import Answer, failure, refusal

if TYPE_CHECKING:
    import ssl

    from webhook.server.routes import Route

NO_BODY: Final = (ConnectionError, HttpProcessingError, web.RequestPayloadError)
"""What reading a body raises when the client goes away, or sends what is no HTTP."""


def response_of(answer: Answer) -> web.Response:
    """An answer as aiohttp sends it."""
    body = answer.pieces[0] if len(answer.pieces) == 1 else b"".join(answer.pieces)
    response = web.Response(status=answer.code, body=body, content_type="application/json")
    if answer.close:
        response.force_close()
    return response


def _session(request: web.Request) -> ssl.SSLObject | None:
    """Whose call it is. Raises ConnectionResetError when nobody waits for an answer: nor is it known then."""
    transport = request.transport
    if transport is None or transport.is_closing():
        raise ConnectionResetError
    found: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
    return found


class Handler:
    """One path."""

    def __init__(self, route: Route) -> None:
        self._route = route

    async def serve(self, request: web.Request) -> web.Response:
        """Serves one call."""
        answer = await self._answer(request)
        response = response_of(answer)
        if self._route.state.draining:
            response.force_close()
        return response

    async def _answer(self, request: web.Request) -> Answer:
        route = self._route
        try:
            share = route.enter(request.content_length)
        except ReviewError as error:
            return route.refuse(error)
        try:
            route.check_client(_session(request))
            timeout = route.state.settings.body_timeout
            body = await read_body(request, route.limit, timeout, share)
            answer = route.judge(body)
            return answer if isinstance(answer, Answer) else await answer
        except NO_BODY:
            return route.refuse(ReviewError(400, "BadRequest", "the body did not arrive whole"))
        except Exception as error:  # noqa: BLE001 - the outermost handler: a fault of ours
            return route.failed(error)
        finally:
            route.leave(share)

    async def expect(self, request: web.Request) -> web.StreamResponse | None:
        """``Expect: 100-continue``: a body that would be refused is never asked for."""
        if request.headers.get("Expect", "").lower() != "100-continue":
            return response_of(failure(417, "only Expect: 100-continue is understood"))
        try:
            check_head(request, self._route.limit)
        except ReviewError as error:
            return response_of(refusal(error))
        if request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return None
