"""`doctor`: what is wrong with a live installation, and `--fix` for what is safe."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from webhook.cli.failures import CallerError
from webhook.core.plain import plain
from webhook.manifests.options import NAME, NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webhook.doctor.diagnosis import Diagnosis, Fix
    from webhook.doctor.fetching import DoctorCluster
    from webhook.doctor.snapshot import Snapshot

ROUNDS: Final = 3
_COLOURS: Final = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command(short_help="Say what is wrong with a live installation.")
@click.option(
    "-n", "--namespace", default=NAMESPACE, show_default=True, help="Where we are installed."
)
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: KUBECONFIG, or the Pod's own.",
)
@click.option("--context", help="Context of the kubeconfig.")
@click.option(
    "--from",
    "dump",
    metavar="FILE|-",
    help="Look at a dump of objects (YAML, JSON, Lists) in place of a cluster.",
)
@click.option(
    "--fix", is_flag=True, help="Repair what is safe: fields of ours, and conversion switched off."
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the report.",
)
@click.option("-q", "--quiet", is_flag=True, help="No notes.")
def doctor(
    namespace: str,
    kubeconfig: Path | None,
    context: str | None,
    dump: str | None,
    fix: bool,
    output: str,
    quiet: bool,
) -> int:
    """Look at a live installation: certificates, caBundles, rules, CRDs, neighbours.

    Ends with 0 when nothing is wrong, with 1 when something is. Notes are worth knowing and no fault.
    """
    if dump is not None:
        if fix:
            raise click.UsageError("--fix needs a cluster, not a dump")
        diagnoses = _diagnoses(_dumped(dump, namespace))
    else:
        diagnoses = asyncio.run(_live(namespace, kubeconfig, context, fix=fix))
    shown = [one for one in diagnoses if not (quiet and one.level == "note")]
    click.echo(_json(shown) if output == "json" else _text(shown), nl=False)
    return int(any(one.level != "note" for one in diagnoses))


def _diagnoses(found: Snapshot) -> list[Diagnosis]:
    from webhook.doctor.checks import diagnose

    return diagnose(found)


def _dumped(source: str, namespace: str) -> Snapshot:
    from webhook.cli.dumps import objects
    from webhook.doctor.snapshot import Snapshot

    named = (obj for obj in objects(source) if obj["metadata"].get("name"))
    return Snapshot(tuple(named), namespace, datetime.now(UTC), version(NAME))


async def _live(
    namespace: str, kubeconfig: Path | None, context: str | None, *, fix: bool
) -> list[Diagnosis]:
    from webhook.certs.cluster import ClusterError
    from webhook.cli.dumps import reach
    from webhook.doctor.fetching import fetch

    async with reach(namespace, kubeconfig, context) as cluster:
        try:
            diagnoses = _diagnoses(await fetch(cluster, datetime.now(UTC), version(NAME)))
            # A repair may be the condition of another: an entry that was missing has no caBundle yet.
            for _ in range(ROUNDS if fix else 0):
                if not await _repaired(cluster, diagnoses):
                    break
                diagnoses = _diagnoses(await fetch(cluster, datetime.now(UTC), version(NAME)))
        except ClusterError as error:
            raise CallerError(str(error)) from None
        return diagnoses


async def _repaired(cluster: DoctorCluster, diagnoses: Sequence[Diagnosis]) -> int:
    """How many repairs were carried out."""
    from webhook.certs.cluster import ClusterError
    from webhook.doctor.fetching import repair

    done = 0
    for one, wanted in _repairs(diagnoses):
        try:
            await repair(cluster, wanted)
        except ClusterError as error:
            click.echo(f"not repaired: {one.about}: {error}", err=True)
        else:
            done += 1
            click.echo(f"repaired: {one.about}: {one.message}", err=True)
    return done


def _repairs(diagnoses: Sequence[Diagnosis]) -> list[tuple[Diagnosis, Fix]]:
    """Each repair once, with the first fault that wants it."""
    kept: list[tuple[Diagnosis, Fix]] = []
    for one in diagnoses:
        if one.fix is not None and all(one.fix != fix for _, fix in kept):
            kept.append((one, one.fix))
    return kept


def _text(diagnoses: Sequence[Diagnosis]) -> str:
    if not diagnoses:
        return "nothing is wrong\n"
    lines = []
    for one in diagnoses:
        level = click.style(one.level, fg=_COLOURS[one.level], bold=True)
        lines.append(f"{level}: {plain(f'{one.about}: {one.message}')} ({one.check})")
        if one.remedy:
            lines.append(f"    {one.remedy}")
    faults = sum(one.level != "note" for one in diagnoses)
    return "\n".join([*lines, f"{faults} found"]) + "\n"


def _json(diagnoses: Sequence[Diagnosis]) -> str:
    found = [
        {
            "check": one.check,
            "level": one.level.value,
            "about": one.about,
            "message": one.message,
            "remedy": one.remedy,
            "fixable": one.fix is not None,
        }
        for one in diagnoses
    ]
    return json.dumps({"diagnoses": found}, indent=2, ensure_ascii=False) + "\n"
