"""The YAML events of a text, by libyaml where PyYAML was built with it, and libyaml's complaints in our words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

import yaml
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from webhook.documents.problem import ProblemKind, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable


_SURROGATE = re.compile("[\ud800-\udfff]")


class EventSource(Protocol):
    """What both parsers of PyYAML offer."""

    def get_event(self) -> Any:
        """Next event; raises yaml.YAMLError."""


class PythonParser(Reader, Scanner, Parser):
    """PyYAML's own parser: about thirty times slower, and the same events."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def get_event(self) -> Any:
        """Next event; refuses half a surrogate pair in a double-quoted scalar, as libyaml does."""
        event: Any = super().get_event()  # type: ignore[no-untyped-call]
        if (
            event.__class__ is yaml.ScalarEvent
            and event.style == '"'
            and _SURROGATE.search(event.value)
        ):
            mark: Any = event.start_mark
            problem = "found invalid Unicode character escape code"
            raise yaml.scanner.ScannerError(None, None, problem, mark)
        return event


def _fastest() -> Callable[[str], EventSource]:
    try:
        from yaml._yaml import CParser
    except ImportError:
        return PythonParser
    return CParser


open_parser: Callable[[str], EventSource] = _fastest()

_TOO_DEEP = "exceeded maximum nesting depth"
_CANNOT_START = {
    "\t": "a tab cannot indent YAML; use spaces",
    "@": "an unquoted value cannot begin with '@'; put it in quotes",
    "`": "an unquoted value cannot begin with a backquote; put it in quotes",
    "%": "an unquoted value cannot begin with '%'; put it in quotes",
}
_NESTED_COLON = (
    "a second ': ' on a line, or a line indented deeper than its neighbours; "
    "put a value that holds ': ' in quotes"
)


def unreadable(error: yaml.YAMLError, text: str) -> UnreadableError:
    """The same complaint with the offset in `text` and, where we know better words, those."""
    if isinstance(error, yaml.reader.ReaderError):
        return _unreadable_character(text)
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    offset: int = min(mark.index, len(text)) if mark is not None else 0
    problem = str(getattr(error, "problem", None) or error)
    if problem == _TOO_DEEP:
        return UnreadableError(offset, ProblemKind.DEPTH, "nested too deeply")
    if "cannot start any token" in problem:
        problem = _CANNOT_START.get(text[offset : offset + 1], problem)
    elif problem.startswith("mapping values are not allowed"):
        problem = f"mapping values are not allowed here: {_NESTED_COLON}"
    elif text.startswith("%"):
        problem = "kubectl reads no %YAML or %TAG lines; remove them"
    elif getattr(error, "context", None):
        problem = f"{error.context}: {problem}"  # type: ignore[attr-defined]
    return UnreadableError(offset, ProblemKind.SYNTAX, problem)


def _unreadable_character(text: str) -> UnreadableError:
    # libyaml gives the place in bytes, PyYAML in characters: so look for it.
    for offset, character in enumerate(text):
        if not _allowed(ord(character)):
            name = f"U+{ord(character):04X}"
            message = f"the control character {name} is not allowed in YAML"
            return UnreadableError(offset, ProblemKind.SYNTAX, message)
    return UnreadableError(0, ProblemKind.SYNTAX, "a character that is not allowed in YAML")


def _allowed(code: int) -> bool:
    if code < 0xA0:
        return 0x20 <= code < 0x7F or code in {0x09, 0x0A, 0x0D, 0x85}
    return not (0xD800 <= code <= 0xDFFF or code in {0xFFFE, 0xFFFF})
