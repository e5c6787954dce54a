"""Texts of a profile that are read further: paths, releases, expressions. Refused where they stand."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from webhook.core.readable import Readable
from webhook.core.release import parse_release, within
from webhook.lifecycle.path import parse


def _expression(text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None


Id = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
ProfileName = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]*$")]
CheckName = Annotated[str, Meta(pattern=r"^[a-z_]+$")]
PathText = Annotated[str, Readable(parse)]
ReleaseText = Annotated[str, Readable(parse_release)]
ReleaseRange = Annotated[str, Readable(lambda text: within("0.0", text))]
Expression = Annotated[str, Readable(_expression)]
