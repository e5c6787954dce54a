"""All rules of one guard as a tree of paths: a review is walked once, and only where it changed.

The cost grows with the change, not with the object (design, section 5).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress, islice
from operator import ne
from typing import TYPE_CHECKING, Final

from webhook.core.finding import Severity, repeated, shape
from webhook.lifecycle.path import START, Lookup, Step, StepKind, parse
from webhook.lifecycle.swift import glance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from webhook.core.field import FieldPath
    from webhook.core.finding import Finding
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.run import Judge, Run
    from webhook.lifecycle.swift import Clean, Glance

MOST_FINDINGS: Final = 1000
"""So many findings of one rule and severity are kept; after so many that refuse the write for
certain the walk ends, since the verdict is clear."""

MANY: Final = 64
"""Members from which on it pays to compare two objects as a whole, member by member."""

Refuses = Callable[["Finding"], bool]
"""Whether a finding that asks for a denial gets it; a policy may turn it into less."""


class Branch:
    """One place in the tree.

    Attributes:
        judges: the rules that read this place.
        cleans: their short answers, None for a rule that has none.
        glance: the short answer of all rules here and below; None where there is none.
        keys: members by name.
        wild: stars and patterns, tried on every member.
        types: elements of a list, by type.
        wild_types: ``[*]`` and patterns, tried on every element.
        inside: the branch for the JSON document in this string.
        counted: a rule of the profile says what holds for a type that a list has twice.
        trail: how a walk from the root comes here; None where that depends on the object.
    """

    __slots__ = (
        "cleans", "counted", "glance", "inside", "judges", "keys", "trail", "types", "wild", "wild_types",
    )  # fmt: skip

    def __init__(self, trail: Trail | None = None) -> None:
        self.trail = trail
        self.cleans: list[Clean | None] = []
        self.glance: Glance | None = None
        self.judges: list[Judge] = []
        self.keys: dict[str, tuple[Step, Branch]] = {}
        self.wild: dict[str, tuple[Step, Branch]] = {}
        self.types: dict[str, tuple[Step, Branch]] = {}
        self.wild_types: dict[str, tuple[Step, Branch]] = {}
        self.inside: Branch | None = None
        self.counted = False

    def grow(self, step: Step) -> Branch:
        """The branch behind ``step``, made when it is not there yet."""
        if step.kind is StepKind.INSIDE:
            self.inside = self.inside or Branch(self.trail)
            return self.inside
        if step.kind in (StepKind.TYPE, StepKind.ANY_TYPE):
            twigs = self.wild_types if step.wild else self.types
        else:
            twigs = self.wild if step.wild else self.keys
        if step.name not in twigs:
            known = None if step.wild or self.trail is None else self.trail.step(step, step.name)
            twigs[step.name] = (step, Branch(known))
        return twigs[step.name][1]

    def seal(self) -> None:
        """Works out where a short answer is to be had, from the leaves up."""
        twigs = (self.keys, self.wild, self.types, self.wild_types)
        below = [twig for named in twigs for _, twig in named.values()]
        for branch in filter(None, (*below, self.inside)):
            branch.seal()
        self.glance = glance(self)

    def onward(self, kind: StepKind, key: str, trail: Trail) -> Iterator[tuple[Branch, Trail]]:
        """Every branch that a step of this kind through ``key`` leads to, named ones and wild ones."""
        listed = kind in (StepKind.TYPE, StepKind.ANY_TYPE)
        named = (self.types if listed else self.keys).get(key)
        wild = (self.wild_types if listed else self.wild).values()
        for step, twig in wild if named is None else (named, *wild):
            there = trail.step(step, key)
            if there is not None:
                yield twig, there


class Plan:
    """The compiled rules of one guard.

    Attributes:
        name: the profile's name, the prefix of rule ids.
        certain: whether the release is one whose writes were recorded; else only closed
            values deny, and edges and relations warn.
        rule: id of the rule that is being compiled.
    """

    def __init__(self, name: str, *, certain: bool = True) -> None:
        self.name = name
        self.rule = ""
        self.certain = certain
        self._root = Branch(START)
        self._shape = f"{name}.shape"

    def branch(self, path: str) -> Branch:
        """The branch of ``path``; the empty path is the whole object."""
        here = self._root
        for step in parse(path) if path else ():
            here = here.grow(step)
        return here

    def add(self, path: str, judge: Judge, clean: Clean | None = None) -> None:
        """Runs ``judge`` wherever ``path`` leads to something that a write changed.

        ``clean``: its short answer, where it has one.
        """
        branch = self.branch(path)
        branch.judges.append(judge)
        branch.cleans.append(clean)

    def sealed(self) -> Plan:
        """The plan with short answers wherever there are some, once all rules are in it."""
        self._root.seal()
        self._root.glance = None  # the whole is walked: its parts come apart, not decoded
        return self

    def judge(self, run: Run, refuses: Refuses = lambda _: True) -> list[Finding]:
        """Every finding of every rule about this write; old defects never deny.

        ``refuses`` says which denials the policy lets stand: only those may end the walk early.
        """
        walk = _Walk(self, run, refuses)
        if run.old is None or run.new is None or not run.old.like(run.new):
            walk.visit(self._root, run.old, run.new, START)
        return walk.found

    def defects(self, run: Run, path: str, trail: Trail) -> list[Finding]:
        """What the rules at and below a place say of the old object, whoever wrote it.

        That is every rule which reads the place, under whatever path, and the shape of what holds it.
        """
        place = Lookup(path)
        value = place(run.old, trail)
        if value is None:
            return list(self._misshapen(place, run.old, trail))
        walk = _Walk(self, run.settled(), full=True)
        for branch, there in self._branches(place, trail):
            walk.visit(branch, value, value, there)
        return walk.found

    def _branches(self, place: Lookup, trail: Trail) -> list[tuple[Branch, Trail]]:
        found = [(self._root, START)]
        keys = iter(trail.field.names())
        for step in place.steps:
            if step.kind is StepKind.INSIDE:
                found = [(branch.inside, there) for branch, there in found if branch.inside]
                continue
            key = next(keys)
            found = [on for branch, there in found for on in branch.onward(step.kind, key, there)]
        return found

    def _misshapen(self, place: Lookup, root: View | None, trail: Trail) -> Iterator[Finding]:
        """The nearest value above an absent place, where it could not have held it."""
        while place.steps:
            last, place = place.steps[-1], place.parent()
            holder = place(root, trail) if place.steps else root
            if holder is not None:
                listed = last.kind in (StepKind.TYPE, StepKind.ANY_TYPE)
                if (holder.items if listed else holder.fields) is None:
                    wanted = "a list" if listed else "an object"
                    yield shape(self._shape, place.field(trail), wanted)
                return

    @property
    def shape_rule(self) -> str:
        """Id of the rule for values of the wrong JSON type."""
        return self._shape


class _Walk:
    """One pass over two objects, old and new, side by side."""

    __slots__ = ("_counts", "_final", "found", "full", "plan", "refuses", "run")

    def __init__(
        self, plan: Plan, run: Run, refuses: Refuses = lambda _: True, *, full: bool = False
    ) -> None:
        self.plan = plan
        self.run = run
        self.refuses = refuses
        self.full = full
        self.found: list[Finding] = []
        self._counts: dict[tuple[str, Severity], int] = {}
        self._final = 0

    def visit(self, branch: Branch, old: View | None, new: View | None, trail: Trail) -> None:
        run = self.run
        if old is None and new is not None:
            glance = branch.glance
            if glance is not None and glance(run, new, trail.last):
                return
        for judge in branch.judges:
            found = judge(run, old, new, trail)
            if found:  # most have nothing to say
                self._ask(judge, found, old, new, trail)
        if self._final > MOST_FINDINGS:
            return
        if branch.keys or branch.wild:
            self._members(branch, old, new, trail)
        if branch.types or branch.wild_types:
            self._elements(branch, old, new, trail)
        if branch.inside is not None:
            self.visit(branch.inside, _document(old), _document(new), trail)

    def _ask(
        self,
        judge: Judge,
        found: Iterable[Finding],
        old: View | None,
        new: View | None,
        trail: Trail,
    ) -> None:
        """Keeps what a judge found; what it would have found before the write never denies."""
        before: dict[tuple[str, FieldPath], list[Finding]] | None = None
        for finding in found:
            kept = finding
            if finding.severity is Severity.DENY and self.run.old is not None and not self.full:
                if before is None:
                    before = {}  # by rule and place: a judge may find thousands
                    for defect in judge(self.run.settled(), old, old, trail):
                        before.setdefault((defect.rule, defect.field), []).append(defect)
                kept = ratchet(finding, before.get((finding.rule, finding.field), ()))
            self._keep(kept)

    def _keep(self, finding: Finding) -> None:
        kept = finding if self.plan.certain or finding.closed else _at_most_warn(finding)
        key = (kept.rule, kept.severity)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count <= MOST_FINDINGS:
            self.found.append(kept)
        if kept.severity is Severity.DENY and self.refuses(kept):
            self._final += 1

    def _wrong(self, old: View | None, new: View, trail: Trail, expected: str) -> None:
        finding = shape(self.plan.shape_rule, trail.field, expected)
        was_so = old is not None and (old.fields if expected == "an object" else old.items) is None
        self._keep(_at_most_warn(finding) if was_so else finding)

    def _members(self, branch: Branch, old: View | None, new: View | None, trail: Trail) -> None:
        if new is not None and new.fields is None:
            self._wrong(old, new, trail, "an object")
            return
        before = {} if old is None else old.members
        after = {} if new is None else new.members
        full = self.full
        for key, (step, twig) in branch.keys.items():
            was, now = before.get(key), after.get(key)
            changed = was is not now and was != now
            if changed or (full and now is not None):
                self._enter(twig, old, new, trail, step, key)
        if not branch.wild:
            return
        wild = tuple(branch.wild.values())
        for key in self._touched(before, after):
            for step, twig in wild:
                if key.startswith(step.start):
                    self._enter(twig, old, new, trail, step, key)

    def _touched(self, before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
        """The keys whose values are to be looked at, in the order of the objects."""
        if self.full:
            return [*after, *(key for key in before if key not in after)]
        if len(after) >= MANY and list(before) == list(
            after
        ):  # one by one takes five times as long
            return list(compress(after, map(ne, before.values(), after.values())))
        touched = [key for key, raw in after.items() if before.get(key) != raw]
        return touched + [key for key in before if key not in after]

    def _enter(
        self, twig: Branch, old: View | None, new: View | None, trail: Trail, step: Step, key: str
    ) -> None:
        onward = twig.trail or trail.step(step, key)
        if onward is None:
            return
        before = None if old is None else old.child(key)
        after = None if new is None else new.child(key)
        if before is not None or after is not None:
            self.visit(twig, before, after, onward)

    def _elements(self, branch: Branch, old: View | None, new: View | None, trail: Trail) -> None:
        if new is not None and new.elements is None:
            self._wrong(old, new, trail, "a list")
            return
        before = {} if old is None else old.kinds
        after = {} if new is None else new.kinds
        if new is not None and not branch.counted:
            self._repeated(branch, {} if old is None else old.repeated, new.repeated, trail)
        wild = tuple(branch.wild_types.values())
        for kind in self._touched(before, after):
            was = None if old is None else old.element(kind)
            now = None if new is None else new.element(kind)
            named = branch.types.get(kind)
            for step, twig in wild if named is None else (named, *wild):
                onward = twig.trail
                if onward is None and kind.startswith(step.start):
                    onward = trail.step(step, kind)
                if onward is not None:
                    self.visit(twig, was, now, onward)

    def _repeated(
        self, branch: Branch, before: dict[str, int], after: dict[str, int], trail: Trail
    ) -> None:
        """Rules and most readers look at the first of a type only, others at the last."""
        for kind, count in after.items():
            if self.full or count > before.get(kind, 1):
                for _, there in islice(branch.onward(StepKind.TYPE, kind, trail), 1):
                    finding = repeated(self.plan.shape_rule, there.field, kind, count)
                    self._keep(_at_most_warn(finding) if kind in before else finding)


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
