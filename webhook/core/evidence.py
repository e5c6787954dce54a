"""Evidence: what is known of other objects while one is judged. Absent evidence never denies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webhook.core.view import View


class Evidence(Protocol):
    """What a verdict may ask about Nodes, remembered from admission or given by ``--nodes``."""

    def knows(self, node: str) -> bool:
        """Whether anything is known of this Node."""

    def absent(self, node: str) -> bool:
        """Whether it is known that there is, and lately was, no such Node."""

    def held(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """The values (JSON strings) the annotation has or lately had; None where it was absent."""

    def lately(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """Values that it is known to have had lately, the present one perhaps among them."""

    def every(self) -> tuple[View, ...] | None:
        """All Nodes there are, as last seen; None where not all of them are known."""

    def objects(self, path: str) -> tuple[View, ...]:
        """The states that the object at this API path is or lately was in, as far as rules read it.

        () where not all of them are known.
        """


@dataclass(frozen=True, slots=True)
class NoEvidence:
    """Nothing is known."""

    def knows(self, node: str) -> bool:
        """Never."""
        return False

    def absent(self, node: str) -> bool:
        """Never."""
        return False

    def held(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """Nothing."""
        return ()

    def lately(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """Nothing."""
        return ()

    def every(self) -> tuple[View, ...] | None:
        """Not known."""
        return None

    def objects(self, path: str) -> tuple[View, ...]:
        """Nothing."""
        del path
        return ()


@dataclass(frozen=True, slots=True)
class GivenNodes:
    """Nodes that somebody handed over: one or more former values of each, newest last.

    Attributes:
        nodes: name -> views of the whole Node objects.
        complete: whether these are all Nodes there are, so that a missing one does not exist.
        owners: API path -> states of other objects that were given as well.
    """

    nodes: Mapping[str, tuple[View, ...]] = field(default_factory=dict)
    complete: bool = True
    owners: Mapping[str, tuple[View, ...]] = field(default_factory=dict)

    def knows(self, node: str) -> bool:
        """Whether the Node was given."""
        return node in self.nodes

    def absent(self, node: str) -> bool:
        """Whether all Nodes were given and this one is none of them."""
        return self.complete and node not in self.nodes

    def held(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """The annotation's value in each state of the Node that was given."""
        return tuple(n.at("metadata", "annotations", annotation) for n in self.nodes.get(node, ()))

    def lately(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """The annotation's value in each former state of the Node."""
        return self.held(node, annotation)[:-1]

    def every(self) -> tuple[View, ...] | None:
        """The newest state of each Node, where all were given."""
        return tuple(states[-1] for states in self.nodes.values()) if self.complete else None

    def objects(self, path: str) -> tuple[View, ...]:
        """The states that were given."""
        return self.owners.get(path, ())
