"""Writes out of audit events: the old object is what the stream showed last of the same object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.conversions.converter import fields_of
from webhook.core.view import view
from webhook.replaying.event import READS, WRITES, moment
from webhook.replaying.leaving import left_behind, object_of
from webhook.replaying.patching import PatchError, patched
from webhook.replaying.states import State, States
from webhook.replaying.stored import as_stored, head, is_node
from webhook.replaying.write import Outcome, Unjudged, Why, Write
from webhook.reviews.wire import NULL, AdmissionRequest, GroupVersionKind, GroupVersionResource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webhook.catalog import Catalog
    from webhook.conversions.converter import Converter
    from webhook.lifecycle.model import Match
    from webhook.replaying.event import Event, ObjectReference
    from webhook.replaying.states import Reference

_ENCODE: Final = msgspec.json.Encoder()
_DECODE: Final = msgspec.json.Decoder()
_NOTHING: Final = b"null"
_CREATED: Final = 201


@dataclass(frozen=True, slots=True)
class _After:
    """The object after the write.

    Attributes:
        raw: its JSON.
        estimated: put together by us.
    """

    raw: bytes
    estimated: bool = False


class Rebuilder:
    """Turns audit events, in the order of the writes, into writes. One for a whole stream.

    Attributes:
        states: what is known of each object.
        failed: requests that never became a write, for reasons other than a webhook's denial.
    """

    def __init__(
        self,
        catalog: Catalog,
        states: States | None = None,
        converters: Mapping[str, Converter] | None = None,
    ) -> None:
        """``converters``, by API group, bring objects of other versions into that of the profile."""
        self._kinds: Mapping[tuple[str, str], Match] = {
            (group, guards[0].match.plural or f"{kind.lower()}s"): guards[0].match
            for (group, kind), guards in catalog.guards.items()
        }
        self._converters = converters or {}
        self.states = states or States()
        self.failed = 0

    def write(self, event: Event, source: str = "", line: int = 0) -> Write | Unjudged | None:
        """The write that an event tells of; None for what is none, or of a kind nobody guards."""
        reference = event.object_ref
        if not event.complete or reference is None:
            return None
        match = self._kinds.get((reference.api_group, reference.resource))
        if match is None:
            return None
        if event.verb in READS:
            self._read(event, reference)
            return None
        if event.verb not in WRITES:
            return None
        if not event.succeeded and not event.denied_by_webhook:
            self.failed += 1
            return None
        told = self._told(event, reference, match)
        if isinstance(told, Why):
            said = _said(event)
            what = f"{reference.resource} {reference.name}"
            user = event.writer.username
            return Unjudged(told, source, line, moment(event.stage_timestamp), said, user, what)
        if told is None:
            return None
        request, estimated = told
        outcome = (
            Outcome.REFUSED
            if not event.succeeded
            else Outcome.DRY_RUN
            if event.dry_run
            else Outcome.DONE
        )
        time = moment(event.stage_timestamp)
        return Write(request, source, line, time, outcome, estimated)

    def _read(self, event: Event, reference: ObjectReference) -> None:
        """A body that somebody was shown: as good as a write for what is known, if it is newer."""
        if not event.succeeded or event.response_object == NULL or reference.subresource:
            return
        shown = view(event.response_object)
        items = shown.child("items") if shown is not None else None
        if event.verb == "list":
            for item in (items.items if items is not None else None) or ():
                if item.text("kind") and item.text("apiVersion"):
                    self._remember_newer(reference, item.raw)
        elif shown is not None:
            self._remember_newer(reference, shown.raw)

    def _remember_newer(self, reference: ObjectReference, raw: msgspec.Raw) -> None:
        place = _place(reference, head(raw).metadata.name or reference.name)
        known, shown = self.states.get(place), State.of(bytes(raw))
        if known is None or _newer(shown.version, known.version):
            self.states.put(place, shown)

    def _told(
        self, event: Event, reference: ObjectReference, match: Match
    ) -> tuple[AdmissionRequest, bool] | Why | None:
        """The request, and whether it is an estimate."""
        name = (
            reference.name
            or head(event.response_object).metadata.name
            or head(event.request_object).metadata.name
        )
        place = _place(reference, name)
        if event.verb == "deletecollection":
            if event.succeeded and not event.dry_run:
                self.states.drop_all(*place[:3])
            return None
        if reference.subresource not in ("", "status"):
            self._lose(event, place)
            return Why.SUBRESOURCE
        if event.verb == "delete":
            known = self.states.get(place)
            request = self._deletion(event, reference, match, place)
            if known is not None:
                return request, False
            return Why.METADATA if event.level == "Metadata" else self._unknown(place)
        creates = event.verb == "create" or event.code == _CREATED
        known = None if creates else self.states.get(place)
        after = self._in_our_version(self._after(event, reference, match, known), event, match)
        if isinstance(after, Why):
            self._lose(event, place)
            return Why.FIRST if not creates and known is None and after is Why.PATCH else after
        unsure = None if creates else self._unsure(event, reference, place, known)
        if event.succeeded and not event.dry_run:
            state = State.of(after.raw)  # what was sent names the version before, not its own
            self.states.put(place, replace(state, version="") if after.estimated else state)
        if unsure is not None:
            return unsure
        old = None if creates or known is None else known.raw
        return _request(event, reference, match, name, old, after.raw), after.estimated

    def _unsure(
        self,
        event: Event,
        reference: ObjectReference,
        place: Reference,
        known: State | None,
    ) -> Why | None:
        """Why the known state is not what the write met."""
        if known is None:
            return self._unknown(place)
        met = reference.resource_version or head(event.request_object).metadata.resource_version
        if event.verb == "update" and met and known.version and met != known.version:
            return Why.GAP
        return None

    def _unknown(self, place: Reference) -> Why:
        return Why.FORGOTTEN if self.states.was_forgotten(place) else Why.FIRST

    def _in_our_version(self, after: _After | Why, event: Event, match: Match) -> _After | Why:
        """The object as a webhook for the profile's version is shown it."""
        if isinstance(after, Why):
            return after
        written = event.object_ref.api_version if event.object_ref is not None else ""
        version = head(after.raw).api_version.rpartition("/")[2] or written
        if version == match.versions[0]:
            return after
        converter, fields = self._converters.get(match.group), fields_of(msgspec.Raw(after.raw))
        if converter is None or fields is None:
            return after if version in match.versions else Why.VERSION
        now = datetime.fromtimestamp(moment(event.stage_timestamp) or 0, UTC)
        return _After(converter.to(match.versions[0], now).of(fields), after.estimated)

    def _lose(self, event: Event, place: Reference) -> None:
        if event.succeeded and not event.dry_run:
            self.states.drop(place)

    def _after(
        self, event: Event, reference: ObjectReference, match: Match, known: State | None
    ) -> _After | Why:
        """The object as it was written, or would have been."""
        if event.succeeded and event.response_object != NULL:
            return _After(bytes(event.response_object))
        if event.request_object == NULL:
            return Why.METADATA
        sent, before = _DECODE.decode(event.request_object), object_of(known)
        if event.verb == "patch" and event.code != _CREATED:
            if before is None:
                return Why.PATCH
            try:
                new = patched(before, sent, node=is_node(match))
            except PatchError:
                return Why.PATCH
        else:
            new = sent
        if not isinstance(new, dict):
            return Why.PATCH
        created = event.verb == "create" or event.code == _CREATED
        if before is None and not created:
            return _After(_ENCODE.encode(new), estimated=True)
        whole = as_stored(before, new, reference.subresource, match)
        return _After(_ENCODE.encode(whole), estimated=True)

    def _deletion(
        self, event: Event, reference: ObjectReference, match: Match, place: Reference
    ) -> AdmissionRequest:
        """A deletion; an object held by finalizers stays, with a deletionTimestamp."""
        known = self.states.get(place)
        old = known.raw if known is not None else _NOTHING
        if event.succeeded and not event.dry_run:
            self.states.drop(place)
            left = left_behind(event, known)
            if left is not None:
                self.states.put(place, left)
        request = _request(event, reference, match, place[3], old, _NOTHING)
        return msgspec.structs.replace(request, operation="DELETE")


def _request(
    event: Event,
    reference: ObjectReference,
    match: Match,
    name: str,
    old: bytes | None,
    new: bytes,
) -> AdmissionRequest:
    version = head(new if new != _NOTHING else old or _NOTHING).api_version.rpartition("/")[2]
    version = version or reference.api_version
    return AdmissionRequest(
        uid=event.audit_id,
        operation="CREATE" if old is None else "UPDATE",
        kind=GroupVersionKind(match.group, version, match.kind),
        resource=GroupVersionResource(match.group, version, reference.resource),
        request_kind=GroupVersionKind(match.group, reference.api_version or version, match.kind),
        sub_resource=reference.subresource,
        name=name,
        namespace=reference.namespace or None,
        user_info=event.writer,
        object=msgspec.Raw(new),
        old_object=NULL if old is None else msgspec.Raw(old),
        dry_run=event.dry_run,
    )


def _place(reference: ObjectReference, name: str) -> Reference:
    return reference.api_group, reference.resource, reference.namespace, name


def _newer(version: str, known: str) -> bool:
    """Resource versions grow in practice; what was read is better than what we put together."""
    if version.isdecimal() and known.isdecimal():
        return int(version) > int(known)
    return not known


def _said(event: Event) -> tuple[str, ...]:
    """Rules that a webhook of ours named when it judged the write, by its audit annotations."""
    for key, value in (event.annotations or {}).items():
        if key.endswith(".skyhook.nvidia.com/rules"):
            return tuple(value.split(","))
    return ()
