"""Field paths, printed as apimachinery prints them: ``status.nodeState[node-a][pkg|1.0.0]``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Key:
    """One step of a path.

    Attributes:
        name: the key of a map, the ``type`` of a list's element, or a decimal index.
        bracketed: printed as ``[name]`` (a key that data chose) instead of ``.name``.
    """

    name: str
    bracketed: bool = False


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A place in an object: what a StatusCause's ``field`` says.

    Attributes:
        steps: from the root of the object to the field.
    """

    steps: tuple[Key, ...] = ()

    def child(self, *names: str) -> FieldPath:
        """The path of a field that the schema names."""
        return FieldPath((*self.steps, *(Key(name) for name in names)))

    def key(self, key: str) -> FieldPath:
        """The path of an entry of a map, or of a list's element by its type."""
        return FieldPath((*self.steps, Key(key, bracketed=True)))

    def index(self, position: int) -> FieldPath:
        """The path of a list's element by its position, counted from 0."""
        return self.key(str(position))

    def names(self) -> tuple[str, ...]:
        """The bare names of the steps, for looking a path up in a document."""
        return tuple(step.name for step in self.steps)

    def starts_with(self, other: FieldPath) -> bool:
        """Whether this path is ``other`` or lies below it."""
        return self.steps[: len(other.steps)] == other.steps

    def __iter__(self) -> Iterator[Key]:
        return iter(self.steps)

    def __str__(self) -> str:
        text = ""
        for step in self.steps:
            if step.bracketed:
                text += f"[{step.name}]"
            else:
                text += f".{step.name}" if text else step.name
        return text


ROOT = FieldPath()
