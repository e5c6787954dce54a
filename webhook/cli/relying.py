"""`explain --stale` and `explain --locked`: may one rely on what an object says, and by whose word?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from webhook.building import profile_of
from webhook.catalog import shipped_names
from webhook.checks.standing import standings
from webhook.core.plain import plain
from webhook.core.view import View
from webhook.documents import Form, walk_inputs
from webhook.lifecycle.compile import ProfileError
from webhook.lifecycle.stamps import Trust, stamps
from webhook.profile_files import profile_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from webhook.lifecycle.model import Guard

NOT_TO_RELY_ON = 1


def explain_stale(paths: Iterable[str], profiles: Sequence[str] = ()) -> int:
    """Says of each stamp whether it speaks of the spec as it is.

    Returns 0 when all do, else 1. Raises DocumentError, ProfileError, CallerError.
    """
    code = 0
    known = _guards(profiles)
    for value in _objects(paths):
        found = stamps(View.of(value), _fitting(known, value))
        _print(
            value, [s.sentence() for s in found] or ["no stamps: nothing says what it speaks of"]
        )
        if any(s.trust is not Trust.FRESH for s in found):
            code = NOT_TO_RELY_ON
    return code


def explain_locked(paths: Iterable[str], profiles: Sequence[str] = ()) -> int:
    """Says of each object whether its lock is held, by whose word, and what that comes to.

    Returns 0. Raises DocumentError, ProfileError, CallerError.
    """
    known = _guards(profiles)
    for value in _objects(paths):
        found = standings(View.of(value), _fitting(known, value))
        lines = [s.sentence() for s in found] or ["no profile here knows a lock for this kind"]
        _print(value, lines)
    return 0


def _objects(paths: Iterable[str]) -> Iterator[dict[str, Any]]:
    for source in walk_inputs(list(paths)):
        if source.form is Form.LINES:
            raise click.UsageError(f"{source.name}: give objects, not recorded reviews")
        for document in source.documents():
            if isinstance(document.value, dict):
                yield document.value


def _guards(profiles: Sequence[str]) -> list[Guard]:
    """All that come with us, after those that were named."""
    found: list[Guard] = []
    given = profile_names(profiles)
    for name in [*given, *shipped_names()]:
        try:
            found += profile_of(name).guards
        except ProfileError:
            if name in given:
                raise
    return found


def _fitting(guards: Iterable[Guard], value: dict[str, Any]) -> list[Guard]:
    group, _, version = str(value.get("apiVersion", "")).rpartition("/")
    kind = value.get("kind")
    matches = ((g, g.match) for g in guards)
    return [g for g, m in matches if m.group == group and m.kind == kind and version in m.versions]


def _print(value: dict[str, Any], lines: list[str]) -> None:
    metadata = value.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    names = [str(named[key]) for key in ("namespace", "name") if named.get(key)]
    click.echo(plain(f"{value.get('kind', 'object')} {'/'.join(names)}".strip()))
    for line in lines:
        click.echo(plain(f"  {line}"))
