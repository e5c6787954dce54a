"""The results of `validate`, and the forms in which they are printed."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TextIO

import msgspec

from webhook.core.finding import Severity
from webhook.reviews.answer import text_of, warning_of
from webhook.schema import without_repeats

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.cli.subjects import Subject
    from webhook.core.field import FieldPath
    from webhook.core.finding import Finding
    from webhook.documents.position import Position
    from webhook.reviews.verdict import Verdict

_ENCODE: Final = msgspec.json.Encoder()


class FindingRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding, as data."""

    rule: str
    field: str
    severity: str
    message: str
    line: int | None = None
    column: int | None = None


class Result(msgspec.Struct, frozen=True):
    """One subject's verdict, as data."""

    source: str
    index: int
    uid: str
    kind: str
    name: str
    operation: str
    subresource: str
    allowed: bool
    warnings: list[str]
    findings: list[FindingRow]


class Summary(msgspec.Struct):
    """The counts at the end."""

    total: int = 0
    allowed: int = 0
    denied: int = 0
    warned: int = 0

    def add(self, result: Result) -> None:
        """Counts one result."""
        self.total += 1
        self.allowed += result.allowed
        self.denied += not result.allowed
        self.warned += any(row.severity == Severity.WARN for row in result.findings)


class Report(msgspec.Struct):
    """What `-o json` prints."""

    results: list[Result]
    summary: Summary


def result_of(subject: Subject, verdict: Verdict | None) -> Result:
    """Joins what is wrong with the text and what the engine found."""
    about_text = subject.findings
    denied = tuple(f for f in about_text if f.severity is Severity.DENY)
    warned = tuple(f for f in about_text if f.severity is not Severity.DENY)
    audited: tuple[Finding, ...] = ()
    if verdict is not None:
        denied = (*denied, *without_repeats(about_text, verdict.denied))
        warned = (*warned, *without_repeats(about_text, verdict.warned))
        audited = verdict.audited
    request, places = subject.request, _Places(subject)
    rows = [
        _row(f, effect, *places.of(f))
        for effect, found in (("deny", denied), ("warn", warned), ("audit", audited))
        for f in found
    ]
    return Result(
        source=subject.source,
        index=subject.index,
        uid=request.uid if request else "",
        kind=request.kind.kind if request else "",
        name=(request.name if request else "") or "",
        operation=request.operation if request else "",
        subresource=(request.sub_resource if request else "") or "",
        allowed=not denied,
        warnings=[warning_of(f) for f in warned],
        findings=rows,
    )


def _row(finding: Finding, effect: str, line: int | None, column: int | None) -> FindingRow:
    return FindingRow(finding.rule, str(finding.field), effect, text_of(finding), line, column)


class _Places:
    """Where the findings about one subject stand."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._own: dict[tuple[str, str], deque[Position]] = {}
        if subject.document is not None:
            for problem in subject.document.problems:
                key = (f"document.{problem.kind.value}", problem.message)
                self._own.setdefault(key, deque()).append(problem.position)

    def of(self, finding: Finding) -> tuple[int | None, int | None]:
        """Line and column: what is wrong with a text stands where it was met, the rest by its field."""
        document = self._subject.document
        if document is None:
            return self._subject.line, None
        own = self._own.get((finding.rule, finding.message))
        place = own.popleft() if own else document.position(_steps(document.value, finding.field))
        return place.line, place.column


def _steps(value: Any, field: FieldPath) -> tuple[str | int, ...]:
    """The field as keys and indexes of the document; elements named by type are looked up."""
    steps: list[str | int] = []
    here = value
    for name in field.names():
        step: str | int = name
        if isinstance(here, list):
            step = int(name) if name.isdigit() else _index_of(here, name)
            here = here[step] if isinstance(step, int) and 0 <= step < len(here) else None
        else:
            here = here.get(name) if isinstance(here, dict) else None
        steps.append(step)
        if here is None:
            break
    return tuple(steps)


def _index_of(items: list[Any], kind: str) -> int:
    return next(
        (n for n, item in enumerate(items) if isinstance(item, dict) and item.get("type") == kind),
        len(items),
    )


class Printer(Protocol):
    """Prints results as they come, and the end."""

    def result(self, result: Result) -> None:
        """One result."""

    def end(self, summary: Summary) -> None:
        """The counts."""


@dataclass(slots=True)
class JsonPrinter:
    """One JSON document."""

    out: TextIO
    results: list[Result]

    def result(self, result: Result) -> None:
        """Keeps it for the end."""
        self.results.append(result)

    def end(self, summary: Summary) -> None:
        """Prints all."""
        text = msgspec.json.format(_ENCODE.encode(Report(self.results, summary)), indent=2)
        self.out.write(text.decode() + "\n")


@dataclass(slots=True)
class JsonlPrinter:
    """One result a line, as it comes: for millions of reviews."""

    write: Callable[[bytes], object]

    def result(self, result: Result) -> None:
        """Prints it."""
        self.write(_ENCODE.encode(result) + b"\n")

    def end(self, summary: Summary) -> None:
        """The counts are for people; they go to stderr elsewhere."""


@dataclass(slots=True)
class TextPrinter:
    """A line for each finding, and the counts."""

    echo: Callable[[str, str], object]
    verbose: bool
    quiet: bool = False

    def result(self, result: Result) -> None:
        """Prints the findings, or that there are none."""
        who = f"{result.kind} {result.name}".strip()
        for row in result.findings:
            if row.severity == "audit" and not self.verbose:
                continue
            place = ":".join(str(p) for p in (result.source, row.line, row.column) if p is not None)
            at = "".join(f"{part}: " for part in (who, row.field) if part)
            self.echo(f"{place}: {row.severity}: {at}{row.message}", row.severity)
        shown = any(row.severity != "audit" for row in result.findings)
        one_of_many = result.uid and "/" not in result.uid  # a recorded review, not a manifest
        if not shown and not self.quiet and (self.verbose or not one_of_many):
            word = "deleted" if result.operation == "DELETE" else "allowed"
            self.echo(f"{result.source}: {word}: {who}", "allowed")

    def end(self, summary: Summary) -> None:
        """Prints the counts."""
        self.echo(
            f"{summary.total} judged: {summary.allowed} allowed, {summary.denied} denied,"
            f" {summary.warned} with warnings",
            "summary",
        )
