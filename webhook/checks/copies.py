"""Skyhook.status is a copy of what Nodes say: a changed copy is compared with the Node (I45, I46).

Asked only where Nodes are known; what is not known never denies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.checks.parameters import known, word, words
from webhook.core.finding import Severity
from webhook.core.view import same
from webhook.core.writer import Writer
from webhook.lifecycle.rule import Mark, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_COPIED: Final = ("stage", "state", "image", "containerSHA")
_MOST_TOLD: Final = 6
"""So many of the values that a Node lately had are told, the newest ones."""
_MIXED: Final = "a stale write mixes two copies"
_UNSET: Final = ("waiting", "unknown")
"""What a Node without the status annotation shows up as in the copy."""


def _severity(run: Run) -> Severity:
    return Severity.DENY if run.writer is Writer.PERSON else Severity.WARN


def _no_node(name: str) -> str:
    return f"there is no Node {show(name)}; only Nodes that the selector matches have an entry"


def _annotation(parameters: Mapping[str, Any], run: Run) -> str:
    name = run.new.text("metadata", "name") if run.new is not None else None
    return f"{parameters['annotation']}{name or ''}"


def node_state_copy(parameters: Mapping[str, Any]) -> CheckJudge:
    """Each field of a changed package entry is one that the Node's own entry has or lately had.

    Field by field, since a merge patch from a stale base may mix two real copies (12 of 23,586
    recorded writes): that is odd, and no lie.

    Parameters: ``annotation``: its name up to the Skyhook's.
    """
    known(parameters, "annotation")
    word(parameters, "annotation")

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None:
            return
        node, key = trail.stars[0], trail.last
        if run.evidence.absent(node):
            yield Mark(trail.field, _no_node(node), _severity(run), rarely=True)
            return
        name = _annotation(parameters, run)
        held = [_entry(text, key) for text in run.evidence.held(node, name)]
        if not held:
            return
        severity, end = _severity(run), ", and this is its copy"
        if all(_had(f, new, old, held) for f in _COPIED):
            if _pair(new) in map(_pair, (old, *held)):
                return
            severity, end = Severity.WARN, f": never both words at once, as where {_MIXED}"
        text = f"is {_told(new)}, but Node {node} says {_all(held)} in {name}{end}"
        yield Mark(trail.field, text, severity, rarely=True)

    return judge


def _entry(text: View | None, key: str) -> View | None:
    document = text.inside if text is not None else None
    return document.child(key) if document is not None else None


def _had(field: str, new: View, old: View | None, held: list[View | None]) -> bool:
    value = new.child(field)
    if old is not None and same(old.child(field), value):
        return True
    return any(entry is not None and same(entry.child(field), value) for entry in held)


def _pair(entry: View | None) -> str:
    return "nothing" if entry is None else f"{entry.text('stage')}/{entry.text('state')}"


def _all(held: list[View | None]) -> str:
    return ", then ".join(list(dict.fromkeys(_told(entry) for entry in held))[-_MOST_TOLD:])


def _told(entry: View | None) -> str:
    return show(_pair(entry)).strip('"')


def node_status_copy(parameters: Mapping[str, Any]) -> CheckJudge:
    """A changed node status is what the Node's own annotation says or lately said.

    Parameters: ``annotation``: its name up to the Skyhook's; ``values``: the words there are. A word
    outside of them that goes is a repair, whatever follows.
    """
    known(parameters, "annotation", "values")
    word(parameters, "annotation")
    legal = frozenset(words(parameters, "values", ()))

    def judge(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None or same(old, new):
            return  # a copy that nobody changed may be out of date, and is no old defect
        node = trail.stars[0]
        if run.evidence.absent(node):
            yield Mark(trail.field, _no_node(node), _severity(run), rarely=True)
            return
        name = _annotation(parameters, run)
        values = [v.value if v is not None else None for v in run.evidence.held(node, name)]
        if not values or new.value in values or (None in values and new.value in _UNSET):
            return
        if legal and old is not None and not _among(old.value, legal):
            return
        said = ", then ".join(list(dict.fromkeys(show(v) for v in values))[-_MOST_TOLD:])
        text = f"is {show(new.value)}, but Node {node} says {said} in {name}, and this is its copy"
        yield Mark(trail.field, text, _severity(run), rarely=True)

    return judge


def _among(value: Any, legal: frozenset[str]) -> bool:
    return isinstance(value, str) and value in legal
