"""The applications: reviews over TLS, probes and metrics on plain ports of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aiohttp import web

from webhook.metrics import CONTENT_TYPE
from webhook.server.failure import failure
from webhook.server.handlers import Handler, response_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from webhook.server.routes import Route

_PLAIN: Final = "text/plain"


@web.middleware
async def statuses(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Aiohttp's own refusals (404, 405, bad syntax) as Status bodies."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        response = response_of(failure(error.status))
        if "Allow" in error.headers:
            response.headers["Allow"] = error.headers["Allow"]
        return response


def review_app(routes: Mapping[str, Route]) -> web.Application:
    """/validate, /mutate and /convert."""
    app = web.Application(middlewares=[statuses], client_max_size=0)
    for path, route in routes.items():
        handler = Handler(route)
        app.router.add_post(path, handler.serve, expect_handler=handler.expect)
    return app


def probe_app(
    ready: Callable[[], Awaitable[str | None]], more: Callable[[], str] = str
) -> web.Application:
    """/healthz and /readyz. ``ready`` returns None, or why not; ``more`` what else is to be told."""
    app = web.Application(middlewares=[statuses])

    async def healthz(_request: web.Request) -> web.Response:
        return web.Response(text="ok\n", content_type=_PLAIN)

    async def readyz(_request: web.Request) -> web.Response:
        why_not = await ready()
        if why_not is None:
            return web.Response(text=f"ok\n{more()}", content_type=_PLAIN)
        text = f"not ready: {why_not}\n{more()}"
        return web.Response(status=503, text=text, content_type=_PLAIN)

    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    return app


def metrics_app(exposed: Callable[[], Awaitable[bytes]]) -> web.Application:
    """/metrics."""
    app = web.Application(middlewares=[statuses])

    async def metrics(_request: web.Request) -> web.Response:
        return web.Response(body=await exposed(), headers={"Content-Type": CONTENT_TYPE})

    app.router.add_get("/metrics", metrics)
    return app
