"""The applications: reviews over TLS, probes and metrics on plain ports of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from webhook.server.failure import failure
from webhook.server.handlers import Handler, response_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from webhook.server.pages import Page, Pages
    from webhook.server.routes import Route


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


def pages_app(pages: Pages) -> web.Application:
    """/healthz and /readyz, or /metrics."""
    app = web.Application(middlewares=[statuses])

    def handler(page: Callable[[], Awaitable[Page]]) -> Callable[..., Awaitable[web.Response]]:
        async def handle(_request: web.Request) -> web.Response:
            code, media, body = await page()
            return web.Response(status=code, body=body, headers={"Content-Type": media})

        return handle

    for path, page in pages.items():
        app.router.add_get(path, handler(page))
    return app
