"""`manifests`: everything that an installation needs, rendered from catalog and settings."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from webhook.building import catalog_of
from webhook.cli.crd import crd
from webhook.cli.failures import CallerError
from webhook.cli.manifests_policy import policy
from webhook.documents import dump_yaml, load_yaml
from webhook.manifests import chart, kustomize
from webhook.manifests.address import reached_at
from webhook.manifests.options import NAME, NAMESPACE, SETTINGS_FILE, Object, Options, Tls
from webhook.manifests.overlays import OVERLAYS, with_overlays
from webhook.manifests.render import render, settings_of
from webhook.manifests.webhooks import ManifestError, configurations
from webhook.profile_files import texts_of
from webhook.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_SETTINGS: Final = {"mode": "enforce", "profiles": ["skyhook", "nodewright"]}
_SEPARATOR: Final = "---\n"
_TREES: Final = {"kustomize": kustomize.tree, "helm": chart.tree}


@click.group(invoke_without_command=True, short_help="Render what an installation needs.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", *_TREES]),
    default="yaml",
    show_default=True,
    help="One stream of objects, a kustomize base with overlays, or a Helm chart.",
)
@click.option(
    "--overlay",
    "overlays",
    multiple=True,
    type=click.Choice(list(OVERLAYS)),
    help="Lay this over it. Repeatable; yaml only, kustomize holds them all.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the files. [default: stdout, for yaml]",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file (YAML) to install with.",
)
@click.option(
    "-n", "--namespace", default=NAMESPACE, show_default=True, help="A namespace of our own."
)
@click.option("--image", help=f"The image to run. [default: {NAME}:VERSION]")
@click.option(
    "--replicas", type=click.IntRange(1), default=2, show_default=True, help="How many replicas."
)
@click.option(
    "--tls",
    type=click.Choice([tls.value for tls in Tls]),
    default=Tls.SELF_SIGNED.value,
    show_default=True,
    help="Where the certificate comes from; mounted: you fill the Secret skyhook-webhook-tls.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=9443,
    show_default=True,
    help="Of the HTTPS listener.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(1, 65535),
    default=8080,
    show_default=True,
    help="Of the metrics.",
)
@click.option(
    "--health-port",
    type=click.IntRange(1, 65535),
    default=8081,
    show_default=True,
    help="Of the probes.",
)
@click.option("--host-network", is_flag=True, help="For control planes that can't reach Pods.")
@click.option("--ipv6-only", is_flag=True, help="Listen on IPv6 addresses.")
@click.option("--fail-specs", is_flag=True, help="Refuse spec writes while no replica answers.")
@click.option(
    "--timeout-seconds",
    type=click.IntRange(1, 30),
    default=3,
    show_default=True,
    help="How long the API server waits for an answer.",
)
@click.option(
    "--priority-class", default="system-cluster-critical", show_default=True, help="Of the Pods."
)
@click.option(
    "--url",
    metavar="https://HOST:PORT",
    help="Only the webhook configurations, by this address: for an API server beside us.",
)
@click.option(
    "--ca-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --url: the CA of our certificate.",
)
@click.pass_context
def manifests(
    ctx: click.Context,
    /,
    form: str,
    overlays: tuple[str, ...],
    output: Path | None,
    url: str | None,
    ca_file: Path | None,
    **chosen: Any,
) -> int:
    """Render Namespace, RBAC, Deployment, webhook configurations and what they need.

    \b
    skyhook-webhook manifests --overlay audit-only | kubectl apply --server-side -f -
    skyhook-webhook manifests --format helm -o .
    skyhook-webhook manifests --url https://127.0.0.1:9443 --ca-file certs/dev/ca.crt
    skyhook-webhook manifests crd --from cluster --serve | kubectl replace -f -
    """  # noqa: D301 - click reads it
    if ctx.invoked_subcommand is not None:
        return 0
    options = _options(**chosen)
    try:
        if url is not None or ca_file is not None:
            _stream(_by_address(options, url, ca_file), output)
            return 0
        if form == "yaml":
            _stream(render(with_overlays(options, overlays)), output)
            return 0
        if output is None:
            raise click.UsageError(f"--format {form} makes many files; say --output FOLDER")
        if overlays:
            raise click.UsageError(f"--overlay goes with --format yaml, not {form}")
        _write(_TREES[form](options), output)
    except (ManifestError, SettingsError) as error:
        raise CallerError(str(error)) from None
    return 0


def _by_address(options: Options, url: str | None, ca_file: Path | None) -> list[Object]:
    if url is None or ca_file is None:
        raise click.UsageError("--url and --ca-file go together")
    try:
        ca = ca_file.read_bytes()
    except OSError as error:
        raise CallerError(f"{ca_file}: {error.strerror or error}") from None
    return reached_at(configurations(catalog_of(settings_of(options)), options), url, ca)


manifests.add_command(crd)
manifests.add_command(policy)


def _options(*, config: Path | None, image: str | None, tls: str, **chosen: Any) -> Options:
    settings: Any = DEFAULT_SETTINGS
    if config is not None:
        try:
            settings = load_yaml(config.read_bytes(), str(config)) or {}
        except OSError as error:
            raise CallerError(f"{config}: {error.strerror or error}") from None
        if not isinstance(settings, dict):
            raise CallerError(f"{config}: settings are a map")
    return Options(
        version=version(NAME),
        settings=settings,
        profile_files=_profile_files(settings),
        image=image or "",
        tls=Tls(tls),
        **chosen,
    )


def _profile_files(settings: Mapping[str, Any]) -> dict[str, str]:
    """Profiles of one's own go into the ConfigMap; what is no list of names is told by the settings."""
    names = settings.get("profiles")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return {}
    found = texts_of(names)
    if SETTINGS_FILE in found:
        raise CallerError(f"a profile cannot be called {SETTINGS_FILE}: so is the settings' file")
    return found


def _stream(found: list[Object], output: Path | None) -> None:
    text = _SEPARATOR.join(dump_yaml(obj) for obj in found)
    if output is None:
        click.echo(text, nl=False)
    else:
        _write({f"{NAME}.yaml": text}, output)


def _write(files: Mapping[str, str], folder: Path) -> None:
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CallerError(f"{folder}: {error.strerror or error}") from None
    click.echo(f"{len(files)} files in {folder}", err=True)
