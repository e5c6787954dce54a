"""Our own files: one YAML document each, read strictly, where every problem is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.documents.compose import compose
from webhook.documents.position import Lines
from webhook.documents.problem import DocumentError
from webhook.documents.scalars import resolve_core

if TYPE_CHECKING:
    from webhook.documents.notes import Remark


def load_yaml(text: bytes | str, source: str) -> Any:
    """Value of one of our own files (a profile, settings); None for an empty one.

    As for manifests, with two differences: only true, false and null are words (YAML 1.2), so that
    `mode: off` is text; and every problem is an error, so a key must be text as written.

    Raises:
        DocumentError: with line and column; for the first problem of the text.
    """
    lines = Lines(_decoded(text, source).removeprefix("\ufeff"))
    composed = compose(lines, resolve_core)
    if composed.remarks:
        raise _error(source, lines, min(composed.remarks, key=lambda remark: remark.offset))
    if composed.again is not None:
        position = lines.position(composed.again)
        message = "a second document begins here; only one is read"
        raise DocumentError(source, position.line, position.column, message)
    return composed.value


def _decoded(text: bytes | str, source: str) -> str:
    try:
        return text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DocumentError(source, line, None, "the file is not UTF-8") from None


def _error(source: str, lines: Lines, remark: Remark) -> DocumentError:
    position = lines.position(remark.offset)
    return DocumentError(source, position.line, position.column, remark.message)
