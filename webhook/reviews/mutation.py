"""Mutating admission of status writes: a patch or none, and what people are told."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.writer import Writer, classify
from webhook.mutations.keeper import Subject, keep
from webhook.reviews.answer import LONGEST_WARNING, cut
from webhook.reviews.decode import check_text, decode_admission, is_review
from webhook.reviews.wire import AdmissionRequest, AdmissionResponse, AdmissionReview

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from webhook.core.window import Window
    from webhook.core.writer import UserGlobs
    from webhook.mutations.keeper import Keeper, Kept


class _Request(AdmissionRequest, frozen=True, rename="camel"):
    object: Subject | None = None  # type: ignore[assignment]
    old_object: Subject | None = None  # type: ignore[assignment]


class _Review(AdmissionReview, frozen=True, rename="camel"):
    request: _Request | None = None


_REVIEW: Final = msgspec.json.Decoder(_Review)


def mutation_review(body: bytes) -> AdmissionReview:
    """The review in a body, its objects read as far as `mutate` looks at them. Raises ReviewError.

    One pass over megabytes instead of two; an object of another shape is read the general way.
    """
    check_text(body)
    try:
        review = _REVIEW.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return decode_admission(body)
    return review if is_review(review) else decode_admission(body)


@dataclass(frozen=True, slots=True)
class Mutation:
    """What is answered to one write, and what is worth counting.

    Attributes:
        writer: the kind of writer.
        patch: a JSON patch under ``/status``, or None.
        warnings: texts for the writer; only for people, only while an end of the window is set.
        carried: prefixed condition types that the object holds after this write.
        written: those of them that the write itself added or changed.
        doubt: why a patch was withheld; empty when none was.
    """

    writer: Writer
    patch: bytes | None = None
    warnings: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    doubt: str = ""


def mutate(
    request: AdmissionRequest,
    keepers: Mapping[tuple[str, str], Keeper],
    *,
    operators: UserGlobs,
    now: datetime,
) -> Mutation:
    """What becomes of one write: UPDATEs of the status of a kept resource, nothing else.

    Status in a write of the main resource is dropped by the API server, and a change of metadata
    or spec in a status write is dropped without a word (measured).
    """
    user = request.user_info
    name, groups = (user.username, user.groups) if user is not None else ("", None)
    writer = classify(name, operators, groups)
    resource = request.resource
    keeper = keepers.get((resource.group, resource.resource))
    if keeper is None or request.sub_resource != "status" or request.operation != "UPDATE":
        return Mutation(writer)
    kept = keep(keeper, request.object, request.old_object, now)
    warnings = _warnings(kept, keeper, writer, now)
    return Mutation(writer, kept.patch, warnings, kept.carried, kept.written, kept.doubt)


def mutation_answer(request: AdmissionRequest, mutation: Mutation) -> AdmissionResponse:
    """The response to a request: always allowed; patch and patchType both or neither."""
    patch = mutation.patch
    return AdmissionResponse(
        uid=request.uid,
        allowed=True,
        patch=None if patch is None else base64.b64encode(patch).decode(),
        patch_type=None if patch is None else PATCH_TYPE,
        warnings=list(mutation.warnings),
    )


PATCH_TYPE: Final = "JSONPatch"


def _warnings(kept: Kept, keeper: Keeper, writer: Writer, now: datetime) -> tuple[str, ...]:
    """How long the old names last. Controllers would log it with each call, so only people hear."""
    window = keeper.window
    if writer is not Writer.PERSON or window.until is None or not window.is_open(now):
        return ()
    if not kept.carried:
        return ()
    return (cut(_until(kept, window, window.until, now), LONGEST_WARNING),)


def _until(kept: Kept, window: Window, end: datetime, now: datetime) -> str:
    name = kept.carried[0]
    days = (end - now).days
    left = "less than a day" if days == 0 else f"{days} day{'s' if days > 1 else ''}"
    bare = name.rpartition("/")[2]
    return (
        f'condition "{name}" is kept {window} ({left} from now), as are all under that prefix; '
        f'read "{bare}" instead (skyhook-webhook)'
    )
