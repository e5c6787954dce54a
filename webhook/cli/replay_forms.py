"""The forms in which `replay` prints: those of `validate`, a text that sums up, and the page."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from webhook.cli.forms.choice import printer_for
from webhook.cli.replay_text import text_of_replay
from webhook.cli.results import FindingRow, Result
from webhook.cli.results import Summary as Counts
from webhook.core.plain import plain
from webhook.documents import dump_yaml
from webhook.reporting.page import page, summary_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.cli.results import Printer
    from webhook.replaying.judging import Part
    from webhook.replaying.occurrence import Occurrence
    from webhook.replaying.rollout import Step

FORMS: Final = ("text", "json", "jsonl", "yaml", "junit", "sarif", "github", "html")
_ENCODE: Final = msgspec.json.Encoder()


class ReplayPrinter(Protocol):
    """Prints what parts come to, and the end."""

    def part(self, part: Part) -> None:
        """The next part."""

    def end(self, total: Part) -> None:
        """The summary, and writes that could not be judged."""


@dataclass(slots=True)
class TextForm:
    """The counts, then the writes one by one."""

    write: Callable[[str], object]
    most: int
    denied: list[Occurrence] = field(default_factory=list)
    others: list[Occurrence] = field(default_factory=list)
    met: int = 0

    def part(self, part: Part) -> None:
        """Keeps the first of each sort: many warnings must not keep a late denial off the list."""
        self.met += len(part.occurrences)
        for one in part.occurrences:
            kept = self.denied if one.would_deny or not one.allowed else self.others
            if len(kept) < self.most:
                kept.append(one)

    def end(self, total: Part) -> None:
        """Prints all, denials before warnings."""
        kept = [*self.denied, *self.others][: self.most]
        told = text_of_replay(total, kept, self.met - len(kept))
        self.write("\n".join(map(plain, told)) + "\n")


@dataclass(slots=True)
class LinesForm:
    """One write a line, as it comes."""

    write: Callable[[bytes], object]

    def part(self, part: Part) -> None:
        """Prints its writes."""
        for one in part.occurrences:
            self.write(_ENCODE.encode(one) + b"\n")

    def end(self, total: Part) -> None:
        """The counts go to stderr elsewhere."""


@dataclass(slots=True)
class DocumentForm:
    """One document: the writes, the summary, and what could not be judged."""

    write: Callable[[str], object]
    yaml: bool
    kept: list[Occurrence] = field(default_factory=list)

    def part(self, part: Part) -> None:
        """Keeps its writes."""
        self.kept.extend(part.occurrences)

    def end(self, total: Part) -> None:
        """Prints all."""
        document = {
            "results": msgspec.to_builtins(self.kept),
            "summary": summary_document(total.summary, _MOST_BUCKETS),
            "notJudged": [_unjudged(one) for one in total.unjudged],
        }
        if self.yaml:
            self.write(dump_yaml(document))
        else:
            text = msgspec.json.format(_ENCODE.encode(document), indent=2)
            self.write(text.decode() + "\n")


@dataclass(slots=True)
class BorrowedForm:
    """A form of `validate`, given the writes with findings."""

    printer: Printer

    def part(self, part: Part) -> None:
        """Prints its writes."""
        for one in part.occurrences:
            self.printer.result(as_result(one))

    def end(self, total: Part) -> None:
        """Prints the counts."""
        found = total.summary
        allowed = found.writes - found.denied
        self.printer.end(Counts(found.writes, allowed, found.denied, found.warned))


@dataclass(slots=True)
class PageForm:
    """The HTML page; what is listed on it is bounded, what is counted is not."""

    write: Callable[[str], object]
    denied: list[Occurrence] = field(default_factory=list)
    others: list[Occurrence] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    left: int = 0

    def part(self, part: Part) -> None:
        """Keeps what fits, denials before all else."""
        for one in part.occurrences:
            kept = self.others if one.allowed and not one.would_deny else self.denied
            if len(kept) < _MOST_LISTED:
                kept.append(one)
            else:
                self.left += 1
        self.steps.extend(part.steps[: max(0, _MOST_STEPS - len(self.steps))])

    def end(self, total: Part) -> None:
        """Prints the page."""
        room = max(0, _MOST_LISTED - len(self.denied))
        listed = [*self.denied, *self.others[:room]]
        listed.sort(key=lambda one: one.time or 0)
        left = self.left + len(self.others[room:])
        self.write(page(total.summary, listed, self.steps, version("skyhook-webhook"), left))


_MOST_LISTED: Final = 20_000
_MOST_STEPS: Final = 500_000


def printer_of(form: str, most: int) -> ReplayPrinter:
    """The printer that writes this form to stdout."""
    write = sys.stdout.write
    makers: dict[str, Callable[[], ReplayPrinter]] = {
        "text": lambda: TextForm(write, most),
        "jsonl": lambda: LinesForm(sys.stdout.buffer.write),
        "json": lambda: DocumentForm(write, yaml=False),
        "yaml": lambda: DocumentForm(write, yaml=True),
        "html": lambda: PageForm(write),
    }
    if form in makers:
        return makers[form]()
    return BorrowedForm(printer_for(form, verbose=False, quiet=True))


def as_result(one: Occurrence) -> Result:
    """A write as `validate` prints it."""
    rows = [FindingRow(f.rule, f.field, f.severity, f.message, one.line) for f in one.findings]
    warnings = [f"{f.field}: {f.message}" for f in one.findings if f.severity == "warn"]
    return Result(
        one.source, one.line - 1, one.uid, one.kind, one.name, one.operation, one.subresource,
        one.allowed, warnings, rows,
    )  # fmt: skip


_MOST_BUCKETS: Final = 500


def _unjudged(one: Any) -> dict[str, Any]:
    return {
        "why": one.why.value, "source": one.source, "line": one.line, "time": one.time,
        "user": one.user, "what": one.what, "said": list(one.said),
    }  # fmt: skip
