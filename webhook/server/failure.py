"""metav1.Status bodies for calls that never became a review."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import msgspec
from aiohttp import web

if TYPE_CHECKING:
    from webhook.reviews.decode import ReviewError

_ENCODE: Final = msgspec.json.Encoder()
_REASONS: Final = {
    404: "NotFound",
    405: "MethodNotAllowed",
    500: "InternalError",
    503: "ServiceUnavailable",
}


def status_body(code: int, reason: str, message: str) -> bytes:
    """A Failure as the API server and kubectl read it."""
    return _ENCODE.encode(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason,
            "code": code,
        }
    )


def failure(code: int, message: str = "", reason: str = "") -> web.Response:
    """An HTTP answer with a Status body. Never a Retry-After: the API server would wait on it."""
    said = message or HTTPStatus(code).phrase.lower()
    body = status_body(code, reason or _REASONS.get(code, "BadRequest"), said)
    return web.Response(status=code, body=body, content_type="application/json")


def refusal(error: ReviewError) -> web.Response:
    """The answer to a call that cannot be read."""
    response = failure(error.code, error.message, error.reason)
    if error.code in (408, 413, 503):
        response.force_close()  # what is left of the body is not worth reading
    return response
