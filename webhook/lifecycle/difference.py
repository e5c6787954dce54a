"""What a change of a profile would newly deny, as far as the two documents tell.

Tables of tracks are compared step by step; of other rules only whether they are there, and how
severe they are: what a changed condition means, only recorded writes can show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict

from webhook.core.finding import Severity
from webhook.core.writer import Writer
from webhook.lifecycle.edges import edge_table
from webhook.lifecycle.model import ABSENT
from webhook.lifecycle.track import legal_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.lifecycle.edges import EdgeTable
    from webhook.lifecycle.model import Guard, Profile, Scalar, Track, _Rule

_WORDING: Final = frozenset({"why", "source", "message", "hint", "note", "notes", "noun"})
_GRADES: Final = frozenset({"severity", "down", "removal", "over", "format"})
_STEPS: Final = frozenset(
    {
        "values",
        "edges",
        "skips",
        "entry",
        "entry_skips",
        "terminal",
        "table",
        "removal",
        "otherwise",
    }
)
_RANK: Final = {Severity.ALLOW: 0, Severity.AUDIT: 1, Severity.WARN: 2, Severity.DENY: 3}


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is judged otherwise.

    Attributes:
        rule: id of the rule, without the profile's name.
        what: the steps from one value, a word, or the rule itself.
        before, after: what became of it, and what becomes of it; None where that is unknown.
    """

    rule: str
    what: str
    before: Severity | None
    after: Severity | None

    @property
    def harsher(self) -> bool:
        """Whether something is warned of or denied that was not before; unknown counts."""
        if self.before is None or self.after is None:
            return True
        return _RANK[self.after] > _RANK[self.before]

    @property
    def newly_denied(self) -> bool:
        """Whether something is denied that was not before."""
        return self.after is Severity.DENY and self.before is not Severity.DENY

    def sentence(self) -> str:
        """The change as one line."""
        if self.before is None or self.after is None:
            return f"{self.rule}: {self.what}: changed; only recorded writes show what that means"
        return f"{self.rule}: {self.what}: {self.before} -> {self.after}"


def differences(old: Profile, new: Profile) -> list[Change]:
    """Everything that ``new`` judges otherwise than ``old``, in the order of ``new``."""
    found: list[Change] = []
    before = {(g.match.group, g.match.kind): g for g in old.guards}
    for guard in new.guards:
        former = before.pop((guard.match.group, guard.match.kind), None)
        found += _guards(former, guard, old, new)
    for guard in before.values():
        found += [_gone(rule) for rule in guard.rules()]
    return found


def _guards(former: Guard | None, guard: Guard, old: Profile, new: Profile) -> Iterator[Change]:
    rules: dict[str, _Rule] = {r.id: r for r in former.rules()} if former is not None else {}
    for rule in guard.rules():
        was = rules.pop(rule.id, None)
        if was is None:
            yield Change(rule.id, "a new rule", Severity.ALLOW, _severity(rule))
        elif type(was) is not type(rule):
            yield Change(rule.id, "another kind of rule", None, None)
        elif was != rule:
            yield from _rule(was, rule, old, new)
    yield from (_gone(rule) for rule in rules.values())


def _gone(rule: _Rule) -> Change:
    return Change(rule.id, "the rule is gone", _severity(rule), Severity.ALLOW)


def _severity(rule: Any) -> Severity:
    """The most a rule can say."""
    if hasattr(rule, "severity"):
        return Severity(rule.severity)
    named = [getattr(rule, name, None) for name in ("down", "over", "format", "otherwise")]
    return max(
        (s for s in named if isinstance(s, Severity)), key=_RANK.__getitem__, default=Severity.DENY
    )


def _rule(was: Any, rule: Any, old: Profile, new: Profile) -> Iterator[Change]:
    if hasattr(rule, "values"):
        yield from _track(was, rule, old, new)
        return
    for name in sorted(_GRADES):
        before, after = getattr(was, name, None), getattr(rule, name, None)
        if isinstance(before, Severity) and isinstance(after, Severity) and before is not after:
            yield Change(rule.id, name, before, after)
    if _otherwise(was, rule, _GRADES):
        yield Change(rule.id, "its conditions", None, None)


def _otherwise(was: Any, rule: Any, told: frozenset[str]) -> bool:
    """Whether two rules differ in more than their words and what was told already."""
    silent = {*_WORDING, *told}
    before, after = (
        {name: value for name, value in asdict(one).items() if name not in silent}
        for one in (was, rule)
    )
    return before != after


def _track(was: Track, rule: Track, old: Profile, new: Profile) -> Iterator[Change]:
    before, after = (_Table(track, profile) for track, profile in ((was, old), (rule, new)))
    for word in before.values:
        if word not in after.values:
            yield Change(rule.id, f"the word {word}", Severity.ALLOW, Severity.DENY)
    for word in after.values:
        if word not in before.values:
            yield Change(rule.id, f"the word {word}", Severity.DENY, Severity.ALLOW)
    yield from _steps(rule.id, before, after)
    if _otherwise(was, rule, _STEPS):
        yield Change(rule.id, "its conditions", None, None)


def _steps(rule: str, before: _Table, after: _Table) -> Iterator[Change]:
    """The steps between words that both know, those from one word together."""
    common = [word for word in after.values if word in before.values]
    flat = before.track.table is after.track.table is None
    removals = (before.track.removal, after.track.removal)
    if flat and removals[0] is not removals[1]:
        yield Change(rule, "a value that is removed", *removals)
    for start in (*common, ABSENT):
        ends: dict[tuple[Severity, Severity], list[str]] = {}
        for end in common if flat else (*common, ABSENT):
            grades = (before.severity(start, end), after.severity(start, end))
            if start != end and grades[0] is not grades[1]:
                ends.setdefault(grades, []).append(str(end))
        for grades, words in ends.items():
            yield Change(rule, f"{start} -> {', '.join(words)}", *grades)


class _Table:
    """What becomes of each step of a track, for a writer that nobody knows."""

    def __init__(self, track: Track, profile: Profile) -> None:
        release = profile.releases.assumed if profile.releases else "0.0"
        self.track = track
        self.values = legal_values(track, release)
        self.table: EdgeTable | None = edge_table(track, self.values, profile.classes)

    def severity(self, start: Scalar, end: Scalar) -> Severity:
        if end == ABSENT and self.track.table is None:
            return self.track.removal
        if self.table is None:
            return Severity.ALLOW
        found = self.table.severity(start, end, Writer.UNKNOWN)
        return self.track.otherwise if found is None else found
