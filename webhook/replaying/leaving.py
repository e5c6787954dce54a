"""What a deletion leaves, as the audit log of a later write will have met it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.core.view import view
from webhook.replaying.states import State

if TYPE_CHECKING:
    from webhook.replaying.event import Event

_ENCODE: Final = msgspec.json.Encoder()
_DECODE: Final = msgspec.json.Decoder()


def left_behind(event: Event, known: State | None) -> State | None:
    """What a deletion leaves: an object that finalizers hold, counted once more (measured)."""
    shown = view(event.response_object)
    if shown is not None:
        finalizers = shown.at("metadata", "finalizers")
        held = finalizers is not None and bool(finalizers.items)
        dying = shown.text("metadata", "deletionTimestamp") is not None
        return State.of(bytes(shown.raw)) if held and dying else None
    old = object_of(known)
    metadata = old.get("metadata") if isinstance(old, dict) else None
    if not isinstance(metadata, dict) or not metadata.get("finalizers"):
        return None
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = event.stage_timestamp
        if isinstance(metadata.get("generation"), int):
            metadata["generation"] += 1
    return replace(State.of(_ENCODE.encode(old)), version="")


def object_of(state: State | None) -> Any:
    """The object that a state holds; None for none, and for what is no JSON."""
    if state is None:
        return None
    try:
        return _DECODE.decode(state.raw)
    except msgspec.DecodeError:
        return None
