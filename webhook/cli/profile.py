"""`profile`: look at lifecycles as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webhook.building import profile_of
from webhook.catalog import profile_code
from webhook.cli.profile_making import COMMANDS
from webhook.lifecycle.compile import ProfileError, compile_profile
from webhook.profile_files import profile_names

if TYPE_CHECKING:
    from webhook.lifecycle.compile import CompiledGuard
    from webhook.lifecycle.model import Profile


@click.group(short_help="Check and make profiles: lifecycles as data.")
def profile() -> None:
    """Check and make profiles, the documents that say what is legal."""


for _command in COMMANDS:
    profile.add_command(_command)


@profile.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER…")
def check(files: tuple[str, ...]) -> int:
    """Check that profiles are whole: exit 0, or 2 with file, place and reason of each fault."""
    wrong = 0
    for name in profile_names(files):
        try:
            found = profile_of(name)
            guards = _compiled(name, found)
        except ProfileError as error:
            wrong += 1
            click.echo(str(error), err=True)
            continue
        rules = sum(len(guard.rules()) for guard in found.guards)
        kinds = ", ".join(f"{g.match.kind}" for g in guards)
        click.echo(f"{name}: profile {found.profile}: {rules} rules for {kinds}")
    return 2 if wrong else 0


def _compiled(name: str, found: Profile) -> list[CompiledGuard]:
    """The guards; what is wrong with them is said with the file, as everything else is."""
    try:
        return compile_profile(found, profile_code(found))
    except ProfileError as error:
        raise ProfileError(f"{name}: {error}") from None
