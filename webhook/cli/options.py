"""Options that several verbs share: settings file, modes, operator identities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from webhook import documents
from webhook.cli.failures import CallerError

if TYPE_CHECKING:
    from webhook.settings import Settings

_F = TypeVar("_F", bound=Callable[..., Any])
_MODES = click.Choice(["enforce", "warn", "audit", "off"])


def policy_options(function: _F) -> _F:
    """--config, --mode, --operator, --profile, --operator-version."""
    for option in (
        click.option("--operator-version", multiple=True, metavar="auto|VERSION|PROFILE=VERSION",
                     help="The operator's release: auto reads it from its Deployment. Repeatable."),
        click.option("--profile", "profiles", multiple=True, metavar="NAME|FILE|FOLDER",
                     help="Judge by these profiles only. Repeatable."),
        click.option("--operator", "operators", multiple=True, metavar="GLOB",
                     help="A further user name that is the operator. Repeatable."),
        click.option("--mode", type=_MODES, help="What becomes of a denial, in general."),
        click.option("--config", type=click.Path(path_type=Path, dir_okay=False),
                     help="Settings file (YAML)."),
    ):  # fmt: skip
        function = option(function)
    return function


def settings_of(config: Path | None, flags: dict[str, Any]) -> Settings:
    """Settings from file, environment and flags. Raises CallerError, DocumentError."""
    from webhook.settings import SettingsError, load_settings

    values = None
    if config is not None:
        try:
            values = documents.load_yaml(config.read_bytes(), str(config))
        except OSError as error:
            raise CallerError(f"{config}: {error.strerror or error}") from None
    try:
        return load_settings(_cleaned(flags), values)
    except SettingsError as error:
        where = f"{config}: " if config is not None else ""
        raise CallerError(f"{where}settings: {error}") from None


def _cleaned(flags: dict[str, Any]) -> dict[str, Any]:
    """Flags that were given; lists as lists, releases by profile."""
    given = {
        k: list(v) if isinstance(v, tuple) else v for k, v in flags.items() if v not in (None, ())
    }
    if "operator_version" in given:
        pairs = [text.rpartition("=") for text in given["operator_version"]]
        given["operator_version"] = {name or "*": release for name, _, release in pairs}
    return given
