"""From verdict to AdmissionResponse, within the API server's limits.

kubectl prints only the causes of a denial, one line each, so each one stands alone. Warnings: once
their sum is over 4,096 characters the API server cuts each to 256, and one control character
drops a warning whole (measured).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.core.plain import plain
from webhook.reviews.wire import AdmissionResponse, Status, StatusCause, StatusDetails

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webhook.core.finding import Finding
    from webhook.reviews.verdict import Verdict
    from webhook.reviews.wire import AdmissionRequest

MOST_CAUSES: Final = 50
LONGEST_CAUSE: Final = 1000
MOST_WARNINGS: Final = 15
LONGEST_WARNING: Final = 250
LONGEST_FIELD: Final = 500


def text_of(finding: Finding) -> str:
    """A finding as one line, for a cause: message and rule id."""
    tail = f" ({finding.rule})"
    return cut(finding.message, LONGEST_CAUSE - len(tail)) + tail


def warning_of(finding: Finding) -> str:
    """A finding as one warning: field, message and rule id."""
    tail = f" ({finding.rule})"
    return cut(f"{finding.field}: {finding.message}", LONGEST_WARNING - len(tail)) + tail


def cut(text: str, most: int) -> str:
    """One line of at most ``most`` characters, without control characters."""
    clean = plain(text)
    return clean if len(clean) <= most else clean[: most - 3] + "..."


def answer(request: AdmissionRequest, verdict: Verdict) -> AdmissionResponse:
    """The response to a request; its uid is the request's."""
    if verdict.clean:
        return AdmissionResponse(request.uid, allowed=True)
    return AdmissionResponse(
        uid=request.uid,
        allowed=verdict.allowed,
        status=None if verdict.allowed else _status(request, verdict.denied),
        warnings=_warnings(verdict.warned),
        audit_annotations=_audit(verdict),
    )


def _status(request: AdmissionRequest, denied: Sequence[Finding]) -> Status:
    causes = [
        StatusCause(f.type.value, text_of(f), cut(str(f.field), LONGEST_FIELD))
        for f in denied[:MOST_CAUSES]
    ]
    rest = len(denied) - len(causes)
    if rest:
        causes.append(StatusCause("FieldValueInvalid", f"and {rest} more like these", ""))
    first = causes[0]
    name = request.name or ""
    more = f" (and {len(denied) - 1} more)" if len(denied) > 1 else ""
    message = f'{request.kind.kind} "{name}" is invalid: {first.field}: {first.message}{more}'
    return Status(
        message=cut(message, LONGEST_CAUSE),
        reason="Invalid",
        code=422,
        status="Failure",
        details=StatusDetails(
            name=name, group=request.kind.group, kind=request.kind.kind, causes=causes
        ),
    )


def _warnings(warned: Sequence[Finding]) -> list[str]:
    texts = list(dict.fromkeys(warning_of(f) for f in warned))
    if len(texts) > MOST_WARNINGS:
        left = len(texts) - MOST_WARNINGS + 1
        texts = [*texts[: MOST_WARNINGS - 1], f"{left} more warnings were left out"]
    return texts


def _audit(verdict: Verdict) -> dict[str, str]:
    """Keys are prefixed by the API server with the webhook's name."""
    found: dict[str, str] = {}
    if verdict.findings:
        rules = dict.fromkeys(f.rule for f in verdict.findings)
        found["rules"] = cut(",".join(rules), LONGEST_CAUSE)
        found["writer"] = verdict.writer.value
    if verdict.broken_glass:
        found["break-glass"] = cut(verdict.broken_glass, LONGEST_CAUSE)
    if verdict.would_deny:
        found["would-deny"] = cut(",".join(verdict.would_deny), LONGEST_CAUSE)
    return found
