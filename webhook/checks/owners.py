"""What only the object that a Node's record belongs to can tell: whether its packages may go (L13).

Asked only where that object is known; what is not known never denies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.checks.parameters import known, word
from webhook.checks.versions import split_key
from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.lifecycle.rule import Mark, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_UNINSTALL: Final = "uninstall"


def uninstall_asked(parameters: Mapping[str, Any]) -> CheckJudge:
    """A package begins its uninstall only where its Skyhook says that it may (SC:842).

    Silent where the spec has no such package, or another version of it, and while the Skyhook
    is being deleted.

    Parameters: ``kind`` of the object whose name is the annotation's captured part, and the
    ``collection`` that it is in, as a path of the API.
    """
    known(parameters, "collection", "kind")
    collection, kind = word(parameters, "collection"), word(parameters, "kind")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None or new.text("stage") != _UNINSTALL:
            return
        if old is not None and old.text("stage") == _UNINSTALL:
            return
        key, owner = split_key(trail.last), trail.names[0][1]
        states = () if key is None else run.evidence.objects(f"{collection}/{owner}")
        if key is None or not states or any(_may(state, *key) for state in states):
            return
        place = f"spec.packages[{key[0]}].uninstall.enabled"
        text = f"begins its uninstall, but {kind} {show(owner)} does not allow that: {place} is not true"
        severity = Severity.DENY if run.writer is Writer.PERSON else Severity.WARN
        yield Mark(trail.field, text, severity, rarely=True)

    return judge


def _may(owner: View, name: str, version: str) -> bool:
    if owner.at("metadata", "deletionTimestamp") is not None:
        return True
    package = owner.at("spec", "packages", name)
    if package is None or package.text("version") != version:
        return True
    enabled = package.at("uninstall", "enabled")
    return enabled is not None and enabled.value is True
