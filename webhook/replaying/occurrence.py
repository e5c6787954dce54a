"""A write with something to say about it, as data: who, what, why, and what it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from webhook.reviews.answer import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.core.finding import Finding
    from webhook.replaying.write import Write
    from webhook.reviews.verdict import Verdict


class Said(msgspec.Struct, frozen=True):
    """One finding; its severity is what became of it: deny, warn or audit."""

    rule: str
    field: str
    severity: str
    message: str


class Difference(msgspec.Struct, frozen=True, array_like=True):
    """One value that the write changed; absent is null, the rest is JSON, cut when long."""

    field: str
    old: str | None
    new: str | None


class Occurrence(msgspec.Struct, frozen=True):
    """One write that rules had findings about.

    Attributes:
        time: seconds since 1970; None where the recording has none.
        writer: the kind of writer it was judged for.
        outcome: what became of it when it was made.
        estimated: judged on objects put together from requests.
        would_deny: rules whose denial the policy turned into less.
        changes: what the write changed, where that was asked for.
    """

    source: str
    line: int
    uid: str
    time: float | None
    user: str
    writer: str
    kind: str
    namespace: str
    name: str
    operation: str
    subresource: str
    outcome: str
    estimated: bool
    allowed: bool
    would_deny: list[str]
    findings: list[Said]
    changes: list[Difference] = []


def occurrence_of(write: Write, verdict: Verdict, changes: list[Difference]) -> Occurrence:
    """The row for a verdict."""
    request = write.request
    return Occurrence(
        source=write.source,
        line=write.line,
        uid=request.uid,
        time=write.time,
        user=request.user_info.username if request.user_info is not None else "",
        writer=verdict.writer.value,
        kind=request.kind.kind,
        namespace=request.namespace or "",
        name=request.name or "",
        operation=request.operation,
        subresource=request.sub_resource or "",
        outcome=write.outcome.value,
        estimated=write.estimated,
        allowed=verdict.allowed,
        would_deny=list(verdict.would_deny),
        findings=list(_said(verdict)),
        changes=changes,
    )


def _said(verdict: Verdict) -> Iterator[Said]:
    named: tuple[tuple[str, tuple[Finding, ...]], ...] = (
        ("deny", verdict.denied),
        ("warn", verdict.warned),
        ("audit", verdict.audited),
    )
    for effect, found in named:
        for finding in found:
            yield Said(finding.rule, str(finding.field), effect, text_of(finding))
