"""One mistake is told once: the schema's finding stands for the rule's at the same field or below."""

from __future__ import annotations

from webhook.core.field import ROOT, FieldPath
from webhook.core.finding import Finding, Severity
from webhook.schema import without_repeats


def finding(field: FieldPath, severity: Severity = Severity.DENY) -> Finding:
    return Finding("skyhook.x", field, severity, "m")


SPEC = ROOT.child("spec", "packages").key("tuning")


def test_a_rule_says_nothing_of_a_field_that_the_schema_refused() -> None:
    version, name = finding(SPEC.child("version")), finding(SPEC.child("name"))
    assert without_repeats([finding(SPEC.child("version"))], [version, name]) == [name]
    assert without_repeats([finding(SPEC)], [version, name]) == []


def test_a_warning_of_the_schema_hides_nothing() -> None:
    version = finding(SPEC.child("version"))
    assert without_repeats([finding(SPEC, Severity.WARN)], [version]) == [version]


def test_a_place_above_or_beside_is_another_matter() -> None:
    above = finding(ROOT.child("spec"))
    assert without_repeats([finding(SPEC)], [above]) == [above]
