"""`migrate`: manifests of the old API group under the new one, and a list of what needs a person."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import click

from webhook.cli.failures import CallerError
from webhook.core.plain import plain
from webhook.documents import read_documents
from webhook.migrating.leftovers import WAYS, Leftover, Subject, leftovers
from webhook.migrating.renaming import Renamed, renamed
from webhook.migrating.sources import is_manifest, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.documents import Document

_STDIN = "<stdin>"
_OBJECT = re.compile(rb"apiVersion[\"']?\s*:\s*[\"']?skyhook\.nvidia\.com/")
"""An object of the old group in a text that cannot be read."""


@dataclass(slots=True)
class _Tally:
    """What came of all texts."""

    objects: int = 0
    files: int = 0
    undone: int = 0
    left: list[tuple[str, Leftover]] = field(default_factory=list)


@click.command(short_help="Rename manifests from Skyhook to NodeWright.")
@click.argument("paths", nargs=-1, metavar="PATH…|-")
@click.option("--in-place", is_flag=True, help="Write the files themselves; print what changed.")
@click.option(
    "--check", is_flag=True, help="Only print what would change; exit 1 if anything would."
)
@click.option("-q", "--quiet", is_flag=True, help="No list of what needs a person, no counts.")
def migrate(paths: tuple[str, ...], in_place: bool, check: bool, quiet: bool) -> int:
    """Rename manifests from skyhook.nvidia.com to nodewright.nvidia.com.

    apiVersion and kind change, and nothing else: comments, order, quotes and line ends stay, byte for
    byte. PATH is a file, a folder (every text in it is looked at, YAML and JSON are renamed), or - for
    stdin. What else names the old group is listed with file and line: selectors, annotations, RBAC,
    metrics, kubectl lines, templates. Exit code 1: --check would change something, or an object or a
    template could not be renamed.

    \b
    skyhook-webhook migrate --check manifests/
    skyhook-webhook migrate --in-place manifests/
    kubectl get skyhooks -o yaml | skyhook-webhook migrate -
    """  # noqa: D301 - click reads the \b, so it must be one
    if not paths:
        raise click.UsageError("give at least one PATH, or - for stdin")
    if in_place and (check or "-" in paths):
        raise click.UsageError("--in-place goes with files, and not with --check")
    tally, printed = _Tally(), False
    try:
        for name, data in texts(paths, sys.stdin.buffer):
            manifest = name == _STDIN or is_manifest(name) or not Path(name).suffix
            one = renamed(data, name) if manifest else Renamed(data.decode(errors="replace"))
            tally.objects += one.objects
            tally.files += bool(one.changes)
            _note(name, data, one, tally, manifest=manifest)
            if in_place or check:
                click.echo("".join(_told(name, one)), nl=False)
            elif manifest and one.unreadable is None:
                click.echo(_between(one.text, printed=printed) + one.text, nl=False)
                printed = True
            if in_place and one.changes:
                _write(Path(name), one.text)
    except OSError as error:
        raise CallerError(f"{error.filename}: {error.strerror or error}") from None
    if not quiet:
        _tell(tally, check=check)
    return 1 if tally.undone or (check and tally.objects) else 0


def _note(name: str, data: bytes, one: Renamed, tally: _Tally, *, manifest: bool) -> None:
    """Takes down what is left to a person in one text, and says what could not be done."""
    documents: tuple[Document, ...] = ()
    if manifest and one.unreadable is None:
        documents = tuple(read_documents(one.text.encode(), name))
    elif one.unreadable is not None and _OBJECT.search(data):
        line, why = one.unreadable
        tally.undone += 1
        about = "no YAML (a template?)" if b"{{" in data else "not readable"
        click.echo(plain(f"{name}:{line}: {about}, left as it is: {why}"), err=True)
    for line in one.stuck:
        tally.undone += 1
        reason = "apiVersion or kind cannot be cut out of the text (an alias?), left as it is"
        click.echo(plain(f"{name}:{line}: {reason}"), err=True)
    text = one.text if one.unreadable is None else data.decode(errors="replace")
    tally.left += [(name, left) for left in leftovers(text, documents)]


def _told(name: str, one: Renamed) -> Iterator[str]:
    for change in one.changes:
        yield plain(f"{name}:{change.line}: {change.field}: {change.old} -> {change.new}") + "\n"


def _between(text: str, *, printed: bool) -> str:
    """What stands before a text so that kubectl reads all of them."""
    return "---\n" if printed and not text.lstrip("\ufeff").startswith("---") else ""


def _write(path: Path, text: str) -> None:
    """The file with another content and the same mode, as a whole or not at all."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(text.encode())
    try:
        os.chmod(file.name, path.stat().st_mode & 0o7777)
        os.replace(file.name, path.resolve())
    except OSError:
        Path(file.name).unlink(missing_ok=True)
        raise


def _tell(tally: _Tally, *, check: bool) -> None:
    for subject in Subject:
        places = [(name, left) for name, left in tally.left if left.subject is subject]
        if places:
            click.echo(f"\n{subject.value}: {WAYS[subject]}", err=True)
        for name, left in places:
            click.echo(plain(f"  {name}:{left.line}: {left.text}"), err=True)
    verb = "would be renamed" if check else "renamed"
    objects = f"{tally.objects} object{'' if tally.objects == 1 else 's'}"
    files = f"{tally.files} file{'' if tally.files == 1 else 's'}"
    click.echo(
        f"{objects} in {files} {verb}, {len(tally.left)} places need a person, {tally.undone} not done",
        err=True,
    )
