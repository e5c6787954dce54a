"""A Grafana dashboard over the metrics of `webhook.metrics`, and how Prometheus finds them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from webhook.manifests.network import METRICS
from webhook.manifests.options import NAME, Object, Options, metadata, selector

if TYPE_CHECKING:
    from collections.abc import Iterable

_WIDTH, _HEIGHT = 8, 8
_LATENCY: Final = "sum by (le, webhook) (rate(controller_runtime_webhook_latency_seconds_bucket[$__rate_interval]))"
_EXPIRY: Final = "skyhook_webhook_certificate_expiry_timestamp_seconds"
_PANELS: Final = (
    # title, unit, ((expression, legend), …)
    ("Reviews", "reqps", (("sum by (allowed) (rate(skyhook_webhook_reviews_total[$__rate_interval]))", "allowed: {{allowed}}"),)),
    ("Denied, by kind and writer", "short", (('sum by (kind, subresource, writer) (increase(skyhook_webhook_reviews_total{allowed="false"}[$__range]))', "{{kind}}/{{subresource}} {{writer}}"),)),
    ("Findings, by rule", "short", (("topk(15, sum by (rule, effect) (increase(skyhook_webhook_findings_total[$__range])))", "{{effect}} {{rule}}"),)),
    ("Would be denied, by rule", "short", (("sum by (rule) (increase(skyhook_webhook_would_deny_total[$__range]))", "{{rule}}"),)),
    ("Latency", "s", ((f"histogram_quantile(0.5, {_LATENCY})", "{{webhook}} p50"), (f"histogram_quantile(0.99, {_LATENCY})", "{{webhook}} p99"))),
    ("Answers", "reqps", (("sum by (webhook, code) (rate(controller_runtime_webhook_requests_total[$__rate_interval]))", "{{webhook}} {{code}}"),)),
    ("In flight", "short", (("sum by (webhook) (controller_runtime_webhook_requests_in_flight)", "{{webhook}}"),)),
    ("Refused for want of room, workers", "short", (("sum by (webhook) (rate(skyhook_webhook_shed_total[$__rate_interval]))", "refused: {{webhook}}"), ("sum(skyhook_webhook_workers)", "workers"), ("sum(increase(skyhook_webhook_worker_restarts_total[$__range]))", "begun again"))),
    ("Condition names kept in step", "reqps", (("sum by (kind, done) (rate(skyhook_webhook_mutations_total[$__rate_interval]))", "{{kind}} {{done}}"),)),
    ("Who still writes old condition names", "short", (('sum by (kind, writer) (increase(skyhook_webhook_legacy_conditions_total{written="true"}[$__range]))', "{{kind}} {{writer}}"),)),
    ("Copies against Nodes", "short", (("sum by (result) (increase(skyhook_webhook_cross_checks_total[$__range]))", "copies {{result}}"), ("sum by (result) (increase(skyhook_webhook_node_reads_total[$__range]))", "reads {{result}}"))),
    ("Remembered of Nodes", "short", (("max(skyhook_webhook_remembered_nodes)", "nodes"), ("max(skyhook_webhook_remembered_bytes)", "bytes"))),
    ("Objects converted", "ops", (("sum by (version) (rate(skyhook_webhook_converted_objects_total[$__rate_interval]))", "to {{version}}"),)),
    ("Certificates are over in", "s", ((f"min by (cert) ({_EXPIRY}) - time()", "{{cert}}"),)),
    ("Rotation", "short", (("max by (phase) (skyhook_webhook_rotation_phase)", "{{phase}}"), ("max(skyhook_webhook_rotation_held)", "held"), ("max(skyhook_webhook_certificate_source_broken)", "source broken"))),
    ("caBundles are right", "short", (("min by (kind, object) (skyhook_webhook_ca_bundle_right)", "{{kind}} {{object}}"), ("sum(increase(skyhook_webhook_ca_bundle_writes_total[$__range]))", "repairs"))),
    ("Calls with a client certificate", "reqps", (("sum by (webhook, verified) (rate(skyhook_webhook_client_certificates_total[$__rate_interval]))", "{{webhook}} verified: {{verified}}"),)),
    ("Settings", "short", (("max(skyhook_webhook_settings_generation)", "generation"), ("max(skyhook_webhook_settings_broken)", "broken"))),
    ("Glass broken, reviews recorded", "short", (("sum by (kind) (increase(skyhook_webhook_break_glass_total[$__range]))", "glass broken: {{kind}}"), ("sum by (result) (increase(skyhook_webhook_recorded_reviews_total[$__range]))", "recorded: {{result}}"))),
)  # fmt: skip


def expressions() -> list[str]:
    """Every query of the dashboard."""
    return [query for _, _, targets in _PANELS for query, _ in targets]


def dashboard(options: Options) -> Object:
    """The ConfigMap that Grafana's sidecar picks up."""
    about = metadata(options, f"{NAME}-dashboard")
    about["labels"]["grafana_dashboard"] = "1"
    document = json.dumps(_document(), indent=1, ensure_ascii=False) + "\n"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": about,
        "data": {f"{NAME}.json": document},
    }


def service_monitor(options: Options) -> Object:
    """How the Prometheus operator finds /metrics."""
    component = {"app.kubernetes.io/component": "metrics"}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": metadata(options),
        "spec": {
            "selector": {"matchLabels": {**selector(), **component}},
            "endpoints": [{"port": METRICS, "interval": "30s"}],
        },
    }


def _document() -> dict[str, Any]:
    return {
        "title": "Skyhook webhook",
        "uid": NAME,
        "schemaVersion": 39,
        "timezone": "browser",
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "1m",
        "templating": {
            "list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]
        },
        "panels": [_panel(number, *panel) for number, panel in enumerate(_PANELS)],
    }


def _panel(number: int, title: str, unit: str, targets: Iterable[tuple[str, str]]) -> Object:
    row, column = divmod(number, 24 // _WIDTH)
    source = {"type": "prometheus", "uid": "$datasource"}
    return {
        "id": number + 1,
        "title": title,
        "type": "timeseries",
        "datasource": source,
        "gridPos": {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "expr": query,
                "legendFormat": legend,
                "datasource": source,
            }
            for place, (query, legend) in enumerate(targets)
        ],
    }
