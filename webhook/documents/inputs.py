"""Where documents come from: files, folders and standard input, and in which form each holds them."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from webhook.documents.folders import LINES, YAML, walk_folder
from webhook.documents.forms import Form, form_of
from webhook.documents.lines import MAX_LINE, split_lines
from webhook.documents.problem import DocumentError
from webhook.documents.reading import read_documents
from webhook.documents.streams import UNREADABLE, pieces, reason, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.documents.document import Document

STDIN: Final = "<stdin>"
MAX_TEXT: Final = 512 * 1024 * 1024
"""Bytes of one source of documents, unpacked; a stream of lines has no such limit."""


class Input:
    """One file, or standard input. Nothing is opened before it is asked for.

    Attributes:
        name: the path as given or found, or "<stdin>".
    """

    def __init__(self, name: str, stream: BinaryIO | None = None) -> None:
        self.name = name
        self._stream = stream
        self._form: Form | None = None
        self._replay: tuple[Iterator[bytes], BinaryIO | None] | None = None

    @property
    def form(self) -> Form:
        """By the name; by the first two lines where that is .json, unknown, or standard input.

        Raises:
            DocumentError: the source cannot be read.
        """
        if self._form is None:
            name = self.name.lower()
            if name.endswith(LINES):
                self._form = Form.LINES
            elif name.endswith(YAML):
                self._form = Form.DOCUMENTS
            else:
                self._form = self._sniff()
        return self._form

    def open(self) -> BinaryIO:
        """The bytes, unpacked where they are gzip; standard input and pipes only once.

        Raises:
            DocumentError: the source cannot be opened. Reading may raise what `streams.UNREADABLE` names.
        """
        return unpacked(*self._source())

    def read(self) -> bytes:
        """All bytes, unpacked.

        Raises:
            DocumentError: unreadable, or more than MAX_TEXT.
        """
        source, file = self._source()
        parts: list[bytes] = []
        size = 0
        try:
            for piece in source:
                parts.append(piece)
                size += len(piece)
                if size > MAX_TEXT:
                    message = f"larger than {MAX_TEXT} bytes; give it in several files"
                    raise DocumentError(self.name, None, None, message)
        except UNREADABLE as error:
            raise DocumentError(self.name, None, None, reason(error)) from None
        finally:
            if file is not None:
                file.close()
        return b"".join(parts)

    def documents(self) -> Iterator[Document]:
        """`read_documents` of all bytes."""
        return read_documents(self.read(), self.name)

    def lines(self, *, max_line: int = MAX_LINE) -> Iterator[tuple[int, bytes]]:
        """`split_lines` of what the source holds."""
        parts, file = self._source()
        try:
            yield from split_lines(parts, self.name, max_line=max_line)
        finally:
            if file is not None:
                file.close()

    def _source(self) -> tuple[Iterator[bytes], BinaryIO | None]:
        if self._replay is not None:
            return self._replay
        if self._stream is not None:
            return pieces(self._stream), None
        try:
            file = Path(self.name).open("rb")  # noqa: SIM115 closed by the stream that reads it
        except OSError as error:
            raise DocumentError(self.name, None, None, reason(error)) from None
        return pieces(file), file

    def _sniff(self) -> Form:
        source, file = self._source()
        form, replay = form_of(source)
        if file is not None and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
        else:
            self._replay = (replay, file)
        return form


def walk_inputs(paths: Iterable[str], stdin: BinaryIO | None = None) -> Iterator[Input]:
    """The sources that paths lead to: files as they are, folders searched, `-` for standard input.

    Folders give *.yaml, *.yml, *.json, *.jsonl and the gzip forms of the last two, sorted; hidden files
    and folders are passed over, and a folder that links lead back to is entered once.

    Raises:
        DocumentError: a path that does not exist, before any input is handed out.
    """
    given = list(paths)
    for path in given:
        if path != "-" and not os.path.lexists(path):
            raise DocumentError(path, None, None, "no such file or folder")
    if given.count("-") > 1:
        raise DocumentError(STDIN, None, None, "'-' is given more than once")
    return _inputs(given, stdin)


def _inputs(paths: list[str], stdin: BinaryIO | None) -> Iterator[Input]:
    for path in paths:
        if path == "-":
            yield Input(STDIN, stdin if stdin is not None else sys.stdin.buffer)
        elif Path(path).is_dir():
            yield from map(Input, walk_folder(path))
        else:
            yield Input(path)
