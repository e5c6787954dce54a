"""Break-glass: an annotation with expiry and reason that lets one object through, and is remembered.

    guard.skyhook.nvidia.com/break-glass: "2026-11-30T12:00:00Z INC-1234: the operator is wedged"

Only for users that the settings name, only in a write of the object itself, never through a
subresource, and never for longer than the settings allow: a hole that closes by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from webhook.core.field import FieldPath
from webhook.core.finding import Finding, Severity
from webhook.core.writer import UserGlobs

if TYPE_CHECKING:
    from webhook.reviews.verdict import Verdict
    from webhook.reviews.wire import AdmissionRequest

ANNOTATION: Final = "guard.skyhook.nvidia.com/break-glass"
RULE: Final = "break-glass"
LONGEST: Final = timedelta(hours=24)
_FIELD: Final = FieldPath().child("metadata", "annotations").key(ANNOTATION)
_HOW: Final = "it is an expiry and a reason, as in: 2026-11-30T12:00:00Z INC-1234: why"


@dataclass(frozen=True, slots=True)
class BreakGlass:
    """Who may break the glass, and for how long.

    Attributes:
        users: globs of user and group names.
        longest: how far ahead an expiry may lie.
    """

    users: UserGlobs = field(default_factory=lambda: UserGlobs.of(["system:masters"]))
    longest: timedelta = LONGEST

    def applied(
        self,
        request: AdmissionRequest,
        verdict: Verdict,
        names: tuple[str, ...],
        now: datetime | None,
    ) -> Verdict:
        """The verdict, with its denials turned into warnings where the glass is broken rightly.

        Where the annotation is there and does not count, the denial stands and a warning says why.
        """
        _, new = request.objects()
        text = new.text("metadata", "annotations", ANNOTATION) if new is not None else None
        if text is None or not verdict.denied:
            return verdict
        reason, why_not = self._reason(request, text, names, now)
        if why_not:
            said = _finding(f"this does not let the write through: {why_not}")
            return replace(verdict, warned=(said, *verdict.warned))
        rules = tuple(dict.fromkeys(finding.rule for finding in verdict.denied))
        said = _finding(f"the glass was broken: {reason}; otherwise denied by {', '.join(rules)}")
        told = tuple(finding.at(Severity.WARN) for finding in verdict.denied)
        return replace(
            verdict,
            denied=(),
            warned=(said, *told, *verdict.warned),
            would_deny=tuple(sorted({*verdict.would_deny, *rules})),
            broken_glass=reason,
        )

    def _reason(
        self, request: AdmissionRequest, text: str, names: tuple[str, ...], now: datetime | None
    ) -> tuple[str, str]:
        """(reason with expiry, ""), or ("", why the annotation does not count)."""
        expiry, _, reason = text.strip().partition(" ")
        until = _moment(expiry)
        if until is None or not any(map(str.isalnum, reason)):
            return "", _HOW
        if request.sub_resource:
            return "", f"it never counts in a write through /{request.sub_resource}"
        if not self.users.match(*names):
            return "", "you are none of the users of `break_glass.users`"
        if now is None or until <= now:
            return "", f"it expired at {expiry}"
        if until - now > self.longest:
            hours = self.longest.total_seconds() / 3600
            return "", f"its expiry lies more than {hours:g} hours ahead"
        return f"until {expiry}: {reason.strip()}", ""


def _finding(message: str) -> Finding:
    return Finding(RULE, _FIELD, Severity.WARN, message)


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
