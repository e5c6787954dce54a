"""`certs`: make a development certificate, look at what is mounted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from webhook.cli.failures import CallerError

UNUSABLE = 1


@click.group(short_help="Make a development certificate, or look at one.")
def certs() -> None:
    """Make a development certificate, or look at what a folder holds."""


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
