"""The forms by name, and the printer for each."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import click
import msgspec

from webhook.cli.forms.github import GithubPrinter
from webhook.cli.forms.junit import JunitPrinter
from webhook.cli.forms.sarif import SarifPrinter
from webhook.cli.results import (
    JsonlPrinter,
    JsonPrinter,
    Printer,
    Report,
    Result,
    Summary,
    TextPrinter,
)
from webhook.core.plain import plain
from webhook.documents import dump_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS: Final = ("text", "json", "jsonl", "yaml", "junit", "sarif", "github")
_COLOURS: Final = {"deny": "red", "warn": "yellow", "audit": "blue", "allowed": "green"}


class YamlPrinter:
    """The same document as `-o json`, as YAML."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._results: list[Result] = []

    def result(self, result: Result) -> None:
        """Keeps it for the end."""
        self._results.append(result)

    def end(self, summary: Summary) -> None:
        """Prints all."""
        self._write(dump_yaml(msgspec.to_builtins(Report(self._results, summary))))


def printer_for(form: str, *, verbose: bool, quiet: bool) -> Printer:
    """The printer that writes this form to stdout."""
    write = sys.stdout.write
    makers: dict[str, Callable[[], Printer]] = {
        "json": lambda: JsonPrinter(sys.stdout, []),
        "jsonl": lambda: JsonlPrinter(sys.stdout.buffer.write),
        "yaml": lambda: YamlPrinter(write),
        "junit": lambda: JunitPrinter(write),
        "sarif": lambda: SarifPrinter(write, version("skyhook-webhook")),
        "github": lambda: GithubPrinter(write),
        "text": lambda: TextPrinter(_echo(), verbose, quiet),
    }
    return makers[form]()


def _echo() -> Callable[[str, str], object]:
    colour = sys.stdout.isatty()

    def echo(text: str, severity: str) -> None:
        style = _COLOURS.get(severity)
        line = plain(text)
        click.echo(click.style(line, fg=style) if colour and style else line)

    return echo
