"""The command line: one verb a module, loaded when it is called.

stdout carries data only; everything else goes to stderr. Exit codes: 0 nothing denied, 1 something
would be denied, 2 usage or unreadable input, 3 our fault.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

_COLLECTING: Final = gc.isenabled()
gc.disable()  # nothing that is loaded is garbage, and to look for some takes a tenth of the start
os.environ.setdefault(
    "PYDANTIC_DISABLE_PLUGINS", "__all__"
)  # looking for them reads every distribution

import click  # noqa: E402

from webhook.cli.failures import EXPECTED, USAGE_ERROR, explain_fault  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERBS: Final = {
    "validate": "webhook.cli.validate:validate",
    "replay": "webhook.cli.replay:replay",
    "serve": "webhook.cli.serve:serve",
    "convert": "webhook.cli.convert:convert",
    "migrate": "webhook.cli.migrate:migrate",
    "explain": "webhook.cli.explain:explain",
    "profile": "webhook.cli.profile:profile",
    "manifests": "webhook.cli.manifests:manifests",
    "certs": "webhook.cli.certs:certs",
    "doctor": "webhook.cli.doctor:doctor",
}
INTERRUPTED: Final = 130


def _collect() -> None:
    """Lets garbage be looked for again, but never in what is there by now."""
    if _COLLECTING:
        gc.freeze()
        gc.enable()


_collect()


class _Verbs(click.Group):
    """Imports a verb's module only when it is asked for: `validate` never pays for aiohttp."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in their order."""
        del ctx
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb, or None."""
        del ctx
        place = _VERBS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        if module not in sys.modules:
            gc.disable()
            try:
                import_module(module)
            finally:
                _collect()
        command: click.Command = getattr(sys.modules[module], name)
        return command


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skyhook-webhook")
def group() -> None:
    """Keeps the lifecycle of Kubernetes custom resources honest.

    The same verdicts from a server (`serve`) and from files (`validate`).

    Exit codes: 0 nothing denied, 1 something would be denied, 2 usage or unreadable input,
    3 a fault of ours.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line; returns its exit code."""
    try:
        result: Any = group.main(
            args=None if argv is None else list(argv),
            prog_name="skyhook-webhook",
            standalone_mode=False,
        )
    except click.ClickException as error:
        error.show()
        return USAGE_ERROR
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except EXPECTED as error:
        click.echo(f"skyhook-webhook: {error}", err=True)
        return USAGE_ERROR
    except Exception as error:  # noqa: BLE001 - the outermost handler: a fault of ours
        return explain_fault(error)
    return result if isinstance(result, int) else 0
