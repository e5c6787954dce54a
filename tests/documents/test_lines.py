"""Lines are streamed, gzip or not, and an error comes after the good lines and with its number."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import random
import threading
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.documents import DocumentError, read_lines
from webhook.documents import streams as streams_module

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = b'{"a": 1}\n\n  \n{"b": 2}\r\n{"c": 3}'
NUMBERED = [(1, b'{"a": 1}'), (4, b'{"b": 2}'), (5, b'{"c": 3}')]


def read(data: bytes, **limits: int) -> list[tuple[int, bytes]]:
    return list(read_lines(io.BytesIO(data), "a.jsonl", **limits))


def until_error(data: bytes, **limits: int) -> tuple[list[tuple[int, bytes]], DocumentError]:
    return collect(read_lines(io.BytesIO(data), "a.jsonl", **limits))


def collect(
    lines: Iterator[tuple[int, bytes]],
) -> tuple[list[tuple[int, bytes]], DocumentError]:
    """What comes before the error, and the error."""
    found: list[tuple[int, bytes]] = []
    while True:
        try:
            found.append(next(lines))
        except DocumentError as error:
            return found, error


def test_empty_lines_count_but_do_not_come() -> None:
    assert read(LINES) == NUMBERED
    assert read(b"\xef\xbb\xbf" + LINES + b"\n") == NUMBERED
    assert read(b"") == read(b"\n") == []


def test_gzip_is_told_by_its_first_bytes() -> None:
    assert read(gzip.compress(LINES)) == NUMBERED
    assert read(gzip.compress(LINES[:12]) + gzip.compress(LINES[12:]) + b"\0" * 100) == NUMBERED


def test_a_gzip_that_is_cut_off_gives_its_whole_lines_first() -> None:
    noise = random.Random(7)
    text = b"".join(b"%d\n" % noise.randrange(10**12) for _ in range(100_000))
    packed = gzip.compress(text)
    lines, error = until_error(packed[: len(packed) // 2])
    assert len(lines) > 20_000
    assert (
        b"\n".join(line for _, line in lines) + b"\n" == text[: sum(len(x) + 1 for _, x in lines)]
    )
    assert (error.source, error.line) == ("a.jsonl", len(lines) + 1)
    assert error.message == "the gzip data end too early: the file is cut off"


@pytest.mark.parametrize("cut", [1, 5, 10, 20])
def test_even_the_shortest_gzip_that_is_cut_off_is_an_error(cut: int) -> None:
    packed = gzip.compress(b"x")
    if cut == 1:
        assert read(packed[:1]) == [(1, b"\x1f")]  # nothing says that this is gzip
    else:
        assert until_error(packed[:cut])[0] == []


def test_damaged_gzip_data_are_an_error() -> None:
    packed = bytearray(gzip.compress(LINES * 10))
    packed[-5] ^= 0xFF
    _, error = until_error(bytes(packed))
    assert error.message.startswith("the gzip data are damaged")
    _, error = until_error(b"\x1f\x8b" + b"no gzip at all")
    assert error.message.startswith("the gzip data are damaged")
    lines, error = until_error(gzip.compress(b"a\nb\n") + b"behind it")
    assert [line for _, line in lines] == [b"a", b"b"]


def test_a_line_beyond_the_limit_is_an_error_with_its_number() -> None:
    assert read(b"12345\n12345", max_line=5) == [(1, b"12345"), (2, b"12345")]
    for text in (b"1\n123456\n1", b"1\n123456", b"1\n12345678\n"):
        lines, error = until_error(text, max_line=5)
        assert lines == [(1, b"1")]
        assert (error.line, error.message) == (2, "the line is longer than 5 bytes")


def test_memory_is_bounded_by_the_limit_of_a_line() -> None:
    bomb = gzip.compress(b"x" * 50_000_000)
    tracemalloc.start()
    try:
        _, error = until_error(bomb, max_line=4_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert error.line == 1
    assert peak < 12_000_000


def test_a_stream_that_fails_is_an_error_after_the_good_lines() -> None:
    class Failing(io.RawIOBase):
        def __init__(self) -> None:
            self.parts = [b'{"a": 1}\n{"b"']

        def read(self, size: int = -1) -> bytes:
            if self.parts:
                return self.parts.pop()
            raise OSError(5, "Input/output error")

    found, error = collect(read_lines(Failing()))
    assert found == [(1, b'{"a": 1}')]
    assert str(error) == "<stdin>:2: cannot be read: Input/output error"


def test_a_line_comes_before_the_stream_ends() -> None:
    reading, writing = pipe()
    lines = read_lines(reading, "<stdin>")
    writing.write(b"1\n2\n")
    writing.flush()
    assert next(lines) == (1, b"1")
    timer = threading.Timer(0.01, writing.close)
    timer.start()
    assert list(lines) == [(2, b"2")]
    timer.join()
    reading.close()


def pipe() -> tuple[io.BufferedReader, io.BufferedWriter]:
    ends = os.pipe()
    return open(ends[0], "rb"), open(ends[1], "wb")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.binary(max_size=60), max_size=20), st.integers(1, 50), st.booleans())
def test_pieces_of_any_size_give_the_same_lines(
    parts: list[bytes], size: int, packed: bool
) -> None:
    text = b"x\n" + b"\n".join(parts)
    data = gzip.compress(text) if packed else text
    expected = [(n + 1, line.strip()) for n, line in enumerate(text.split(b"\n")) if line.strip()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams_module, "PIECE", size)
        assert read(data) == expected


@settings(deadline=None)
@given(st.binary(max_size=100), st.booleans())
def test_no_bytes_raise_anything_but_a_document_error(data: bytes, magic: bool) -> None:
    with contextlib.suppress(DocumentError):
        for number, line in read_lines(io.BytesIO(b"\x1f\x8b\x08" * magic + data)):
            assert number >= 1
            assert line
