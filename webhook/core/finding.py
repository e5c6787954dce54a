"""Findings: what a rule has to say about one field. A finding is a value, never an exception."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from webhook.core.field import ROOT

if TYPE_CHECKING:
    from webhook.core.field import FieldPath


class Severity(StrEnum):
    """How certain a rule is.

    ``deny`` only where no real actor can produce the write, ``warn`` where it is odd, ``audit``
    (log, metric, audit annotation) where the rule merely usually holds.
    """

    DENY = "deny"
    WARN = "warn"
    AUDIT = "audit"
    ALLOW = "allow"


class CauseType(StrEnum):
    """The ``reason`` of a StatusCause, spelled as apimachinery's ``metav1.CauseType``."""

    REQUIRED = "FieldValueRequired"
    INVALID = "FieldValueInvalid"
    NOT_SUPPORTED = "FieldValueNotSupported"
    FORBIDDEN = "FieldValueForbidden"
    DUPLICATE = "FieldValueDuplicate"
    TYPE_INVALID = "FieldValueTypeInvalid"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that one rule found in one field.

    Attributes:
        rule: id of the rule, ``<profile>.<rule>``.
        field: where.
        severity: what the rule asks for; the policy's mode decides what becomes of it.
        message: one line that stands alone: value, old -> new, what is legal.
        type: the StatusCause's reason.
        rarely: shown to one writer once an hour at most (it would repeat on every write).
        closed: the rule guards a closed set of words or a shape, not an edge or a relation.
    """

    rule: str
    field: FieldPath
    severity: Severity
    message: str
    type: CauseType = CauseType.FORBIDDEN
    rarely: bool = False
    closed: bool = False

    def at(self, severity: Severity) -> Finding:
        """The same finding with another severity."""
        return self if severity is self.severity else replace(self, severity=severity)

    def order(self) -> tuple[int, str, str, str]:
        """Sort key: denials first, then by place and rule, so that texts are deterministic."""
        return (_RANK[self.severity], str(self.field), self.rule, self.message)


_RANK = {Severity.DENY: 0, Severity.WARN: 1, Severity.AUDIT: 2, Severity.ALLOW: 3}


def shape(rule: str, path: FieldPath, expected: str) -> Finding:
    """A value of the wrong JSON type at ``path``."""
    where = str(path) if path is not ROOT and path.steps else "the object"
    return Finding(
        rule,
        path,
        Severity.DENY,
        f"{where} must be {expected}",
        CauseType.TYPE_INVALID,
        closed=True,
    )


def repeated(rule: str, path: FieldPath, kind: str, count: int) -> Finding:
    """A ``type`` that stands more than once in a list where it may stand once."""
    text = f'"{kind}" stands {count} times in this list; each type stands in it once'
    return Finding(rule, path, Severity.DENY, text, CauseType.DUPLICATE, closed=True)
