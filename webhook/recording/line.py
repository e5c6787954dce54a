"""One recorded review: the body as it came, on one line, with when it came and what was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

_ENCODE: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Review:
    """A review to be written down.

    Attributes:
        time: seconds since 1970.
        body: the AdmissionReview as it came: a JSON object.
        allowed: whether the write was let through.
        rules: ids of the rules that had findings, by what became of them.
    """

    time: float
    body: bytes
    allowed: bool = True
    rules: dict[str, list[str]] | None = None

    def line(self) -> bytes:
        """The line, with its end: `{"ts": …, "said": {…}, "apiVersion": …, "request": {…}}`."""
        said = {"allowed": self.allowed, **(self.rules or {})}
        head = _ENCODE.encode({"ts": round(self.time, 3), "said": said})
        body = self.body.strip()
        if b"\n" in body or b"\r" in body:
            body = msgspec.json.format(body, indent=-1)
        inner = body[1:].lstrip()
        comma = b"" if inner.startswith(b"}") else b","
        return head[:-1] + comma + inner + b"\n"
