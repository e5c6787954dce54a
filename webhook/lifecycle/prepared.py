"""A profile that was joined and checked once, kept as JSON: a start needs neither YAML nor pydantic."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from webhook.lifecycle.model import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Prepared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A profile and the files that it was made from.

    Attributes:
        marks: by path in the folder of profiles, the CRC-32 of each file.
        profile: what they say.
    """

    marks: dict[str, int]
    profile: Profile

    @classmethod
    def of(cls, text: bytes) -> Prepared:
        """From its text. Raises msgspec.ValidationError."""
        return msgspec.json.decode(text, type=cls)

    def text(self) -> bytes:
        """As JSON, a line for each value, so that a change of a profile can be read in a diff."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def marks_of(folder: Path, paths: Iterable[str]) -> dict[str, int]:
    """What tells whether files are still those that a profile was made from; 0 for one that is gone."""
    found = ((path, folder / path) for path in paths)
    return {path: crc32(file.read_bytes()) if file.is_file() else 0 for path, file in found}
