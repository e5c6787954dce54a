"""JUnit XML: a test case for each subject, a failure for each denial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.cli.results import Result, Summary


@dataclass(slots=True)
class JunitPrinter:
    """Groups results by source, as CI systems show them.

    Attributes:
        write: takes the whole document.
    """

    write: Callable[[str], object]
    suites: dict[str, ET.Element] = field(default_factory=dict)

    def result(self, result: Result) -> None:
        """One test case."""
        suite = self.suites.get(result.source)
        if suite is None:
            suite = self.suites[result.source] = ET.Element(
                "testsuite", name=clean(result.source), tests="0", failures="0"
            )
        case = ET.SubElement(
            suite,
            "testcase",
            classname=clean(result.source),
            name=clean(f"{result.kind} {result.name} [{result.index}]".strip()),
        )
        denied = [row for row in result.findings if row.severity == "deny"]
        if denied:
            lines = [f"{row.field}: {row.message}" for row in denied]
            failure = ET.SubElement(
                case, "failure", message=clean(lines[0]), type=clean(denied[0].rule)
            )
            failure.text = clean("\n".join(lines))
        if result.warnings:
            ET.SubElement(case, "system-out").text = clean("\n".join(result.warnings))
        suite.set("tests", str(int(suite.get("tests", "0")) + 1))
        suite.set("failures", str(int(suite.get("failures", "0")) + bool(denied)))

    def end(self, summary: Summary) -> None:
        """The document."""
        root = ET.Element(
            "testsuites",
            name="skyhook-webhook",
            tests=str(summary.total),
            failures=str(summary.denied),
        )
        root.extend(self.suites.values())
        ET.indent(root)
        self.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self.write(ET.tostring(root, encoding="unicode") + "\n")


def clean(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return "".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff"))
