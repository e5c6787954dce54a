"""What the compilers of all families share: ids, gates by release and ``unless``, texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import Severity
from webhook.core.view import UNREADABLE
from webhook.core.writer import Writer
from webhook.lifecycle.atoms import compile_any

if TYPE_CHECKING:
    from webhook.core.field import FieldPath
    from webhook.core.finding import CauseType, Finding
    from webhook.core.view import View
    from webhook.lifecycle.atoms import Predicate
    from webhook.lifecycle.model import EdgeClass, Test
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.plan import Plan
    from webhook.lifecycle.run import Judge, Run

LONGEST_VALUE: Final = 80
"""A value in a message is cut after this many characters."""
_LOUD: Final = frozenset({Severity.DENY, Severity.WARN})
_READERS: Final = frozenset({Writer.PERSON, Writer.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Mark:
    """What a check in code says; the compiler stamps the rule's id and severity on it.

    Attributes:
        field: where.
        message: as Finding.message.
        severity: None for the rule's own.
        type: None for a forbidden value.
        closed: a value domain or shape, which holds for every release.
        rarely: as Finding.rarely.
    """

    field: FieldPath
    message: str
    severity: Severity | None = None
    type: CauseType | None = None
    closed: bool = False
    rarely: bool = False


CheckJudge = Callable[["Run", "View | None", "View | None", "Trail"], Iterable[Mark]]
CheckFactory = Callable[[Mapping[str, Any]], CheckJudge]
"""Makes a check from its parameters. Raises ValueError or KeyError for wrong ones."""
SiblingTest = Callable[["View | None", str], bool]
"""(the new container, the entry's key) -> whether what the edge needs is there."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a rule is compiled in.

    Attributes:
        plan: where compiled rules go.
        classes: the profile's edge classes.
        checks, predicates, siblings: rules in code, by name.
        release: the release of the guarded system that is configured or assumed.
        usually: the rule in hand holds as a rule only: it audits at most.
        hint: what a person should do instead of what the rule in hand denies.
    """

    plan: Plan
    classes: Mapping[str, EdgeClass]
    checks: Mapping[str, CheckFactory]
    predicates: Mapping[str, Predicate]
    siblings: Mapping[str, SiblingTest]
    release: str
    usually: bool = False
    hint: str = ""

    def rule_id(self, name: str) -> str:
        """The id that findings carry."""
        return f"{self.plan.name}.{name}"

    def guarded(self, judge: Judge, unless: list[list[Test]], *, late: bool = False) -> Judge:
        """``judge``, silent where one of the ``unless`` lists holds.

        ``late``: only findings are excused; for judges that remember nothing but their place.
        """
        if self.usually:
            judge = _audited(judge)
        if self.hint:
            judge = _hinted(judge, self.hint)
        if not unless:
            return judge
        excused = compile_any(unless, self.predicates)

        def judged(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterable[Finding]:
            return () if excused(run, trail) else judge(run, old, new, trail)

        def judged_first(
            run: Run, old: View | None, new: View | None, trail: Trail
        ) -> Iterable[Finding]:
            found = judge(run, old, new, trail)
            return () if found and excused(run, trail) else found

        return judged_first if late else judged


def _audited(judge: Judge) -> Judge:
    def judged(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterable[Finding]:
        for finding in judge(run, old, new, trail):
            yield finding.at(Severity.AUDIT) if finding.severity in _LOUD else finding

    return judged


def _hinted(judge: Judge, hint: str) -> Judge:
    """Denials end with what to do instead, for everybody but controllers."""

    def judged(run: Run, old: View | None, new: View | None, trail: Trail) -> Iterable[Finding]:
        for finding in judge(run, old, new, trail):
            read = finding.severity is Severity.DENY and run.writer in _READERS
            told = read and not finding.closed  # a closed set says itself what is legal
            yield replace(finding, message=f"{finding.message}; {hint}") if told else finding

    return judged


def show(value: Any) -> str:
    """A value for a message: one line, cut, without control characters."""
    if value is None:
        return "absent"
    if value is UNREADABLE:
        return "a value that cannot be read"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    clean = text
    if not text.isprintable():
        clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    if len(clean) > LONGEST_VALUE:
        clean = clean[: LONGEST_VALUE - 3] + "..."
    return f'"{clean}"' if isinstance(value, str) else clean


def listed(values: Iterable[object], most: int = 8) -> str:
    """Values for a message, comma-joined, the rest counted."""
    names = [str(v) for v in values]
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
