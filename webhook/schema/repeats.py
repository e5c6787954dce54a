"""One mistake, one finding: where the schema has spoken, the rules for specs need not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webhook.core.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webhook.core.finding import Finding


def without_repeats(structure: Sequence[Finding], judged: Iterable[Finding]) -> list[Finding]:
    """``judged``, without what lies at or below a field that the schema refuses already."""
    refused = {f.field.steps for f in structure if f.severity is Severity.DENY}

    def told(finding: Finding) -> bool:
        steps = finding.field.steps
        return any(steps[:end] in refused for end in range(1, len(steps) + 1))

    return [finding for finding in judged if not told(finding)]
