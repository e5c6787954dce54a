"""The verdict on one write: a pure function of request, catalog, policy, clock and evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.core.evidence import NoEvidence
from webhook.core.field import ROOT
from webhook.core.finding import Finding, Severity, shape
from webhook.core.writer import CONTROLLERS, Writer, classify
from webhook.lifecycle.run import Run
from webhook.reviews.policy import Mode

if TYPE_CHECKING:
    from datetime import datetime

    from webhook.catalog import Catalog
    from webhook.core.evidence import Evidence
    from webhook.core.view import View
    from webhook.lifecycle.compile import CompiledGuard
    from webhook.reviews.policy import Policy
    from webhook.reviews.wire import AdmissionRequest

_JUDGED: Final = frozenset({"CREATE", "UPDATE", "DELETE"})
_NOTHING: Final = NoEvidence()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of one write.

    Attributes:
        writer: the kind of writer it was judged for.
        denied: findings that refuse the write; empty means allowed.
        warned: findings that the writer is told.
        audited: findings for log, metric and audit annotation only.
        would_deny: rule ids of denials that the policy turned into less.
        broken_glass: until when and why a denied write was let through all the same; or "".
    """

    writer: Writer
    denied: tuple[Finding, ...] = ()
    warned: tuple[Finding, ...] = ()
    audited: tuple[Finding, ...] = ()
    would_deny: tuple[str, ...] = ()
    broken_glass: str = ""

    @property
    def allowed(self) -> bool:
        """Whether the write may go through."""
        return not self.denied

    @property
    def clean(self) -> bool:
        """Whether there is nothing to tell anybody."""
        told = self.denied or self.warned or self.audited
        return not (told or self.would_deny or self.broken_glass)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, denials first."""
        return (*self.denied, *self.warned, *self.audited)


_CLEAN: Final = {writer: Verdict(writer) for writer in Writer}
"""The commonest verdict, made once."""


def judge(
    request: AdmissionRequest,
    catalog: Catalog,
    policy: Policy,
    *,
    now: datetime | None = None,
    evidence: Evidence = _NOTHING,
) -> Verdict:
    """Judges one write.

    Nothing is judged on CONNECT, for kinds and versions no profile guards, and where old and new
    are byte-equal; on DELETE only what rules about deletions say.
    """
    user = request.user_info
    name = user.username if user is not None else ""
    writer = classify(name, policy.operators, user.groups if user is not None else None)
    guards = _guards(request, catalog)
    if not guards or request.operation not in _JUDGED:
        return _CLEAN[writer]
    old, new = request.objects()
    leaves = request.operation == "DELETE" and old is not None and old.fields is not None
    if not leaves and (new is None or (old is not None and old.like(new))):
        return _CLEAN[writer]
    version = (request.request_kind or request.kind).version
    names = (name, *((user.groups if user is not None else None) or ()))

    def refuses(finding: Finding) -> bool:
        return policy.mode_for(finding, names) is Mode.ENFORCE

    def run(guard: CompiledGuard) -> Run:
        release = guard.release
        return Run(old, new, writer, name, version, now, evidence, policy.documented, release)

    if leaves:
        new = None  # what is asked of rules about deletions is the old object alone
        found = [f for guard in guards for f in guard.deletions.judge(run(guard), refuses)]
    elif new is not None and new.fields is None:
        found = [_no_object(new, guards[0].plan.shape_rule)]
    else:
        found = [f for guard in guards for f in guard.plan.judge(run(guard), refuses)]
    if not found:
        return _CLEAN[writer]
    verdict = _settle(found, policy, writer, names)
    if not verdict.denied:
        return verdict
    return policy.break_glass.applied(request, verdict, names, now)


def _guards(request: AdmissionRequest, catalog: Catalog) -> list[CompiledGuard]:
    """The guards whose paths are those of this version; a version left open is any."""
    kind = request.kind
    there = catalog.guards.get((kind.group, kind.kind), ())
    return [g for g in there if not kind.version or kind.version in g.match.versions]


def _no_object(new: View, rule: str) -> Finding:
    del new
    return shape(rule, ROOT, "a JSON object")


def _settle(
    found: list[Finding], policy: Policy, writer: Writer, names: tuple[str, ...]
) -> Verdict:
    """Applies modes, and says to whom what is said."""
    denied: list[Finding] = []
    warned: list[Finding] = []
    audited: list[Finding] = []
    would: set[str] = set()
    for finding in sorted(set(found), key=Finding.order):
        severity = finding.severity
        mode = policy.mode_for(finding, names)
        if mode is Mode.OFF or severity is Severity.ALLOW:
            continue
        if severity is Severity.DENY and mode is not Mode.ENFORCE:
            would.add(finding.rule)
        if severity is Severity.DENY and mode is Mode.ENFORCE:
            denied.append(finding)
        elif mode is Mode.AUDIT or severity is Severity.AUDIT or _deaf(finding, writer):
            audited.append(finding)
        else:
            warned.append(finding)
    return Verdict(writer, tuple(denied), tuple(warned), tuple(audited), tuple(sorted(would)))


def _deaf(finding: Finding, writer: Writer) -> bool:
    """Controllers log every warning; what they are told goes to log, metric and audit instead."""
    return writer in CONTROLLERS and not finding.rarely
