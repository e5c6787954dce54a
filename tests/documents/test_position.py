"""Offsets become lines and columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webhook.documents.position import Lines, Position


@given(st.text("ab\n\r\u2028😀"), st.data())
def test_a_position_counts_line_feeds_and_characters(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before = text[:offset]
    expected = Position(5 + before.count("\n"), len(before) - (before.rfind("\n") + 1) + 1)
    assert Lines(text, 5).position(offset) == expected


def test_positions_sort_and_print() -> None:
    assert Position(2, 10) < Position(10, 2)
    assert str(Position(3, 7)) == "3:7"
