"""Heads of raw objects, and what an endpoint stores of what it was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from webhook.lifecycle.model import Match


class Named(msgspec.Struct, frozen=True, rename="camel"):
    """metav1.ObjectMeta, as far as a stream of objects is followed by it."""

    name: str = ""
    resource_version: str = ""


class Head(msgspec.Struct, frozen=True, rename="camel"):
    """The head of any object; all else is skipped, not decoded."""

    api_version: str = ""
    metadata: Named = Named()


_HEAD: Final = msgspec.json.Decoder(Head)
_NOBODY: Final = Head()


def head(raw: bytes | msgspec.Raw) -> Head:
    """The head of an object; an empty one for what is none."""
    try:
        return _HEAD.decode(raw)
    except (msgspec.DecodeError, RecursionError):  # a list of operations, or nothing
        return _NOBODY


def is_node(match: Match) -> bool:
    """Whether a guard is for core Nodes, whose status endpoint also writes annotations and labels."""
    return (match.group, match.kind) == ("", "Node")


def as_stored(old: Any, new: dict[str, Any], subresource: str, match: Match) -> dict[str, Any]:
    """What an endpoint makes of what was sent: the other half stays, a new spec is counted.

    Custom resources as in apiextensions-apiserver (PrepareForUpdate of customResourceStrategy and
    statusStrategy), Nodes as in pkg/registry/core/node.
    """
    if "status" not in match.subresources:
        return new
    before = old if isinstance(old, dict) else {}
    node = is_node(match)
    if subresource == "status":
        kept = ("status", "metadata") if node else ("status",)
        return {**before, **{k: new[k] for k in kept if k in new}}
    if node and not before:
        return new
    whole = {k: v for k, v in new.items() if k != "status"}
    if "status" in before:
        whole["status"] = before["status"]
    metadata, was = new.get("metadata"), before.get("metadata")
    if isinstance(metadata, dict) and not node:
        generation = was.get("generation") if isinstance(was, dict) else None
        counted = generation if isinstance(generation, int) else 0
        grown = counted + (new.get("spec") != before.get("spec"))
        whole["metadata"] = {**metadata, "generation": grown}
    return whole
