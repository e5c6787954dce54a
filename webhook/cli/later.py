"""Fields that came with a later release: what the schema at hand says of them, for the release that runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from webhook.core.release import parse_release

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.core.finding import Finding
    from webhook.lifecycle.compile import CompiledGuard

_UNKNOWN = ".unknown-field"


def by_release(findings: Iterable[Finding], guard: CompiledGuard) -> Iterator[Finding]:
    """The schema's findings, but not of fields that the release knows; of later ones it says since when."""
    fields = guard.profile.history.fields
    since = {tuple(path.split(".")): release for path, release in fields.items()}
    for finding in findings:
        brought = None
        if finding.rule.endswith(_UNKNOWN):
            names = finding.field.names()
            brought = next((since[path] for path in since if _leads_to(path, names)), None)
        if brought is None:
            yield finding
        elif parse_release(guard.release) < parse_release(brought):
            text = (
                f"no such field before operator {brought}: {guard.release} drops it, and kubectl refuses"
                " it as unknown; leave it away, or say by --operator-version what runs"
            )
            yield replace(finding, message=text)


def _leads_to(path: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return len(path) == len(names) and all(
        step in ("*", name) for step, name in zip(path, names, strict=True)
    )
