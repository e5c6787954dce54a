"""Texts that are read further, refused where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import fields

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Readable:
    """A mark on the type of a field: ``read`` takes the value, or a ValueError of its own says why not."""

    read: Callable[[Any], object]

    def __call__(self, value: Any) -> Any:
        """The value itself. Raises ValueError."""
        self.read(value)
        return value


def check_marks(struct: Struct) -> None:
    """Reads the marked fields of a struct and of those in it, but not in lists. Raises ValueError."""
    for one in fields(struct):
        value = getattr(struct, one.name)
        if isinstance(value, Struct):
            check_marks(value)
        for mark in getattr(one.type, "__metadata__", ()):
            if isinstance(mark, Readable):
                mark.read(value)
