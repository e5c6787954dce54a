"""Each form against its schema or one who reads it; nothing is lost on the way, and nothing breaks out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import junitparser
import pytest
import yaml
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from tests.corpus import reading
from webhook.cli import main

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = tuple(
    str(reading.CHECKED_IN / name)
    for name in (reading.EXCEPTION_FILE, "replay-chainsaw-skyhook-uninstall-cancel.jsonl.gz")
)
MANIFEST = """\
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata: {name: demo}
spec:
  packages:
    "a,b: 100% <c>\\u0007&\\n::error::": {version: 1.10, image: "x y"}
    tuning: {version: "1.2.3", image: "registry.example/tuning:latest", interrupt: {type: sideways}}
"""
Found = set[tuple[str, str, str, str]]
LEVELS = {"error": "deny", "warning": "warn", "note": "audit", "notice": "audit"}


@pytest.fixture(params=["validate", "replay"])
def command(request: Any, tmp_path: Path) -> tuple[str, ...]:
    """A verb and its input: names and values that every form has to quote, or recorded reviews."""
    if request.param == "replay":
        return ("replay", "-q", "--jobs", "1", *RECORDED)
    path = tmp_path / "with space, comma: and %.yaml"
    path.write_text(MANIFEST)
    return ("validate", "-q", str(path))


def printed(capsys: Any, command: tuple[str, ...], form: str) -> str:
    assert main([*command, "-o", form]) == 1
    out: str = capsys.readouterr().out
    return out


def expected(capsys: Any, command: tuple[str, ...]) -> Found:
    """(source, rule, severity, field) of every finding, by -o json."""
    rows = json.loads(printed(capsys, command, "json"))["results"]
    found = {
        (r["source"], f["rule"], f["severity"], f["field"]) for r in rows for f in r["findings"]
    }
    assert len(found) >= 4
    return found


def test_sarif_is_what_its_schema_says_and_holds_every_finding(
    capsys: Any, command: tuple[str, ...]
) -> None:
    text = printed(capsys, command, "sarif")
    Sarif.model_validate_json(text)
    (run,) = json.loads(text)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    found = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        (place,) = result["locations"]
        source = unquote(place["physicalLocation"]["artifactLocation"]["uri"])
        field = place["logicalLocations"][0]["fullyQualifiedName"].split(" ", 2)[2:]
        found.add((source, result["ruleId"], LEVELS[result["level"]], "".join(field)))
    assert found == expected(capsys, command)


def test_a_schema_that_refuses_nothing_would_show_nothing() -> None:
    with pytest.raises(ValueError, match="levle"):
        Sarif.model_validate({"version": "2.1.0", "runs": [], "levle": "error"})


def test_junit_is_read_by_a_reader_and_counts_right(capsys: Any, command: tuple[str, ...]) -> None:
    text = printed(capsys, command, "junit")
    suites = junitparser.JUnitXml.fromstring(text.encode())
    document = json.loads(printed(capsys, command, "json"))
    denied = {f for f in expected(capsys, command) if f[2] == "deny"}
    rules = {f[1] for f in denied}
    cases = [case for suite in suites for case in suite]
    failed = [case for case in cases if case.result]
    assert suites.failures == len(failed) == sum(not row["allowed"] for row in document["results"])
    assert suites.tests == document["summary"].get("total", document["summary"].get("writes"))
    assert {case.result[0].type for case in failed} <= rules
    told = "\n".join(str(case.result[0].text) for case in failed)
    assert all(f"({rule})" in told for rule in rules)


COMMAND = re.compile(r"::(error|warning|notice) ([^\n]*?)::([^\n]*)")


def test_github_reads_every_finding_back(capsys: Any, command: tuple[str, ...]) -> None:
    """By the rules of the runner: %25, %0D, %0A in data; %3A and %2C as well in properties."""
    *lines, counts = printed(capsys, command, "github").splitlines()
    assert "judged" in counts
    found = set()
    for line in lines:
        matched = COMMAND.fullmatch(line)
        assert matched, line
        level, properties, data = matched.groups()
        given = dict(one.split("=", 1) for one in properties.split(","))
        source, rule = (unescaped(given[key]) for key in ("file", "title"))
        found.add((source, rule, LEVELS[level]))
        assert unescaped(data).endswith(f"({rule})")
    assert found == {one[:3] for one in expected(capsys, command)}


def unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def test_yaml_and_jsonl_say_what_json_says(capsys: Any, command: tuple[str, ...]) -> None:
    document = json.loads(printed(capsys, command, "json"))
    assert yaml.safe_load(printed(capsys, command, "yaml")) == document
    rows = [json.loads(line) for line in printed(capsys, command, "jsonl").splitlines()]
    assert rows == document["results"]
