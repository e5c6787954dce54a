"""The policy: what becomes of findings. Every rule has a mode, in general, by rule, by writer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from webhook.core.writer import NOBODY, UserGlobs
from webhook.reviews.breakglass import BreakGlass

if TYPE_CHECKING:
    from webhook.core.finding import Finding


class Mode(StrEnum):
    """What a denial becomes."""

    ENFORCE = "enforce"
    WARN = "warn"
    AUDIT = "audit"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class ModeRule:
    """A mode for some rules, some writers, or both.

    Attributes:
        mode: the mode.
        rules: globs of rule ids; empty for all.
        writers: globs of user and group names; empty for everybody.
    """

    mode: Mode
    rules: UserGlobs = NOBODY
    writers: UserGlobs = NOBODY

    def applies(self, rule: str, names: tuple[str, ...]) -> bool:
        """Whether it speaks of this rule and this writer."""
        return (not self.rules.globs or self.rules.match(rule)) and (
            not self.writers.globs or self.writers.match(*names)
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """How findings are dealt with.

    Attributes:
        mode: in general.
        overrides: exceptions; the first one that applies counts.
        operators: globs of the user names that are the operator.
        documented: edges outside the system's own document warn (``strictness: documented``).
        break_glass: who may let a write through by an annotation.
    """

    mode: Mode = Mode.ENFORCE
    overrides: tuple[ModeRule, ...] = ()
    operators: UserGlobs = NOBODY
    documented: bool = False
    break_glass: BreakGlass = field(default_factory=BreakGlass)

    def mode_for(self, finding: Finding, names: tuple[str, ...]) -> Mode:
        """The mode of a finding for a writer, given his user and group names."""
        for override in self.overrides:
            if override.applies(finding.rule, names):
                return override.mode
        return self.mode
