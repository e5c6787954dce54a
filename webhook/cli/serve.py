"""`serve`: the webhook server."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webhook.cli.failures import EXPECTED, OUR_FAULT
from webhook.cli.options import policy_options, settings_of

if TYPE_CHECKING:
    from webhook.server.process import Process
    from webhook.settings import Settings


@click.command(short_help="Serve /validate over HTTPS.")
@click.option("--bind-address", help="Address of the HTTPS listener. [default: 0.0.0.0]")
@click.option("--port", type=int, help="Port of the HTTPS listener. [default: 9443]")
@click.option(
    "--cert-dir",
    type=click.Path(path_type=Path),
    help="Folder with tls.crt and tls.key; an empty one gets a development certificate.",
)
@click.option(
    "--client-ca",
    type=click.Path(path_type=Path),
    help="CA whose client certificates are asked for.",
)
@click.option(
    "--metrics-bind-address",
    metavar="HOST:PORT",
    help="Where /metrics is; 0 for nowhere. [default: :8080]",
)
@click.option(
    "--health-probe-bind-address",
    metavar="HOST:PORT",
    help="Where /healthz and /readyz are; 0 for nowhere. [default: :8081]",
)
@click.option("--workers", type=int, help="Server processes that share the port. [default: 1]")
@click.option(
    "--shutdown-delay", type=float, help="Seconds of serving on after SIGTERM. [default: 5]"
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="Least level that is logged. [default: info]",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Record reviews in this folder, for `replay`.",
)
@click.option(
    "--record-mask/--no-record-mask",
    default=None,
    help="Mask addresses, env values and strangers' annotations in recordings.",
)
@click.option(
    "--cross-check",
    type=click.Choice(["off", "memory", "live"]),
    help="Compare copies of Nodes with what is known of them. [default: live, where Nodes can be read]",
)
@click.option("--say-how", is_flag=True, help="Say on stderr how to try it, once it serves.")
@policy_options
def serve(config: Path | None, say_how: bool, **flags: Any) -> int:
    """Serve the webhook until SIGTERM.

    Every flag can also stand in the file of --config, or in the environment as
    SKYHOOK_WEBHOOK_PORT and so on; flags win over the environment, that over the file.
    """
    gc.disable()  # until all is loaded, and frozen
    try:
        settings = settings_of(config, flags)
        source = None if config is None else _Again(config, flags)
        return run(settings, source, say_how=say_how)
    finally:
        gc.enable()


@dataclass(frozen=True, slots=True)
class _Again:
    """Reads the same settings again."""

    file: Path
    flags: dict[str, Any]

    def load(self) -> Settings:
        """Raises ValueError, saying why."""
        try:
            return settings_of(self.file, self.flags)
        except EXPECTED as error:
            raise ValueError(str(error)) from None


def run(settings: Settings, source: _Again | None = None, *, say_how: bool = False) -> int:
    """Runs a server; returns its exit code."""
    from webhook.building import assumptions, engine_of, seen
    from webhook.certs.bundle import CertError
    from webhook.cli.failures import CallerError
    from webhook.cli.running import released
    from webhook.metrics import Metrics
    from webhook.server.log import Log, attach
    from webhook.server.process import process_of
    from webhook.server.reload import Source
    from webhook.server.state import State

    shown = released(settings, settings.kubeconfig, None)
    engine = engine_of(seen(settings, shown.release), lambda: datetime.now(UTC))
    kinds = frozenset(kind for _, kind in engine.catalog.guards)
    log = Log(settings.log_level)
    attach(log)
    if shown.where:
        log("info", "operator_version auto", release=shown.release or "", where=shown.where)
    for line in assumptions(seen(settings, shown.release), engine.catalog):
        log("info", line)
    again = None if source is None else Source(source.file, source.load)
    state = State(engine, settings, Metrics(kinds), log, source=again)
    state.operator_release = shown.release
    server = process_of(state)
    try:
        lived = asyncio.run(server.run(_say_how if say_how else None))
    except (CertError, OSError, ValueError) as error:
        raise CallerError(str(error)) from None
    return 0 if lived else OUR_FAULT


def _say_how(server: Process) -> None:
    folder = server.state.settings.cert_dir
    click.echo(
        f"""
Serving on https://127.0.0.1:{server.port} with the certificate in {folder}. Try it in another terminal:

  curl --cacert {folder}/ca.crt -H 'Content-Type: application/json' \\
    --data-binary @examples/review.json https://127.0.0.1:{server.port}/validate

  curl http://127.0.0.1:{server.ports.get("health", 0)}/readyz
  curl http://127.0.0.1:{server.ports.get("metrics", 0)}/metrics

The same verdict without a server:

  skyhook-webhook validate examples/review.json

Ctrl-C ends it.
""",
        err=True,
    )
