"""GitHub workflow commands: findings as annotations on the lines of a pull request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.core.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.cli.results import Result, Summary

_COMMANDS: Final = {"deny": "error", "warn": "warning", "audit": "notice"}


@dataclass(slots=True)
class GithubPrinter:
    """A command for each finding, as it comes.

    Attributes:
        write: takes one line.
    """

    write: Callable[[str], object]

    def result(self, result: Result) -> None:
        """The findings of one subject."""
        who = f"{result.kind} {result.name}".strip()
        for row in result.findings:
            parts = {"file": result.source, "line": row.line, "col": row.column, "title": row.rule}
            given = ",".join(f"{k}={_property(str(v))}" for k, v in parts.items() if v is not None)
            at = "".join(f"{part}: " for part in (who, row.field) if part)
            text = _data(plain(f"{at}{row.message}"))
            self.write(f"::{_COMMANDS[row.severity]} {given}::{text}\n")

    def end(self, summary: Summary) -> None:
        """The counts, for the log."""
        self.write(f"{summary.total} judged, {summary.denied} denied, {summary.warned} warned\n")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
