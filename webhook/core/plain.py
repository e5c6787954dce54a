"""Text out of objects, for a terminal: nothing in it moves the cursor, colours, or ends a line."""

from __future__ import annotations


def plain(text: str) -> str:
    """One line without control characters, and without those that turn its direction."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
