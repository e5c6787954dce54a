"""Answers that are no verdict: metav1.Status bodies for calls that never became a review."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

if TYPE_CHECKING:
    from webhook.reviews.decode import ReviewError

_ENCODE: Final = msgspec.json.Encoder()
_REASONS: Final = {
    404: "NotFound",
    405: "MethodNotAllowed",
    500: "InternalError",
    503: "ServiceUnavailable",
}


class Answer(NamedTuple):
    """What goes back over HTTP: a status code and JSON, whole or in pieces.

    Attributes:
        close: the connection ends with it; what is left of the body is not worth reading.
    """

    code: int
    pieces: list[bytes]
    close: bool = False


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


def failure(code: int, message: str = "", reason: str = "") -> Answer:
    """An answer with a Status body. Never a Retry-After: the API server would wait on it."""
    said = message or HTTPStatus(code).phrase.lower()
    return Answer(code, [status_body(code, reason or _REASONS.get(code, "BadRequest"), said)])


def refusal(error: ReviewError) -> Answer:
    """The answer to a call that cannot be read."""
    answer = failure(error.code, error.message, error.reason)
    return answer._replace(close=error.code in (408, 413, 503))
