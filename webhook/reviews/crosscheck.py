"""What only another object can tell: copies against Nodes, a Node's record against its owner.

What is remembered of reviews, what has to be read, and when either is evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Final

from webhook.core.managed import annotation_changed, spec_changed
from webhook.core.view import View, view
from webhook.reviews.owners import FACTS, facts_of, owners_of, remember_owner

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime, timedelta

    import msgspec

    from webhook.catalog import Catalog
    from webhook.reviews.memory import Memory
    from webhook.reviews.owners import Owner
    from webhook.reviews.verdict import Verdict
    from webhook.reviews.wire import AdmissionRequest

_USES: Final = frozenset({"node_state_copy", "node_status_copy"})
_UNLIKE_ANY: Final = View.of("")
"""A value that no copy is a copy of, not even of an annotation that is absent."""
_WRITES: Final = frozenset({"CREATE", "UPDATE"})


@dataclass(frozen=True, slots=True)
class Copies:
    """Which annotations of Nodes are copied elsewhere, and whose they are, as the profiles say.

    Attributes:
        annotations: beginnings of their names; the copying object's name follows.
        rules: id of a rule that compares copies -> which step of its paths is the Node's name.
        owners: id of a rule that asks a Node's record's owner -> the owner's kind.
    """

    annotations: tuple[str, ...]
    rules: Mapping[str, int]
    owners: Mapping[str, Owner] = field(default_factory=dict)

    @classmethod
    def of(cls, catalog: Catalog) -> Copies:
        """Those of every profile in use."""
        names: dict[str, None] = {}
        rules: dict[str, int] = {}
        for profile in catalog.profiles:
            checks = (c for guard in profile.guards for c in guard.checks if c.use in _USES)
            for check in checks:
                names[str(check.parameters["annotation"])] = None
                rules[f"{profile.profile}.{check.id}"] = check.at[0].split(".").index("*")
        return cls(tuple(names), rules, dict(owners_of(catalog)))

    def remember(
        self, memory: Memory, request: AdmissionRequest, now: float, *, allowed: bool
    ) -> None:
        """Takes note of a Node's review: what it had, and what it may have from now on.

        What was there before a write is true of a dry run and of a refused write as well; what
        they ask for never comes to be.
        """
        kind = request.kind
        if request.operation not in _WRITES or not request.name:
            return
        old, new = request.objects()
        if not allowed or request.dry_run:
            new = None
        if (kind.group, kind.kind) == ("", "Node"):
            sides = [self._of(side) for side in (old, new) if side is not None]
            if sides:
                memory.saw(request.name, now, *sides[-1:] if sides[0] == sides[-1] else sides)
            return
        for owner in self.owners.values():
            if (owner.group, owner.kind) == (kind.group, kind.kind):
                remember_owner(memory, owner.key(request.name), now, old, new)

    def _of(self, node: View) -> dict[str, str]:
        """The annotations of a Node that are copied elsewhere."""
        annotations = node.at("metadata", "annotations")
        if annotations is None:
            return {}
        named = (name for name in annotations.members if name.startswith(self.annotations))
        return {name: text for name in named if (text := annotations.text(name)) is not None}

    def saw(self, memory: Memory, key: str, live: LiveNode, now: float) -> None:
        """Takes note of what was just read."""
        if live.node is not None:
            facts = {FACTS: facts_of(live.node)} if key.startswith("/") else self._of(live.node)
            memory.saw(key, now, facts)

    def missed(self, verdict: Verdict) -> tuple[str, ...]:
        """The Nodes that findings about copies are about, in order; any text may be a name here."""
        steps = ((self.rules.get(f.rule), f.field.names()) for f in verdict.findings)
        return tuple(dict.fromkeys(names[at] for at, names in steps if at is not None))

    def missed_owners(self, verdict: Verdict) -> tuple[str, ...]:
        """The paths of owners that findings about Nodes' records are about."""
        found: dict[str, None] = {}
        for finding in verdict.findings:
            owner = self.owners.get(finding.rule)
            if owner is not None:
                found[owner.key(finding.field.names()[2].removeprefix(owner.annotation))] = None
        return tuple(found)


@dataclass(frozen=True, slots=True)
class LiveNode:
    """A Node, or the owner of its record, as it was just read, or that there is none.

    Attributes:
        node: at least its metadata, with managedFields; None: there is no such object.
        read: when.
        lately: for how long a value that was overwritten still counts.
    """

    node: View | None
    read: datetime
    lately: timedelta

    @classmethod
    def of(cls, body: msgspec.Raw | None, read: datetime, lately: timedelta) -> LiveNode:
        """From an answer of the API server; None for a 404."""
        return cls(view(body), read, lately)

    def all_it_held(self, annotation: str) -> View | None:
        """The annotation's value, if it is the only one that it lately had; else None."""
        if self.node is None:
            return None
        value = self.node.at("metadata", "annotations", annotation)
        written = annotation_changed(self.node, annotation) if value is not None else None
        return value if self._settled(written) else None

    def facts(self) -> View | None:
        """What rules read of an owner, if its spec has been so for a while; else None."""
        if self.node is None or not self._settled(spec_changed(self.node)):
            return None
        return View.of(facts_of(self.node))

    def _settled(self, written: datetime | None) -> bool:
        return written is not None and self.read - written >= self.lately


@dataclass(frozen=True, slots=True)
class Recalled:
    """Evidence for one review, from memory and from Nodes just read (``core.evidence.Evidence``).

    A value that is not found among those that are known says something only where all of them
    are known; else there is no evidence at all.

    Attributes:
        memory: what reviews showed.
        now: the time, on the memory's clock.
        patience: after so many seconds of reviews memory holds all that counts: 0 where every
            write ever came by (a recording), infinity where other replicas get reviews too.
        suspicious: the first look, which finds out what has to be read: whatever is not
            remembered counts as a miss. Its verdict must never be given.
        live: Nodes that were just read.
    """

    memory: Memory
    now: float
    patience: float = 0.0
    suspicious: bool = False
    live: Mapping[str, LiveNode] = field(default_factory=dict)
    seen: dict[tuple[str, str], tuple[View | None, ...]] = field(default_factory=dict)
    """What was asked for before: each document is read once."""

    def knows(self, node: str) -> bool:
        """Whether anything is known of this Node."""
        return self.memory.knows(node) or node in self.live

    def absent(self, node: str) -> bool:
        """Whether there is no such Node, and no review spoke of one."""
        read = self.live.get(node)
        return read is not None and read.node is None and not self.memory.knows(node)

    def held(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """The values of the annotation; () where not all that count are known."""
        key = node, annotation
        if key not in self.seen:
            self.seen[key] = self._held(node, annotation)
        return self.seen[key]

    def lately(self, node: str, annotation: str) -> tuple[View | None, ...]:
        """What is remembered, be it all or not: enough to excuse a write, never to refuse one."""
        texts = self.memory.held(node, annotation, self.now)
        return tuple(None if text is None else View.of(text) for text in texts)

    def _held(self, key: str, annotation: str) -> tuple[View | None, ...]:
        texts = self.memory.held(key, annotation, self.now)
        known = tuple(None if text is None else View.of(text) for text in texts)
        if self.suspicious:
            return known or (_UNLIKE_ANY,)
        if known and self.patience < inf and self.memory.since(key) + self.patience <= self.now:
            return known
        read = self.live.get(key)
        if read is None:
            return ()
        value = read.facts() if annotation == FACTS else read.all_it_held(annotation)
        return () if value is None else (*known, value)

    def objects(self, path: str) -> tuple[View, ...]:
        """The owner's states as far as they are remembered; () where not all that count are known."""
        found = (v and v.inside for v in self.held(path, FACTS))
        return tuple(state for state in found if state is not None)

    def unknown(self) -> tuple[str, ...]:
        """The owners that were asked for at first sight and are not remembered."""
        asked = ((key, said) for (key, name), said in self.seen.items() if name == FACTS)
        return tuple(key for key, said in asked if said == (_UNLIKE_ANY,))

    def knew(self, nodes: Collection[str] | None = None) -> bool:
        """Whether there was evidence about everything that was asked, about these Nodes or any."""
        return all(said for (node, _), said in self.seen.items() if nodes is None or node in nodes)

    def every(self) -> tuple[View, ...] | None:
        """Not known."""
        return None
