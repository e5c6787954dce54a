"""Alerts and dashboard ask for metrics that there are, in a language that Prometheus reads."""

from __future__ import annotations

import json
import re

import pytest

from tests.manifests import engine
from webhook.manifests.alerts import GENERAL, alerts, rule
from webhook.manifests.dashboard import dashboard, expressions, service_monitor
from webhook.manifests.network import services
from webhook.metrics import Metrics

READINGS = json.loads(engine.READINGS.read_text())["queries"]
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
ALERTS = alerts(engine.OPTIONS)


def series() -> dict[str, set[str]]:
    """Every series of ours, and its labels."""
    found = {}
    for metric in Metrics(frozenset()).registry.collect():
        labels = set(metric_labels(metric.name))
        for suffix in SUFFIXES[metric.type]:
            found[f"{metric.name}{suffix}"] = labels | ({"le"} if suffix == "_bucket" else set())
    return found


def metric_labels(name: str) -> tuple[str, ...]:
    collectors = Metrics(frozenset()).registry._names_to_collectors
    return tuple(collectors[name]._labelnames)


SERIES = series()


@pytest.mark.parametrize("query", engine.queries())
def test_prometheus_reads_the_query_and_every_metric_in_it_is_there(query: str):
    metrics = READINGS[query]
    assert isinstance(metrics, list), metrics
    assert metrics
    assert set(metrics) <= set(SERIES) | GENERAL


@pytest.mark.parametrize("query", expressions())
def test_the_dashboard_asks_for_metrics_of_ours_alone(query: str):
    assert set(re.findall(r"\b(?:skyhook_webhook|controller_runtime)_\w+", query)) <= set(SERIES)
    assert not any(name in query for name in GENERAL - {"up"})


@pytest.mark.parametrize("query", engine.queries())
def test_a_label_that_is_asked_for_is_one_of_the_metrics(query: str):
    grouped = set(re.findall(r"[a-z]\w*", " ".join(re.findall(r"\bby \(([^)]*)\)", query))))
    matched = set(re.findall(r"(\w+)(?:=~|!=|=)\"", query))
    known = set().union(*(SERIES.get(name, set()) for name in READINGS[query]))
    assert grouped <= known
    assert matched <= known | {"namespace", "service", "deployment"}


@pytest.mark.nightly
def test_prometheus_says_now_what_it_said():
    try:
        said = engine.ask([{"query": query} for query in engine.queries()])
    except engine.GoMissingError:
        pytest.skip("no Go to build the parser with")
    assert [answer["metrics"] for answer in said] == [READINGS[query] for query in engine.queries()]
    (broken,) = engine.ask([{"query": "sum by (a (b)"}])
    assert "error" in broken


def test_what_goes_wrong_has_an_alert():
    names = {alert.name for alert in ALERTS}
    assert names >= {
        "CertificateExpires", "RotationHeld", "CABundleWrong", "Denied", "OperatorDenied", "Faults",
        "NotReady", "Down",
    }  # fmt: skip
    assert {alert.severity for alert in ALERTS} == {"critical", "warning", "info"}
    rendered = rule(engine.OPTIONS)["spec"]["groups"][0]["rules"]
    assert [one["alert"] for one in rendered] == [f"SkyhookWebhook{alert.name}" for alert in ALERTS]


def test_every_metric_of_ours_is_on_the_dashboard():
    asked = " ".join(expressions())
    assert [name for name in SERIES if name.rsplit("_", 1)[0] not in asked] == []


def test_the_dashboard_is_a_document_that_grafana_can_load():
    config = dashboard(engine.OPTIONS)
    document = json.loads(config["data"]["skyhook-webhook.json"])
    places = [tuple(panel["gridPos"].values()) for panel in document["panels"]]
    assert len(set(places)) == len(places)
    assert all(x + w <= 24 for x, _, w, _ in places)
    assert config["metadata"]["labels"]["grafana_dashboard"] == "1"


def test_prometheus_finds_the_metrics_service_and_not_the_other():
    wanted = service_monitor(engine.OPTIONS)["spec"]["selector"]["matchLabels"].items()
    found = [s for s in services(engine.OPTIONS) if wanted <= s["metadata"]["labels"].items()]
    assert [service["metadata"]["name"] for service in found] == ["skyhook-webhook-metrics"]
    (endpoint,) = service_monitor(engine.OPTIONS)["spec"]["endpoints"]
    assert endpoint["port"] == found[0]["spec"]["ports"][0]["name"]
