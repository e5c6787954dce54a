"""Metrics: three names that dashboards know, ours beside them, all labels bounded (B44)."""

from __future__ import annotations

import re

import pytest

from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import PERSON, body
from tests.server.process import ask, serving

LINE = re.compile(r"^([a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+)$")


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A server of their own, so that its numbers are theirs."""
    with serving(tmp_path_factory.mktemp("metrics")) as running:
        yield running


def series(text):
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, labels, value = LINE.match(line).groups()
            found[name, labels or ""] = float(value)
    return found


def step(pair, name="n1", user=PERSON):
    old, new = (node({"foo|1.0": entry(p)}) for p in ("apply/in_progress", pair))
    old["metadata"]["name"] = new["metadata"]["name"] = name
    return body(old, new, user)


def test_calls_verdicts_and_findings_are_counted(counted):
    for sent in (step("apply/complete"), step("interrupt/skipped"), b"[]"):
        counted.call(sent)
    counted.call(b"x", headers={"Content-Type": "text/plain"})
    got = series(counted.metrics())
    assert got["controller_runtime_webhook_requests_total", 'code="200",webhook="/validate"'] == 2
    assert got["controller_runtime_webhook_requests_total", 'code="400",webhook="/validate"'] == 1
    assert got["controller_runtime_webhook_requests_total", 'code="415",webhook="/validate"'] == 1
    assert got["controller_runtime_webhook_latency_seconds_count", 'webhook="/validate"'] == 2
    assert got["controller_runtime_webhook_requests_in_flight", 'webhook="/validate"'] == 0
    labels = 'allowed="{}",kind="Node",operation="UPDATE",subresource="",writer="person"'
    assert got["skyhook_webhook_reviews_total", labels.format("true")] == 1
    assert got["skyhook_webhook_reviews_total", labels.format("false")] == 1
    assert (
        got["skyhook_webhook_findings_total", 'effect="deny",rule="skyhook.node-package-step.edge"']
        == 1
    )


def test_series_do_not_follow_names(counted):
    before = series(counted.metrics())
    with counted.session() as connection:
        for number in range(300):
            kind = {"group": f"g{number}", "version": "v1", "kind": f"Kind{number}"}
            ask(connection, step("interrupt/skipped", f"node-{number}", f"user-{number % 50}"))
            ask(
                connection,
                body(
                    skyhook(),
                    skyhook(status="waiting"),
                    f"user-{number}",
                    kind=kind,
                    operation=f"OP{number}",
                    subresource=f"s{number}",
                ),
            )
            if number < 20:
                ask(connection, b"{}", f"/unknown-{number}")
    after = series(counted.metrics())
    grown = set(after) - set(before)
    assert len(grown) <= 3, grown
    text = " ".join(labels for _, labels in after)
    for word in ("node-1", "user-1", "Kind1", "OP1", "s12", "unknown-", "g1", "sre-oncall"):
        assert word not in text


def test_the_exposition_is_what_prometheus_scrapes(counted):
    answer = counted.get(counted.metrics_port, "/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    names = {name for name, _ in series(answer.body.decode())}
    assert not any(name.endswith("_created") for name in names)
    helped = set(re.findall(r"^# HELP (\S+)", answer.body.decode(), re.MULTILINE))
    typed = set(re.findall(r"^# TYPE (\S+)", answer.body.decode(), re.MULTILINE))
    assert helped == typed
    assert len(helped) >= 6


def test_what_the_policy_lets_pass_is_counted(tmp_path):
    with serving(tmp_path, "--mode", "audit") as server:
        assert server.call(step("interrupt/skipped")).json["response"]["allowed"]
        got = series(server.metrics())
        assert got["skyhook_webhook_would_deny_total", 'rule="skyhook.node-package-step.edge"'] == 1
        assert (
            got[
                "skyhook_webhook_findings_total",
                'effect="audit",rule="skyhook.node-package-step.edge"',
            ]
            == 1
        )
