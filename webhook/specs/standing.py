"""Where packages stand on Nodes: by the status before the write, and by Nodes where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webhook.checks.versions import split_key
from webhook.lifecycle.rule import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.core.view import View
    from webhook.lifecycle.run import Run


@dataclass(frozen=True, slots=True)
class Standing:
    """One package on one Node.

    Attributes:
        node: the Node's name.
        package, version: of the entry's key.
        stage, state: its words; empty where they are no text.
    """

    node: str
    package: str
    version: str
    stage: str
    state: str


def nodes_with(run: Run, annotation: str, package: str | None = None) -> Iterator[Standing]:
    """Every entry there is, of one package or of all; one that both sources name comes twice."""
    root = run.old
    states = root.at("status", "nodeState") if root is not None else None
    for node in states.members if states is not None else ():
        yield from _entries(node, states.child(node) if states else None, package)
    holder = root if root is not None else run.new
    name = holder.text("metadata", "name") if holder is not None else None
    for there in run.evidence.every() or ():
        node = there.text("metadata", "name") or ""
        text = there.at("metadata", "annotations", f"{annotation}{name or ''}")
        yield from _entries(node, None if text is None else text.inside, package)


def _entries(node: str, state: View | None, package: str | None) -> Iterator[Standing]:
    for key in state.members if state is not None else ():
        parts = split_key(key)
        if state is None or parts is None or package not in (None, parts[0]):
            continue
        entry = state.child(key)
        stage = entry.text("stage") if entry is not None else None
        word = entry.text("state") if entry is not None else None
        yield Standing(node, *parts, stage or "", word or "")


def on_nodes(nodes: list[str]) -> str:
    """``2 Nodes (a, b)``."""
    names = sorted(set(nodes))
    return f"{len(names)} Node{'s' if len(names) > 1 else ''} ({listed(names, 3)})"
