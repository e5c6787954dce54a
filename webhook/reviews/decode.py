"""Bytes to review. What cannot be read is a ReviewError; what can is judged."""

from __future__ import annotations

from typing import Final, TypeVar

import msgspec

from webhook.reviews.wire import AdmissionRequest, AdmissionReview

API_VERSIONS: Final = ("admission.k8s.io/v1", "admission.k8s.io/v1beta1")
R = TypeVar("R", bound=AdmissionReview)
_REVIEW: Final = msgspec.json.Decoder(AdmissionReview)


class ReviewError(Exception):
    """A call that cannot be read.

    Attributes:
        code: the HTTP status to answer with.
        reason: metav1.StatusReason.
        message: one line, without anything from the body but names of fields.
    """

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message


def decode_admission(body: bytes) -> AdmissionReview:
    """The review in a body. Raises ReviewError.

    The bytes are checked as a whole (JSON grammar, UTF-8), the objects are not decoded.
    """
    return decode_with(_REVIEW, body)


def decode_with(decoder: msgspec.json.Decoder[R], body: bytes) -> R:
    """As `decode_admission`, for envelopes with more in them: recordings have a time, say."""
    check_text(body)
    try:
        review = decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _bad(f"no AdmissionReview: {error}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise _bad(f"not JSON: {error}") from None
    if review.kind != "AdmissionReview" or review.api_version not in API_VERSIONS:
        raise _bad("not an AdmissionReview of admission.k8s.io/v1")
    if not is_review(review):
        raise _bad("an AdmissionReview without request or uid")
    return review


def is_review(review: AdmissionReview) -> bool:
    """Whether it is an admission call that can be answered."""
    known = review.kind == "AdmissionReview" and review.api_version in API_VERSIONS
    return known and review.request is not None and bool(review.request.uid)


def request_of(review: AdmissionReview) -> AdmissionRequest:
    """The request of a decoded review, which is there."""
    if review.request is None:
        raise _bad("an AdmissionReview without request")
    return review.request


def check_text(body: bytes) -> None:
    """Refuses an empty body and broken UTF-8, which raw slices would carry on unread."""
    if not body:
        raise _bad("the body is empty")
    if not body.isascii():
        try:
            bytes(body).decode()
        except UnicodeDecodeError as error:
            raise _bad(f"not UTF-8 at byte {error.start}") from None


def _bad(message: str) -> ReviewError:
    return ReviewError(400, "BadRequest", message)
