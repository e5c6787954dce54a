"""`convert`: manifests in another version, with everything else as it was written."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from webhook.cli.roundtrip import losses
from webhook.cli.target import Target
from webhook.cli.texts import Text, converted
from webhook.documents import walk_inputs


@click.command(short_help="Write manifests in another version of their API.")
@click.argument("paths", nargs=-1, metavar="[PATH…|-]")
@click.option(
    "--to",
    "version",
    required=True,
    metavar="VERSION",
    help="v1alpha1 or v1beta1; with a group before it, only objects of that group.",
)
@click.option(
    "--window",
    default="open",
    show_default=True,
    metavar="open|closed|DATE",
    help="Whether old condition names are kept, or until when.",
)
@click.option(
    "--check", is_flag=True, help="Convert there and back, and print what is lost instead."
)
@click.option("-q", "--quiet", is_flag=True, help="No notices on stderr.")
def convert(paths: tuple[str, ...], version: str, window: str, check: bool, quiet: bool) -> int:
    """Write manifests in another version, as /convert would, without a cluster.

    PATH is a manifest (YAML or JSON, many documents, Lists), a folder, a file with one object a
    line (.jsonl), or - for stdin. YAML keeps its comments, order and quotes; JSON stays JSON.
    Documents of other kinds pass as they are. With --check, exit code 1 means a loss.

    \b
    skyhook-webhook convert --to v1beta1 skyhook.yaml
    kubectl get skyhooks -o yaml | skyhook-webhook convert --to v1beta1 --window closed -
    skyhook-webhook convert --to v1beta1 --check manifests/
    """  # noqa: D301 - click reads the \b, so it must be one
    if not paths:
        raise click.UsageError("give at least one PATH, or - for stdin")
    target = Target.of(version, window, datetime.now(UTC))
    found = lost = 0
    before: Text | None = None
    for source in walk_inputs(paths):
        for text in converted(source, target):
            found += sum(target.conversion_of(d.value) is not None for d in text.documents)
            lines = [line for d in text.documents for line in losses(d, target)]
            if text.anew and not quiet:
                click.echo(f"{source.name}: laid out anew, comments are lost", err=True)
            if check:
                lines += [f"{source.name}: layout and comments are lost"] * text.anew
                lost += len(lines)
                click.echo("".join(f"{line}\n" for line in lines), nl=False)
            else:
                click.echo(_separator(before, text) + text.text, nl=False)
                before = text
    if not quiet:
        counted = f"{found} object{'' if found == 1 else 's'} "
        click.echo(counted + (f"checked, {lost} losses" if check else "converted"), err=True)
    return 1 if lost else 0


def _separator(before: Text | None, text: Text) -> str:
    """What stands between two texts so that kubectl reads both: JSON needs nothing."""
    if before is None or (before.is_json and text.is_json) or text.text.startswith("---"):
        return ""
    return "---\n"
