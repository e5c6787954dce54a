"""The Helm chart gives the same objects as the program, as Helm's own engine renders it."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.manifests import engine
from tests.manifests.choices import CHOICES
from webhook.manifests.chart import tree
from webhook.manifests.render import key, render

READINGS = json.loads(engine.READINGS.read_text())
IDS = [json.dumps(values)[:60] for values, _ in CHOICES]


def expected(number: int) -> list[engine.Object]:
    """What the program renders, but for the namespace, which Helm makes by its flag."""
    return [obj for obj in render(CHOICES[number][1]) if obj["kind"] != "Namespace"]


def test_the_readings_are_of_this_chart():
    assert READINGS["chart"] == engine.chart_digest(), "ask again: python -m tests.manifests.engine"
    assert [one["values"] for one in READINGS["renderings"]] == [values for values, _ in CHOICES]


@pytest.mark.parametrize("number", range(len(CHOICES)), ids=IDS)
def test_helm_has_rendered_what_the_program_renders(number: int):
    assert READINGS["renderings"][number]["objects"] == engine.digest(expected(number))


def test_one_changed_field_is_another_digest():
    objects = expected(0)
    before = engine.digest(objects)
    objects[-1]["webhooks"][0]["timeoutSeconds"] += 1
    assert engine.digest(objects) != before


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(len(CHOICES)), ids=IDS)
def test_helm_renders_what_the_program_renders(number: int):
    try:
        (found,) = engine.rendered([CHOICES[number][0]])
    except engine.GoMissingError:
        pytest.skip("no Go to build Helm's engine with")
    ours = {key(obj): engine.normalised(obj) for obj in expected(number)}
    assert {key(obj): engine.normalised(obj) for obj in found} == ours


@pytest.mark.nightly
@pytest.mark.parametrize(
    "values",
    [{"replcas": 2}, {"replicas": 0}, {"tls": "acme"}, {"port": 0}, {"image": {"name": "x"}}],
    ids=json.dumps,
)
def test_values_that_mean_nothing_are_refused(values: dict[str, object]):
    asked = {"chart": str(engine.CHART), "namespace": engine.NAMESPACE, "values": values}
    try:
        (answer,) = engine.ask([asked])
    except engine.GoMissingError:
        pytest.skip("no Go to build Helm's engine with")
    assert "values don't meet the specifications of the schema" in answer["error"]


def test_every_value_has_its_default_and_its_schema():
    files = tree(engine.OPTIONS)
    folder = "charts/skyhook-webhook"
    values = yaml.safe_load(files[f"{folder}/values.yaml"])
    schema = json.loads(files[f"{folder}/values.schema.json"])
    assert set(values) == set(schema["properties"]) - {"global"}
    assert not schema["additionalProperties"]
    used = "".join(text for path, text in files.items() if "/templates/" in path)
    assert [name for name in values if f".Values.{name}" not in used] == []


def test_braces_that_are_prometheus_own_reach_it():
    rule = tree(engine.OPTIONS)["charts/skyhook-webhook/templates/prometheusrule.yaml"]
    assert '{{ "{{" }} $labels.kind }}' in rule
    assert "{{ $labels" not in rule
