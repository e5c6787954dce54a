"""The reference of the command line, written from the code: `python -m tests.reference` prints it.

docs/command-line.md is its output; tests/test_docs.py says so where it is not.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from webhook.cli import group

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = "docs/command-line.md"
HEAD = """\
# The command line, verb by verb

Written from the code by `python -m tests.reference`. The README says which verb is for what.
"""


def commands(
    command: click.Command = group, name: str = "skyhook-webhook"
) -> Iterator[tuple[str, click.Command]]:
    """Every verb, with its own verbs: (words, click command)."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            if found is not None:
                yield from commands(found, f"{name} {verb}")


def options(command: click.Command) -> list[click.Option]:
    """The options of a verb that can be seen, but for help and version."""
    found = [o for o in command.params if isinstance(o, click.Option) and not o.hidden]
    return [o for o in found if not {"--help", "--version"} & set(o.opts)]


def reference() -> str:
    """The whole page."""
    return HEAD + "".join(
        _verb(name, command) for name, command in commands() if name != "skyhook-webhook"
    )


def _verb(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    text = f"\n## {name}\n\n`{name} {usage}`\n\n{_prose(command.help or '')}\n"
    rows = [_row(option) for option in options(command)]
    if rows:
        text += "\n| option | meaning |\n|---|---|\n" + "".join(rows)
    return text


def _prose(text: str) -> str:
    """Help as Markdown: what click keeps as it is becomes a block."""
    parts = []
    for part in cleandoc(text).split("\n\n"):
        kept = part.startswith("\b\n")
        parts.append(f"```sh\n{part[2:]}\n```" if kept else part)
    return "\n\n".join(parts)


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    kind = "" if option.is_flag or option.count else _kind(option)
    default = option.default
    plain = isinstance(default, str | int | float) and not isinstance(default, bool)
    told = f" Default: `{default}`." if option.show_default and plain else ""
    meaning = " ".join((option.help or "").split())
    return f"| {names}{kind} | {meaning}{told} |\n".replace("||", "\\|\\|")


def _kind(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return " `" + "\\|".join(map(str, option.type.choices)) + "`"
    plain = {
        "integer": "NUMBER",
        "integer range": "NUMBER",
        "float": "NUMBER",
        "path": "PATH",
        "file": "PATH",
    }
    name = option.metavar or plain.get(option.type.name, "TEXT")
    return " `" + name.replace("|", "\\|") + "`"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
