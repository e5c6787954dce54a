"""A profile's own examples: writes, each with the verdict that its author expects.

    base: {metadata: {...}, spec: {...}, status: {...}}
    deny:
      - {id: back, new: {status.phase: Pending}, rule: phase.edge, why: the first phase only}
    odd: [...]       # goes through with a warning
    silent: [...]    # goes through without a word

``old`` lies over ``base``, ``new`` over both (``webhook.reviews.overlay``). ``create: true``
is a write without an old object; ``user`` writes it, through ``version``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import Severity
from webhook.core.view import View
from webhook.core.writer import UserGlobs
from webhook.reviews.overlay import overlaid
from webhook.reviews.policy import Policy
from webhook.reviews.verdict import judge
from webhook.reviews.wire import NULL, AdmissionRequest, GroupVersionKind, UserInfo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from webhook.catalog import Catalog
    from webhook.core.finding import Finding
    from webhook.lifecycle.model import Match

GROUPS: Final = {
    "deny": Severity.DENY,
    "illegal": Severity.DENY,
    "odd": Severity.WARN,
    "silent": Severity.ALLOW,
}
"""What the examples of a group expect, unless one says ``expect`` itself."""
_FIELDS: Final = frozenset(
    {"id", "old", "new", "create", "rule", "expect", "user", "version", "why"}
)
_AROUND: Final = frozenset({"profile", "about", "base", *GROUPS})


class ExampleError(ValueError):
    """An example that cannot be read; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Example:
    """One write and what is expected of it.

    Attributes:
        id: its name.
        expect: deny, warn or allow.
        rule: the rule that must say so, without the profile's name; empty for any.
        old: the object before; None for a CREATE.
        new: the object after.
        user: who writes; empty for somebody unknown.
        version: the version of the request; empty for the object's own.
        why: where the expectation comes from.
    """

    id: str
    expect: Severity
    rule: str
    old: dict[str, Any] | None
    new: dict[str, Any]
    user: str = ""
    version: str = ""
    why: str = ""

    def request(self, match: Match) -> AdmissionRequest:
        """The review of this write, as the API server would send it."""
        kind = GroupVersionKind(match.group, match.versions[0], match.kind)
        asked = GroupVersionKind(match.group, self.version or match.versions[0], match.kind)
        return AdmissionRequest(
            uid=self.id,
            operation="CREATE" if self.old is None else "UPDATE",
            kind=kind,
            request_kind=asked,
            user_info=UserInfo(self.user),
            object=View.of(self.new).raw,
            old_object=NULL if self.old is None else View.of(self.old).raw,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an example.

    Attributes:
        example: the example.
        got: the verdict.
        findings: everything that was found, denials first.
        met: whether the verdict is the expected one, by the expected rule.
    """

    example: Example
    got: Severity
    findings: tuple[Finding, ...]
    met: bool


def read_examples(document: Mapping[str, Any]) -> list[Example]:
    """The examples in a document, or in a profile's ``examples``. Raises ExampleError."""
    for name in document:
        if name not in _AROUND:
            raise ExampleError(f"{name!r} is no part of examples; there is {_words(_AROUND)}")
    base = document.get("base") or {}
    return [
        _example(entry, group, base, f"{group}[{number}]")
        for group in GROUPS
        for number, entry in enumerate(document.get(group) or ())
    ]


def run_examples(
    examples: list[Example], match: Match, catalog: Catalog, now: datetime | None = None
) -> Iterator[Outcome]:
    """Judges each example against the catalog, in mode ``enforce``."""
    policy = Policy(operators=UserGlobs.of(catalog.operators()))
    for example in examples:
        verdict = judge(example.request(match), catalog, policy, now=now)
        findings = verdict.findings
        got = _worst(findings)
        named = {_bare(f.rule) for f in findings if f.severity is got}
        met = got is example.expect and (not example.rule or example.rule in named)
        yield Outcome(example, got, findings, met)


def _worst(findings: tuple[Finding, ...]) -> Severity:
    """Deny, warn or allow: what is only audited is silent."""
    for severity in (Severity.DENY, Severity.WARN):
        if any(f.severity is severity for f in findings):
            return severity
    return Severity.ALLOW


def _bare(rule: str) -> str:
    return rule.partition(".")[2]


def _example(entry: Any, group: str, base: Mapping[str, Any], at: str) -> Example:
    if not isinstance(entry, dict):
        raise ExampleError(f"{at}: an example is a map")
    for name in entry:
        if name not in _FIELDS:
            raise ExampleError(f"{at}: {name!r} is no part of an example: {_words(_FIELDS)}")
    try:
        expect = Severity(entry.get("expect", GROUPS[group]))
        before = overlaid(base, entry.get("old") or {})
        after = overlaid(before, entry.get("new") or {})
    except ValueError as error:
        raise ExampleError(f"{at}: {error}") from None
    return Example(
        id=str(entry.get("id", at)),
        expect=expect,
        rule=str(entry.get("rule", "")),
        old=None if entry.get("create") else before,
        new=after,
        user=str(entry.get("user", "")),
        version=str(entry.get("version", "")),
        why=str(entry.get("why", "")),
    )


def _words(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
