"""All rules of one guard as a tree of paths: a review is walked once, and only where it changed.

The cost grows with the change, not with the object (design, section 5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity, shape
from webhook.lifecycle.path import START, Lookup, Step, StepKind, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.core.finding import Finding
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.run import Judge, Run

MOST_FINDINGS: Final = 1000
"""A review that earns more findings than this is judged no further: the verdict is clear."""


class Branch:
    """One place in the tree.

    Attributes:
        judges: the rules that read this place.
        keys: members by name.
        wild: stars and patterns, tried on every member.
        types: elements of a list, by type.
        wild_types: ``[*]`` and patterns, tried on every element.
        inside: the branch for the JSON document in this string.
    """

    __slots__ = ("inside", "judges", "keys", "types", "wild", "wild_types")

    def __init__(self) -> None:
        self.judges: list[Judge] = []
        self.keys: dict[str, tuple[Step, Branch]] = {}
        self.wild: dict[str, tuple[Step, Branch]] = {}
        self.types: dict[str, tuple[Step, Branch]] = {}
        self.wild_types: dict[str, tuple[Step, Branch]] = {}
        self.inside: Branch | None = None

    def grow(self, step: Step) -> Branch:
        """The branch behind ``step``, made when it is not there yet."""
        if step.kind is StepKind.INSIDE:
            self.inside = self.inside or Branch()
            return self.inside
        if step.kind in (StepKind.TYPE, StepKind.ANY_TYPE):
            twigs = self.wild_types if step.wild else self.types
        else:
            twigs = self.wild if step.wild else self.keys
        return twigs.setdefault(step.name, (step, Branch()))[1]


class Plan:
    """The compiled rules of one guard.

    Attributes:
        name: the profile's name, the prefix of rule ids.
        certain: whether the release is one whose writes were recorded; else only closed
            values deny, and edges and relations warn.
    """

    def __init__(self, name: str, *, certain: bool = True) -> None:
        self.name = name
        self.certain = certain
        self._root = Branch()
        self._shape = f"{name}.shape"

    def branch(self, path: str) -> Branch:
        """The branch of ``path``; the empty path is the whole object."""
        here = self._root
        for step in parse(path) if path else ():
            here = here.grow(step)
        return here

    def add(self, path: str, judge: Judge) -> None:
        """Runs ``judge`` wherever ``path`` leads to something that a write changed."""
        self.branch(path).judges.append(judge)

    def judge(self, run: Run) -> list[Finding]:
        """Every finding of every rule about this write; old defects never deny."""
        found: list[Finding] = []
        if run.old is None or run.new is None or run.old.raw != run.new.raw:
            _Walk(self, run, found).visit(self._root, run.old, run.new, START)
        if not self.certain:
            found = [f if f.closed else _at_most_warn(f) for f in found]
        return found

    def defects(self, run: Run, path: str, trail: Trail) -> list[Finding]:
        """What the rules at and below ``path`` say of the old object, whoever wrote it."""
        found: list[Finding] = []
        value = Lookup(path)(run.old, trail)
        if value is not None:
            walk = _Walk(self, run.settled(), found, full=True)
            walk.visit(self.branch(path), value, value, trail)
        return found

    @property
    def shape_rule(self) -> str:
        """Id of the rule for values of the wrong JSON type."""
        return self._shape


class _Walk:
    """One pass over two objects, old and new, side by side."""

    __slots__ = ("found", "full", "plan", "run")

    def __init__(self, plan: Plan, run: Run, found: list[Finding], *, full: bool = False) -> None:
        self.plan = plan
        self.run = run
        self.found = found
        self.full = full

    def visit(self, branch: Branch, old: View | None, new: View | None, trail: Trail) -> None:
        for judge in branch.judges:
            self._ask(judge, old, new, trail)
        if len(self.found) > MOST_FINDINGS:
            return
        if branch.keys or branch.wild:
            self._members(branch, old, new, trail)
        if branch.types or branch.wild_types:
            self._elements(branch, old, new, trail)
        if branch.inside is not None:
            self.visit(branch.inside, _document(old), _document(new), trail)

    def _ask(self, judge: Judge, old: View | None, new: View | None, trail: Trail) -> None:
        before: list[Finding] | None = None
        for finding in judge(self.run, old, new, trail):
            kept = finding
            if finding.severity is Severity.DENY and self.run.old is not None and not self.full:
                if before is None:
                    before = list(judge(self.run.settled(), old, old, trail))
                kept = ratchet(finding, before)
            self.found.append(kept)

    def _wrong(self, old: View | None, new: View, trail: Trail, expected: str) -> None:
        finding = shape(self.plan.shape_rule, trail.field, expected)
        was_so = old is not None and (old.fields if expected == "an object" else old.items) is None
        self.found.append(_at_most_warn(finding) if was_so else finding)

    def _members(self, branch: Branch, old: View | None, new: View | None, trail: Trail) -> None:
        if new is not None and new.fields is None:
            self._wrong(old, new, trail, "an object")
            return
        before = {} if old is None else old.members
        after = {} if new is None else new.members
        for key, (step, twig) in branch.keys.items():
            if before.get(key) != after.get(key) or (self.full and key in after):
                self._enter(twig, old, new, trail, step, key)
        if not branch.wild:
            return
        wild = tuple(branch.wild.values())
        for key in (*after, *(k for k in before if k not in after)):
            if self.full or before.get(key) != after.get(key):
                for step, twig in wild:
                    self._enter(twig, old, new, trail, step, key)

    def _enter(
        self, twig: Branch, old: View | None, new: View | None, trail: Trail, step: Step, key: str
    ) -> None:
        onward = trail.step(step, key)
        if onward is None:
            return
        before = None if old is None else old.child(key)
        after = None if new is None else new.child(key)
        if before is not None or after is not None:
            self.visit(twig, before, after, onward)

    def _elements(self, branch: Branch, old: View | None, new: View | None, trail: Trail) -> None:
        if new is not None and new.items is None:
            self._wrong(old, new, trail, "a list")
            return
        before = {} if old is None else old.types
        after = {} if new is None else new.types
        wild = tuple(branch.wild_types.values())
        for kind in (*after, *(k for k in before if k not in after)):
            was, now = before.get(kind), after.get(kind)
            if was is not None and now is not None and was.raw == now.raw and not self.full:
                continue
            named = branch.types.get(kind)
            for step, twig in wild if named is None else (named, *wild):
                onward = trail.step(step, kind)
                if onward is not None:
                    self.visit(twig, was, now, onward)


def _document(text: View | None) -> View | None:
    """The JSON object in a string; what holds none is a matter for the rule on the string."""
    inside = None if text is None else text.inside
    return inside if inside is not None and inside.fields is not None else None


def ratchet(finding: Finding, before: Iterable[Finding]) -> Finding:
    """``finding``, or a warning in its place when the old object already had it."""
    for old in before:
        if old.rule == finding.rule and old.field == finding.field:
            return _at_most_warn(finding)
    return finding


def _at_most_warn(finding: Finding) -> Finding:
    return finding.at(Severity.WARN) if finding.severity is Severity.DENY else finding
