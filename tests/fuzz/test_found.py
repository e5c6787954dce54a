"""What fuzzing has found, small enough to be read; each one failed before it was mended."""

from __future__ import annotations

import pytest

from tests.fuzz.targets import TARGETS
from webhook.documents import read_documents

FOUND = {
    "a kind that is no UTF-8 was a 500": ("envelope", b'{"kind":{"group":"","kind":"\xd2"}}'),
    "an odd review that ends badly was a 500": (
        "conversion",
        b'{"request":{"objects":[1]},"x":}',
    ),
    "a separator on the last line, with text behind it, had line 0": ("yaml", b"------ x"),
}


@pytest.mark.parametrize("what", FOUND)
def test_what_was_found_stays_mended(what: str) -> None:
    name, data = FOUND[what]
    TARGETS[name](data)


def test_a_refused_separator_is_on_its_own_line() -> None:
    for text, lines in (
        (b"--- x", [1]),
        (b"a: 1\n--- x", [1, 2]),
        (b"--- x\n", [1]),
        (b"--- x\n\n", [1]),
    ):
        found = [document.position(()).line for document in read_documents(text, "f.yaml")]
        assert found == lines, text
