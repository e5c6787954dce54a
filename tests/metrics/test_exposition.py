"""The exposition, by the reading of the Prometheus client and by its writing of the same counts."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client import Counter as TheirCounter
from prometheus_client import Gauge as TheirGauge
from prometheus_client import Histogram as TheirHistogram
from prometheus_client.parser import text_string_to_metric_families

from webhook.metrics import Metrics
from webhook.metrics.exposition import Counter, Gauge, Registry
from webhook.metrics.latency import BUCKETS, Latencies

ODD = 'a "quoted" \\ back\nline'


def read(text):
    """Families but for their times of creation, which ours leave out."""
    return [
        (family.name, family.type, family.documentation, sorted(map(plain, family.samples)))
        for family in text_string_to_metric_families(text.decode())
        if not family.name.endswith("_created")
    ]


def plain(sample):
    return sample.name, sorted(sample.labels.items()), sample.value


def test_what_is_counted_reads_as_what_the_client_library_writes():
    ours, theirs = Registry(), CollectorRegistry()
    for counter, gauge, registry in (
        (Counter, Gauge, ours),
        (TheirCounter, TheirGauge, theirs),
    ):
        calls = counter("calls_total", ODD, ["path", "code"], registry=registry)
        calls.labels("/b", "200").inc()
        calls.labels("/a", ODD).inc(2.5)
        calls.labels("/b", "200").inc()
        counter("plain_total", "without labels", registry=registry).inc(3)
        counter("never_total", "nothing yet", ["x"], registry=registry)
        gauge("now", "until when", registry=registry).set(1803866398)
        level = gauge("level", "up and down", ["x"], registry=registry).labels("")
        level.inc()
        level.dec()
        gauge("yes", "a flag", registry=registry).set(True)
    latencies = Latencies("took_seconds", "how long", registry=ours)
    histogram = TheirHistogram(
        "took_seconds", "how long", ["webhook"], buckets=BUCKETS, registry=theirs
    )
    for seconds in (0.0001, 0.0005, 0.004, 7, 11):
        latencies.labels("/a").observe(seconds)
        histogram.labels("/a").observe(seconds)
    assert read(ours.text()) == read(generate_latest(theirs))


def test_every_family_has_its_help_and_type_before_anything_is_counted():
    metrics = Metrics(frozenset())
    lines = metrics.text().decode().splitlines()
    for family in metrics.registry.families:
        assert f"# HELP {family.name} {family.about}" in lines
        assert f"# TYPE {family.name} {family.kind}" in lines


def test_a_label_too_many_or_too_few_is_refused():
    counter = Counter("calls_total", "", ["path", "code"], registry=Registry())
    for values in ((), ("/a",), ("/a", "200", "x")):
        with pytest.raises(ValueError, match="zip"):
            counter.labels(*values)
