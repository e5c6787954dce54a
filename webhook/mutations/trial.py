"""A patch is tried on the reviewed conditions before it is sent; the one home of jsonpatch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import jsonpatch
import jsonpointer
import msgspec

from webhook.core.view import UNREADABLE, View, equal_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webhook.core.conditions import Condition

_ENCODE: Final = msgspec.json.Encoder()


def leads_to(patch: bytes, conditions: msgspec.Raw | None, right: Sequence[Condition]) -> bool:
    """Whether a strict library applies the patch, and what comes out is what should.

    Only the list is decoded, not the object of megabytes around it; that its parent is there is
    known from reading it.

    Args:
        patch: operations under ``/status/conditions`` only.
        conditions: the list as it stands in the object; None where it has none.
        right: the list that should come out.
    """
    status = {} if conditions is None else {"conditions": View(conditions).value}
    if status.get("conditions") is UNREADABLE:
        return False
    try:
        decoded: Any = msgspec.json.decode(patch)
        # In place: the document is ours alone, and to copy it first costs as much as the rest.
        document = jsonpatch.JsonPatch(decoded).apply({"status": status}, in_place=True)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, msgspec.DecodeError):
        return False
    return _is(document, right)


def _is(document: Any, right: Sequence[Condition]) -> bool:
    """Whether a document holds that list and nothing else; by bytes where the API server's are ours."""
    whole = b'{"status":{"conditions":[' + b",".join([bytes(c.raw) for c in right]) + b"]}}"
    if _ENCODE.encode(document) == whole:
        return True
    wanted = [View(c.raw).value for c in right]
    return UNREADABLE not in wanted and equal_values(document, {"status": {"conditions": wanted}})
