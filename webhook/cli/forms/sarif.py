"""SARIF 2.1.0: for code scanning; rules once, a result for each finding, with its place."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.cli.results import FindingRow, Result, Summary

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"deny": "error", "warn": "warning", "audit": "note"}


@dataclass(slots=True)
class SarifPrinter:
    """Collects results; prints one run at the end.

    Attributes:
        write: takes the whole document.
        version: of this tool.
    """

    write: Callable[[str], object]
    version: str
    rules: dict[str, int] = field(default_factory=dict)
    results: list[dict[str, Any]] = field(default_factory=list)

    def result(self, result: Result) -> None:
        """Each finding of a subject."""
        for row in result.findings:
            number = self.rules.setdefault(row.rule, len(self.rules))
            self.results.append(_result(result, row, number))

    def end(self, summary: Summary) -> None:
        """The document."""
        del summary
        driver = {
            "name": "skyhook-webhook",
            "version": self.version,
            "rules": [{"id": rule} for rule in self.rules],
        }
        run = {
            "tool": {"driver": driver},
            "results": self.results,
            "columnKind": "unicodeCodePoints",
        }
        document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
        self.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _result(result: Result, row: FindingRow, number: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(result.source)}}
    if row.line is not None:
        region = {"startLine": row.line}
        if row.column is not None:
            region["startColumn"] = row.column
        place["region"] = region
    who = f"{result.kind} {result.name}".strip()
    at = "".join(f"{part}: " for part in (who, row.field) if part)
    return {
        "ruleId": row.rule,
        "ruleIndex": number,
        "level": _LEVELS[row.severity],
        "message": {"text": f"{at}{row.message}"},
        "locations": [
            {
                "physicalLocation": place,
                "logicalLocations": [{"fullyQualifiedName": f"{who} {row.field}".strip()}],
            }
        ],
    }
