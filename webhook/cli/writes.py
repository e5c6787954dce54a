"""Recorded writes, as pairs of old and new: AdmissionReviews, or the states that a watch saw.

`kubectl get … -w -o json` prints an object each time it changes; two states of one object in a row
are a write, as far as anybody outside the API server can tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.cli.failures import CallerError
from webhook.core.view import View, view
from webhook.documents import Form, to_json, walk_inputs
from webhook.reviews.decode import ReviewError, decode_admission, request_of
from webhook.reviews.wire import AdmissionRequest, GroupVersionKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.lifecycle.model import Match


class _Kind(msgspec.Struct):
    kind: str = ""


_KIND: Final = msgspec.json.Decoder(_Kind)


def requests_of(paths: Iterable[str]) -> Iterator[AdmissionRequest]:
    """Every write in files, folders or stdin. Raises DocumentError, CallerError."""
    last: dict[str, Any] = {}
    for source in walk_inputs(list(paths)):
        if source.form is Form.LINES:
            for number, line in source.lines():
                yield from _of_line(line, f"{source.name}:{number}", last)
            continue
        for document in source.documents():
            value = document.value
            if not isinstance(value, dict):
                continue
            if value.get("kind") == "AdmissionReview":
                yield _recorded(to_json(value), source.name)
            else:
                yield from _watched(value, last)


def _of_line(line: bytes, where: str, last: dict[str, Any]) -> Iterator[AdmissionRequest]:
    """A line's review as it is, with its objects undecoded; or another state of an object."""
    try:
        kind = _KIND.decode(line).kind
    except msgspec.DecodeError as error:
        raise CallerError(f"{where}: not JSON: {error}") from None
    if kind == "AdmissionReview":
        yield _recorded(line, where)
    else:
        yield from _watched(msgspec.json.decode(line), last)


def writes_of(paths: Iterable[str], match: Match) -> Iterator[tuple[View | None, View | None]]:
    """The writes of one kind, in the versions that a guard's paths are of, as (old, new)."""
    for request in requests_of(paths):
        kind = request.kind
        if (kind.group, kind.kind) == (match.group, match.kind) and kind.version in match.versions:
            yield view(request.old_object), view(request.object)


def _recorded(body: bytes, where: str) -> AdmissionRequest:
    try:
        return request_of(decode_admission(body))
    except ReviewError as error:
        raise CallerError(f"{where}: {error.message}") from None


def _watched(value: dict[str, Any], last: dict[str, Any]) -> Iterator[AdmissionRequest]:
    """An object, or a watch event around one; the first state of an object is no write."""
    event = value.get("type")
    new = value.get("object") if isinstance(event, str) and "kind" not in value else value
    metadata = new.get("metadata") if isinstance(new, dict) else None
    if not isinstance(new, dict) or not isinstance(metadata, dict):
        return
    name = f"{new.get('kind')} {metadata.get('uid') or metadata.get('namespace')} {metadata.get('name')}"
    old = last.pop(name, None)
    if event == "DELETED":
        return
    last[name] = new
    if old is not None and old != new:
        yield _update(name, old, new)


def _update(name: str, old: dict[str, Any], new: dict[str, Any]) -> AdmissionRequest:
    group, _, version = str(new.get("apiVersion", "")).rpartition("/")
    return AdmissionRequest(
        uid=name,
        operation="UPDATE",
        kind=GroupVersionKind(group, version, str(new.get("kind"))),
        name=name.rpartition(" ")[2],
        object=View.of(new).raw,
        old_object=View.of(old).raw,
    )
