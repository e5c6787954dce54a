"""Whose record a Node's annotation is, and as much of the owner as rules about Nodes read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.core.view import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.catalog import Catalog
    from webhook.core.view import View
    from webhook.reviews.memory import Memory

FACTS: Final = "facts"
"""What an owner has in memory instead of annotations."""
_USE: Final = "uninstall_asked"
_DELETION: Final = ("metadata", "deletionTimestamp")


@dataclass(frozen=True, slots=True)
class Owner:
    """The kind of object that a Node's annotation is a record for.

    Attributes:
        collection: where an API server has them, as in ``/apis/skyhook.nvidia.com/v1alpha1/skyhooks``.
        group, kind: as reviews name them.
        annotation: beginning of the annotation's name; the object's name follows.
    """

    collection: str
    group: str
    kind: str
    annotation: str

    def key(self, name: str) -> str:
        """The object's path, by which it is remembered and read; no Node can be called so."""
        return f"{self.collection}/{name}"


def owners_of(catalog: Catalog) -> Iterator[tuple[str, Owner]]:
    """By the ids of the rules that ask them."""
    for profile in catalog.profiles:
        for check in (c for g in profile.guards for c in g.checks if c.use == _USE):
            collection, kind = check.parameters["collection"], check.parameters["kind"]
            annotation = check.at[0].split('"')[1].partition("{")[0]
            owner = Owner(collection, collection.split("/")[2], kind, annotation)
            yield f"{profile.profile}.{check.id}", owner


def remember_owner(
    memory: Memory, key: str, now: float, old: View | None, new: View | None
) -> None:
    """As much of it as rules about Nodes read; nothing new while neither spec nor deletion moves."""
    there = [side for side in (old, new) if side is not None]
    if not there or (memory.knows(key) and old is not None and _stays(old, new)):
        return
    memory.saw(key, now, *({FACTS: facts_of(side)} for side in there))


def _stays(old: View, new: View | None) -> bool:
    if new is None:
        return True
    return all(same(old.at(*path), new.at(*path)) for path in (_DELETION, ("spec",)))


def facts_of(owner: View) -> str:
    """The part of an owner that is remembered, as JSON."""
    packages = owner.at("spec", "packages")
    kept: dict[str, Any] = {}
    for name in packages.members if packages is not None else ():
        package = owner.at("spec", "packages", name)
        if package is not None:
            parts = {part: package.child(part) for part in ("version", "uninstall")}
            kept[name] = {part: view.raw for part, view in parts.items() if view is not None}
    deletion = owner.at(*_DELETION)
    metadata = {} if deletion is None else {_DELETION[1]: deletion.raw}
    text = msgspec.json.encode({"metadata": metadata, "spec": {"packages": kept}})
    return text.decode()
