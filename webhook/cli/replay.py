"""`replay`: what would the webhook have said to these recorded writes?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webhook.building import engine_of
from webhook.cli.options import policy_options, settings_of
from webhook.cli.progress import counting
from webhook.cli.replay_forms import FORMS, printer_of
from webhook.replaying.judging import Part, Wanted
from webhook.replaying.parallel import cores, judged
from webhook.replaying.recordings import Recordings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.cli.replay_forms import ReplayPrinter
    from webhook.replaying.summary import Summary
    from webhook.settings import Settings

MEGABYTE = 1_000_000


@click.command(short_help="Judge recorded writes: reviews and audit logs.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…|-")
@click.option(
    "-o",
    "--output",
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    help="Form of the results; html is one page that needs no network.",
)
@click.option(
    "--least",
    type=click.Choice(["deny", "warn", "audit"]),
    default="warn",
    show_default=True,
    help="Writes that are told one by one: those with at least such a finding.",
)
@click.option(
    "--most",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="Text: so many writes are told one by one.",
)
@click.option("--jobs", type=click.IntRange(1), help="Processes. Default: one a core.")
@click.option(
    "--remember",
    is_flag=True,
    help="Compare copies of Nodes with what earlier writes in the same file showed. In one process.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["deny", "warn", "nothing"]),
    default="deny",
    show_default=True,
    help="What makes the exit code 1.",
)
@click.option("--require-match", is_flag=True, help="Exit 2 when no write could be judged at all.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notices.")
@policy_options
def replay(
    paths: tuple[str, ...],
    output: str,
    least: str,
    most: int,
    jobs: int | None,
    remember: bool,
    fail_on: str,
    require_match: bool,
    quiet: bool,
    config: Path | None,
    **flags: Any,
) -> int:
    """Judge what was recorded as the webhook would, under this or a proposed policy.

    PATH is a file with one AdmissionReview a line, an audit log of kube-apiserver (level
    RequestResponse or Request), either of them also as .gz, a folder of such files, or -. Audit
    logs of several API servers are put in order; the object before a write is what the log showed
    last.

    \b
    skyhook-webhook replay /var/log/kubernetes/audit/
    skyhook-webhook replay --config proposed.yaml recordings/
    skyhook-webhook replay -o html audit.log > report.html
    """  # noqa: D301 - click reads it
    settings = settings_of(config, flags)
    recordings = Recordings(engine_of(settings))
    printer = printer_of(output, most)
    wanted = Wanted(
        changes=output in ("html", "json", "jsonl", "yaml"),
        steps=output == "html",
        remember=remember,
        least=least,
    )
    # What is remembered goes from one write to the next.
    run = _Run(recordings, settings, wanted, 1 if remember else jobs or cores())
    summary = run.print(paths, printer, quiet=quiet)
    if not quiet:
        for line in _notices(recordings, summary, output):
            click.echo(line, err=True)
    return _exit_code(summary, recordings, fail_on, require_match=require_match)


@dataclass(slots=True)
class _Run:
    recordings: Recordings
    settings: Settings
    wanted: Wanted
    jobs: int

    def print(self, paths: Iterable[str], printer: ReplayPrinter, *, quiet: bool) -> Summary:
        """Judges everything and prints it; returns the counts."""
        given, total = list(paths), Part()
        size = _plain_size(given)
        read = 0

        def tick(count: int) -> None:
            nonlocal read
            read += count

        self.recordings.tick = tick
        items = self.recordings.items(given)
        with counting("judged", quiet=quiet) as counter:
            for count, part in judged(items, self.settings, self.wanted, self.jobs):
                total.summary.merge(part.summary)
                total.unjudged.extend(part.unjudged[: max(0, 20 - len(total.unjudged))])
                printer.part(part)
                share = f" ({read / size:.0%})" if size else ""
                counter.add(count, f", {read // MEGABYTE:,} MB read{share}")
        printer.end(total)
        return total.summary


def _plain_size(paths: list[str]) -> int:
    """Bytes of all inputs; 0 where that is not known, as of packed files and of pipes."""
    total = 0
    for name in paths:
        path = Path(name)
        files = [f for f in path.rglob("*") if f.is_file()] if path.is_dir() else [path]
        for file in files:
            if not file.is_file() or file.name.endswith(".gz"):
                return 0
            total += file.stat().st_size
    return total


def _notices(recordings: Recordings, summary: Summary, output: str) -> Iterable[str]:
    for name in recordings.skipped:
        yield f"skipped: {name}: neither AdmissionReviews nor an audit log"
    for source, line, why in recordings.broken:
        yield f"not read: {source}{'' if line is None else f':{line}'}: {why}"
    if recordings.breaks > len(recordings.broken):
        yield f"and {recordings.breaks - len(recordings.broken)} more that could not be read"
    if not summary.writes and not summary.unjudged:
        yield "nothing to judge was found"
    if output != "text":
        yield (
            f"{summary.writes} judged: {summary.denied} would be denied,"
            f" {summary.warned} warned about, {sum(summary.unjudged.values())} not judged"
        )


def _exit_code(
    summary: Summary, recordings: Recordings, fail_on: str, *, require_match: bool
) -> int:
    if require_match and not summary.writes:
        return 2
    failed = summary.denied + (summary.warned if fail_on == "warn" else 0)
    if failed and fail_on != "nothing":
        return 1
    return 2 if recordings.breaks and not summary.writes else 0
