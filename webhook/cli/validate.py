"""`validate`: the verdicts of the webhook, offline."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webhook.building import engine_of, looks, seen
from webhook.cli.cluster import ClusterNodes, Live, applied, live_objects
from webhook.cli.failures import CallerError
from webhook.cli.forms.choice import FORMS, printer_for
from webhook.cli.git import Asked, History
from webhook.cli.options import policy_options, settings_of
from webhook.cli.progress import counting
from webhook.cli.results import Printer, Summary, result_of
from webhook.cli.running import released, released_lines
from webhook.cli.stories import judge_of
from webhook.cli.subjects import Identity, Reader, Subject, Writing, identity_of
from webhook.core.evidence import GivenNodes
from webhook.core.view import View
from webhook.documents import DocumentError, Form, walk_inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from webhook.catalog import Catalog
    from webhook.cli.stories import Judge
    from webhook.cli.subjects import Former


@click.command(short_help="Judge files, folders, stdin or recorded reviews.")
@click.argument("paths", nargs=-1, metavar="[PATH…|-]")
@click.option("--old", metavar="PATH", help="The objects as they were: a file or folder.")
@click.option(
    "--git",
    "revisions",
    metavar="REV|REV..REV",
    help="Every manifest that changed since REV, against its former self. PATHs limit it.",
)
@click.option("--staged", is_flag=True, help="--git REV: what is staged, not the work tree.")
@click.option(
    "--each-commit", is_flag=True, help="--git REV..REV: each commit for itself, not both ends."
)
@click.option(
    "--cluster", is_flag=True, help="As applied over what the cluster holds. It is only read."
)
@click.option("--context", help="--cluster: context of the kubeconfig.")
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path, dir_okay=False),
    help="--cluster: default KUBECONFIG, or the Pod's own.",
)
@click.option(
    "--subresource",
    type=click.Choice(["status", "main"]),
    help="Judge the write to this endpoint only: what it resets is reset. Default: whatever differs.",
)
@click.option(
    "--operation",
    type=click.Choice(["CREATE", "UPDATE"]),
    help="Default: UPDATE where --old has the object.",
)
@click.option(
    "--user",
    default="",
    metavar="NAME",
    help="Who writes. Default: nobody known, so no rule about writers.",
)
@click.option(
    "--group", "groups", multiple=True, metavar="NAME", help="A group of that user. Repeatable."
)
@click.option(
    "--nodes", metavar="PATH", help="The Nodes there are, to compare copies in Skyhook.status with."
)
@click.option(
    "--remember",
    is_flag=True,
    help="Recorded reviews: compare copies with what earlier ones in the same file showed of Nodes.",
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    help="Form of the results.",
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Text: also say what is allowed and what is only audited."
)
@click.option(
    "--fail-on",
    type=click.Choice(["deny", "warn", "nothing"]),
    default="deny",
    show_default=True,
    help="What makes the exit code 1.",
)
@click.option(
    "--warn-exit-code", type=int, metavar="N", help="Exit code when there are warnings only."
)
@click.option(
    "--require-match", is_flag=True, help="Exit 2 when nothing to judge was found at all."
)
@click.option(
    "-q", "--quiet", is_flag=True, help="No progress, no notices, no word about what is allowed."
)
@policy_options
def validate(
    paths: tuple[str, ...],
    old: str | None,
    revisions: str | None,
    staged: bool,
    each_commit: bool,
    cluster: bool,
    context: str | None,
    kubeconfig: Path | None,
    subresource: str | None,
    operation: str | None,
    user: str,
    groups: tuple[str, ...],
    nodes: str | None,
    remember: bool,
    output: str,
    verbose: bool,
    quiet: bool,
    fail_on: str,
    warn_exit_code: int | None,
    require_match: bool,
    config: Path | None,
    **flags: Any,
) -> int:
    """Judge objects as the webhook would, without a cluster.

    PATH is a manifest (YAML or JSON, many documents, Lists), a folder, an AdmissionReview, a file
    with one AdmissionReview a line (.jsonl, .jsonl.gz), or - for stdin.

    \b
    skyhook-webhook validate skyhook.yaml
    skyhook-webhook validate --old before.yaml --subresource status after.yaml
    skyhook-webhook validate --git origin/main
    skyhook-webhook validate --cluster manifests/
    kubectl get skyhooks -o yaml | skyhook-webhook validate -
    skyhook-webhook validate -o jsonl reviews.jsonl.gz
    """  # noqa: D301 - click reads the \b, so it must be one
    settings = settings_of(config, flags)
    sides = _Sides(
        old, revisions, staged, each_commit, cluster, context, kubeconfig, looks(settings)
    )
    sides.check(paths)
    shown = released(settings, kubeconfig, context)
    settings = seen(settings, shown.release)
    live = ClusterNodes()
    evidence = GivenNodes(_nodes(nodes)) if nodes is not None else live if cluster else None
    if remember and nodes is not None:
        raise click.UsageError("--remember and --nodes are two sources of the same; take one")
    engine = engine_of(settings, lambda: datetime.now(UTC), evidence)
    if cluster:
        subresource = subresource or "main"  # where a manifest is applied
    printer = printer_for(output, verbose=verbose, quiet=quiet)
    with sides.former(engine.catalog) as former:
        live.live.extend([former] if isinstance(former, Live) else [])
        writing = Writing(user, groups, subresource, operation)
        reader = Reader(engine.catalog, writing, former, applied if cluster else None)
        history = History(reader, engine.catalog, subresource)
        if revisions is not None:
            subjects = history.subjects(Asked(revisions, paths, each_commit, staged))
        else:
            subjects = _subjects(paths, reader)
        judge = judge_of(engine, remember=remember)
        summary, unreadable = _judge_all(subjects, judge, printer, quiet=quiet)
    printer.end(summary)
    if not quiet:
        for line in history.notes.lines():
            click.echo(line, err=True)
        _notices(reader, summary, output)
        for line in released_lines(shown, settings, engine.catalog):
            click.echo(line, err=True)
    if require_match and not summary.total:
        return 2
    return _exit_code(summary, unreadable, fail_on, warn_exit_code)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Where old and new come from, as the flags say."""

    old: str | None
    revisions: str | None
    staged: bool
    each_commit: bool
    cluster: bool
    context: str | None
    kubeconfig: Path | None
    looks: bool

    def check(self, paths: tuple[str, ...]) -> None:
        """Raises UsageError for what makes no sense together."""
        if not paths and self.revisions is None:
            raise click.UsageError("give at least one PATH, or - for stdin, or --git REV")
        if self.revisions is None and (self.staged or self.each_commit):
            raise click.UsageError("--staged and --each-commit go with --git")
        if self.revisions is not None and (self.old is not None or "-" in paths):
            raise click.UsageError("--git takes both sides from git; leave --old and - away")
        if self.cluster and (self.old is not None or self.revisions is not None):
            raise click.UsageError("--cluster has the old side; leave --old and --git away")
        if not (self.cluster or self.looks) and (self.context or self.kubeconfig):
            raise click.UsageError(
                "--context and --kubeconfig go with --cluster, or --operator-version auto"
            )

    @contextmanager
    def former(self, catalog: Catalog) -> Iterator[Former | None]:
        """The objects as they were, for as long as they are asked for."""
        if self.cluster:
            with live_objects(catalog, self.kubeconfig, self.context) as live:
                yield live
        else:
            yield _former(self.old) if self.old is not None else None


def _exit_code(summary: Summary, unreadable: int, fail_on: str, warn_code: int | None) -> int:
    """1 where something is denied (or warned about, if asked), 2 where a text was unreadable."""
    failed = summary.denied - unreadable + (summary.warned if fail_on == "warn" else 0)
    if failed and fail_on != "nothing":
        return 1
    if unreadable:
        return 2
    return warn_code if summary.warned and warn_code is not None else 0


def _judge_all(
    subjects: Iterable[Subject], judge: Judge, printer: Printer, *, quiet: bool
) -> tuple[Summary, int]:
    """Judges everything; returns the counts, and how many texts could not be read."""
    summary, unreadable = Summary(), 0
    with counting("judged", quiet=quiet) as counter:
        for subject in counter.each(subjects):
            request = subject.request
            result = result_of(subject, None if request is None else judge(subject.source, request))
            unreadable += subject.request is None
            summary.add(result)
            printer.result(result)
    return summary, unreadable


def _subjects(paths: Sequence[str], reader: Reader) -> Iterator[Subject]:
    for source in walk_inputs(paths):
        yield from reader.subjects(source)


def _former(path: str) -> dict[Identity, Any]:
    return dict(_objects(path, "--old"))


def _nodes(path: str) -> dict[str, tuple[View, ...]]:
    """Nodes by name; several documents of one Node are its states, in order."""
    found: dict[str, tuple[View, ...]] = {}
    for who, value in _objects(path, "--nodes"):
        if who[:2] == ("", "Node"):
            found[who[3]] = (*found.get(who[3], ()), View.of(value))
    if not found:  # they would all count as absent
        raise CallerError(f"{path}: --nodes takes all Nodes there are, and this holds no Node")
    return found


def _objects(path: str, flag: str) -> Iterator[tuple[Identity, Any]]:
    """The objects that a flag names. Raises CallerError, DocumentError for what cannot be read."""
    for source in walk_inputs([path]):
        if source.form is Form.LINES:
            raise CallerError(f"{source.name}: {flag} takes manifests, not recorded reviews")
        for document in source.documents():
            for problem in document.errors:
                place = problem.position
                raise DocumentError(document.source, place.line, place.column, problem.message)
            identity = identity_of(document.value)
            if identity is not None:
                yield identity, document.value


def _notices(reader: Reader, summary: Summary, output: str) -> None:
    if reader.skipped.kinds:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(reader.skipped.kinds.items()))
        click.echo(f"skipped, as no profile guards them: {kinds}", err=True)
    if summary.total == 0:
        click.echo("nothing to judge was found", err=True)
    if output != "text":
        click.echo(
            f"{summary.total} judged: {summary.allowed} allowed, {summary.denied} denied,"
            f" {summary.warned} with warnings",
            err=True,
        )
