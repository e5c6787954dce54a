"""`certs`: make a development certificate, look at what is mounted, begin a rotation."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import click

from webhook.cli.failures import CallerError
from webhook.manifests.options import NAMESPACE

UNUSABLE = 1


@click.group(short_help="Make a development certificate, look at one, begin a rotation.")
def certs() -> None:
    """Make a development certificate, look at what a folder holds, or begin a rotation in a cluster."""


@certs.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("certs/dev"))
def generate(folder: Path) -> int:
    """Make tls.crt, tls.key and ca.crt for localhost in FOLDER, where it has none that can be served.

    What somebody else put there is left alone. The default FOLDER is certs/dev.
    """
    from webhook.certs.bundle import CertError
    from webhook.certs.development import ensure_development_certificate

    try:
        ensure_development_certificate(folder, now=datetime.now(UTC))
    except CertError as error:
        raise CallerError(str(error)) from None
    return _inspected(folder)


@certs.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def inspect(folder: Path) -> int:
    """Say whether the pair in FOLDER can be served, for which names and until when: exit 0, else 1."""
    return _inspected(folder)


@certs.command()
@click.option(
    "-n", "--namespace", default=NAMESPACE, show_default=True, help="Where we are installed."
)
@click.option(
    "--secret",
    default="skyhook-webhook-certs",
    show_default=True,
    help="Name of the shared Secret.",
)
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: KUBECONFIG, or the Pod's own.",
)
@click.option("--context", help="Context of the kubeconfig.")
def rotate(namespace: str, secret: str, kubeconfig: Path | None, context: str | None) -> int:
    """Begin a rotation of the CA in the shared Secret now: a new CA is put beside the one in use.

    The running replicas carry it through: every caBundle holds both, then the new one signs, then
    the old one goes. A rotation that is under way already is left alone.
    """
    phase = asyncio.run(_rotated(namespace, secret, kubeconfig, context))
    click.echo(f"Secret {namespace}/{secret}: {phase}")
    return 0


async def _rotated(
    namespace: str, secret: str, kubeconfig: Path | None, context: str | None
) -> str:
    from webhook.certs.apiclient import ApiCluster
    from webhook.certs.bundle import CertError
    from webhook.certs.cluster import ClusterError
    from webhook.certs.shared import rotation
    from webhook.cli.dumps import way_to

    try:
        way = way_to(kubeconfig)
        cluster = await ApiCluster.connect(namespace=namespace, kubeconfig=way, context=context)
        try:
            return await rotation(cluster, secret)
        finally:
            await cluster.close()
    except (ClusterError, CertError) as error:
        raise CallerError(str(error)) from None


def _inspected(folder: Path) -> int:
    from webhook.certs.bundle import CertBundle, CertError

    try:
        bundle = CertBundle.load(
            (folder / "tls.crt").read_bytes(),
            (folder / "tls.key").read_bytes(),
            (folder / "ca.crt").read_bytes() if (folder / "ca.crt").exists() else b"",
            now=datetime.now(UTC),
        )
    except (OSError, CertError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        click.echo(f"{folder}: cannot be served: {reason}", err=True)
        return UNUSABLE
    click.echo(f"folder:       {folder}")
    click.echo(f"names:        {', '.join(bundle.names)}")
    click.echo(f"valid:        {bundle.not_before:%FT%TZ} to {bundle.not_after:%FT%TZ}")
    click.echo(f"fingerprint:  {bundle.fingerprint}")
    return 0
