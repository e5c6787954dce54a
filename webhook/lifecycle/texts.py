"""Texts of a profile that are read further: paths, releases, expressions. Refused where they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, StringConstraints

from webhook.core.release import parse_release, within
from webhook.lifecycle.path import parse

if TYPE_CHECKING:
    from collections.abc import Callable


def _readable(read: Callable[[str], object]) -> AfterValidator:
    """Keeps a text that ``read`` takes; a ValueError of its own says why not."""

    def check(text: str) -> str:
        read(text)
        return text

    return AfterValidator(check)


def _expression(text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None


Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
PathText = Annotated[str, _readable(parse)]
ReleaseText = Annotated[str, _readable(parse_release)]
ReleaseRange = Annotated[str, _readable(lambda text: within("0.0", text))]
Expression = Annotated[str, _readable(_expression)]
