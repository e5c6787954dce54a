"""Text for a terminal: what moves, colours, turns or ends a line is taken out."""

from __future__ import annotations

import pytest

from webhook.core.plain import plain


@pytest.mark.parametrize(
    "mark", ["\x1b[31m", "\r", "\n", "\x07", "\x9b", "\u2028", "\u202e", "\u200b", "\ud800", "\x00"]
)
def test_what_is_no_text_is_a_blank(mark: str) -> None:
    assert plain(f"a{mark}b") == f"a {mark[1:]}b"


@pytest.mark.parametrize("text", ["", "plain", "größer 語 🙂", "tab is none -> x"])
def test_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text
