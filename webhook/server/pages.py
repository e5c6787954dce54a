"""What the plain ports tell: health, readiness, metrics. The same for a lane and for aiohttp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from webhook.metrics import CONTENT_TYPE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

TEXT: Final = "text/plain; charset=utf-8"


class Page(NamedTuple):
    """One answer."""

    code: int
    media: str
    body: bytes


if TYPE_CHECKING:
    Pages = Mapping[str, Callable[[], Awaitable[Page]]]


def probe_pages(ready: Callable[[], Awaitable[str | None]], more: Callable[[], str] = str) -> Pages:
    """/healthz and /readyz. ``ready`` returns None, or why not; ``more`` what else is to be told."""

    async def healthz() -> Page:
        return Page(200, TEXT, b"ok\n")

    async def readyz() -> Page:
        why_not = await ready()
        said = "ok\n" if why_not is None else f"not ready: {why_not}\n"
        return Page(200 if why_not is None else 503, TEXT, f"{said}{more()}".encode())

    return {"/healthz": healthz, "/readyz": readyz}


def metrics_pages(exposed: Callable[[], Awaitable[bytes]]) -> Pages:
    """/metrics."""

    async def metrics() -> Page:
        return Page(200, CONTENT_TYPE, await exposed())

    return {"/metrics": metrics}
