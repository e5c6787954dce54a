"""A body on its way in."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from webhook.server.body import Share


class Arrival:
    """A body that arrives piece by piece in a buffer of its own size, which was capped before.

    Attributes:
        rest: where the next bytes go.
        left: how many are still to come.
    """

    __slots__ = ("_body", "_share", "left", "rest")

    def __init__(self, length: int, there: memoryview, share: Share) -> None:
        """`there`: what has come of it. Raises ReviewError (503)."""
        self.left = length - len(there)
        share.take(len(there))
        self._share = share
        self._body = bytearray(length)
        self._body[: len(there)] = there
        self.rest = memoryview(self._body)[len(there) :]

    def add(self, nbytes: int) -> bool:
        """Counts what has come; whether that was all. Raises ReviewError (503)."""
        self.left -= nbytes
        self._share.take(nbytes)
        self.rest = self.rest[nbytes:]
        return not self.left

    @property
    def whole(self) -> bytes:
        """The body: nobody writes into it any more, and whoever reads it reads bytes."""
        return cast("bytes", self._body)
