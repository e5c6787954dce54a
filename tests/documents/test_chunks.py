"""A source is cut where kubectl cuts it, and nothing of it is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.documents.chunks import cut, is_wide

PIECES = st.lists(st.sampled_from([b"---", b"\n", b"a", b" ", b"#", b"-", b"\r\n"]), max_size=15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", [(b"", 1)]),
        (b"a", [(b"a", 1)]),
        (b"---", [(b"", 1), (b"", 1)]),
        (b"---\na\n---\nb", [(b"", 1), (b"a\n", 2), (b"b", 4)]),
        (b"a\n---\n---\n", [(b"a\n", 1), (b"", 3), (b"", 4)]),
        (b"a\n ---\n b---\n", [(b"a\n ---\n b---\n", 1)]),
        (b"a\r\n--- # c\r\nb", [(b"a\r\n", 1), (b"b", 3)]),
    ],
)
def test_documents_lie_between_lines_that_begin_with_three_dashes(
    text: bytes, expected: list[tuple[bytes, int]]
) -> None:
    assert [(chunk.data, chunk.first_line) for chunk in cut(text)] == expected
    assert not any(chunk.refused for chunk in cut(text))


def test_text_behind_the_dashes_is_kept_for_a_complaint() -> None:
    assert [chunk.refused for chunk in cut(b"---\n--- a\n---- \n---#\n")] == [
        b"",
        b"",
        b"a",
        b"-",
        b"",
    ]


@given(PIECES.map(b"".join))
def test_cutting_is_what_a_regular_expression_would_do(text: bytes) -> None:
    chunks = list(cut(text))
    assert [chunk.data for chunk in chunks] == re.split(rb"(?m)^---[^\n]*(?:\n|\Z)", text)
    starts = [match.end() for match in re.finditer(rb"(?m)^---[^\n]*(?:\n|\Z)", text)]
    assert [c.first_line for c in chunks[1:]] == [text.count(b"\n", 0, n) + 1 for n in starts]


def test_wide_encodings_are_told_with_and_without_their_mark() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"):
        assert is_wide("kind: x".encode(encoding))
    assert not is_wide(b"kind: x")
    assert not is_wide(b"")
