"""Alerts, as Prometheus reads them, over the metrics of `webhook.metrics`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.manifests.options import METRICS_SERVICE, NAME, Object, Options, metadata

if TYPE_CHECKING:
    from collections.abc import Iterable

DAY: Final = 24 * 60 * 60
GENERAL: Final = frozenset({"up", "kube_deployment_status_replicas_unavailable"})
"""Metrics of others that alerts ask for: Prometheus itself and kube-state-metrics."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One rule; `lasting` is Prometheus' `for`, `severity` its label."""

    name: str
    expression: str
    lasting: str
    severity: str
    summary: str
    todo: str


def alerts(options: Options) -> tuple[Alert, ...]:
    """All of them, the ones about certificates first."""
    return (*_certificates(options), *_verdicts(), *_service(options))


def rule(options: Options) -> Object:
    """The PrometheusRule."""
    group = {"name": NAME, "rules": [_rendered(alert) for alert in alerts(options)]}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": metadata(options),
        "spec": {"groups": [group]},
    }


def _rendered(alert: Alert) -> Object:
    return {
        "alert": f"SkyhookWebhook{alert.name}",
        "expr": alert.expression,
        "for": alert.lasting,
        "labels": {"severity": alert.severity},
        "annotations": {"summary": alert.summary, "description": alert.todo},
    }


def _certificates(options: Options) -> Iterable[Alert]:
    left = "min by (cert) (skyhook_webhook_certificate_expiry_timestamp_seconds) - time()"
    doctor = f"Run `skyhook-webhook doctor -n {options.namespace}`; it says what is in the way."
    for name, days, severity in (("Expires", 14, "warning"), ("ExpiresNow", 2, "critical")):
        yield Alert(
            f"Certificate{name}",
            f"{left} < {days * DAY}",
            "15m",
            severity,
            f"The {{{{ $labels.cert }}}} certificate is over in less than {days} days.",
            f"It should have been renewed a third of its life before the end. {doctor}",
        )
    yield Alert(
        "RotationHeld",
        "max(skyhook_webhook_rotation_held) == 1",
        "1h",
        "warning",
        "The rotation of the CA waits.",
        f"A caBundle lacks the new CA, or a replica shows an old leaf or can't be reached. {doctor}",
    )
    yield Alert(
        "CABundleWrong",
        "min by (kind, object) (skyhook_webhook_ca_bundle_right) == 0",
        "5m",
        "critical",
        "The caBundle of {{ $labels.kind }} {{ $labels.object }} is wrong.",
        f"Calls fail, and what fails is let through (Ignore). Somebody else writes it, or we may not. {doctor}",
    )
    yield Alert(
        "CertificateSourceBroken",
        "max(skyhook_webhook_certificate_source_broken) == 1",
        "15m",
        "warning",
        "The Secret or folder holds no usable certificate; an older one is served.",
        f"The log of a replica names what is wrong with it. {doctor}",
    )


def _verdicts() -> Iterable[Alert]:
    denied = 'skyhook_webhook_reviews_total{allowed="false"%s}'
    yield Alert(
        "OperatorDenied",
        "sum by (kind, subresource) (increase(%s[15m])) > 0" % (denied % ',writer="operator"'),
        "0m",
        "critical",
        "A write of the operator to {{ $labels.kind }} was denied.",
        "It is retried for ever with the same content. Set mode audit (docs/emergency.md), then report the rule.",
    )
    yield Alert(
        "Denied",
        "sum by (kind, subresource, writer) (increase(%s[15m])) > 0"
        % (denied % ',writer!="operator"'),
        "0m",
        "info",
        "Writes of a {{ $labels.writer }} to {{ $labels.kind }} were denied.",
        "The log names user, field and rule.",
    )
    yield Alert(
        "WouldDeny",
        "sum by (rule) (increase(skyhook_webhook_would_deny_total[1h])) > 0",
        "0m",
        "info",
        "Rule {{ $labels.rule }} would have denied a write.",
        "Look at it before the mode becomes enforce: the log names user, field and value.",
    )
    yield Alert(
        "GlassBroken",
        "sum by (kind) (increase(skyhook_webhook_break_glass_total[15m])) > 0",
        "0m",
        "warning",
        "Writes of a {{ $labels.kind }} were let through by a break-glass annotation.",
        "The log names user, object, reason and the rules that were passed over.",
    )
    yield Alert(
        "PatchWithheld",
        'sum by (kind) (increase(skyhook_webhook_mutations_total{done="withheld"}[1h])) > 0',
        "0m",
        "info",
        "Conditions of a {{ $labels.kind }} were left as they were.",
        "Their shape could not be understood; the write itself went through.",
    )


def _service(options: Options) -> Iterable[Alert]:
    scraped = f'{{namespace="{options.namespace}",service="{METRICS_SERVICE}"}}'
    ours = f'{{namespace="{options.namespace}",deployment="{NAME}"}}'
    yield Alert(
        "Faults",
        'sum by (webhook) (rate(controller_runtime_webhook_requests_total{code=~"5.."}[5m])) > 0',
        "10m",
        "critical",
        "{{ $labels.webhook }} answers with faults of ours.",
        "Writes are let through (Ignore) or fail (Fail). The log holds the trace; report it.",
    )
    yield Alert(
        "SettingsBroken",
        "max(skyhook_webhook_settings_broken) == 1",
        "15m",
        "warning",
        "The settings can't be used; those of before are in force.",
        "A replica that starts anew would not start. Its log says what is wrong with them.",
    )
    yield Alert(
        "Slow",
        "histogram_quantile(0.99, sum by (le, webhook)"
        " (rate(controller_runtime_webhook_latency_seconds_bucket[5m])))"
        f" > {options.timeout_seconds / 3:g}",
        "15m",
        "warning",
        "One call in a hundred to {{ $labels.webhook }} takes a third of its timeout.",
        "Give the Deployment more CPU or replicas.",
    )
    yield Alert(
        "Down",
        f"absent(up{scraped} == 1)",
        "5m",
        "critical",
        "No replica answers.",
        "Nothing is guarded; docs/emergency.md says what goes on and what does not.",
    )
    yield Alert(
        "NotReady",
        f"kube_deployment_status_replicas_unavailable{ours} > 0",
        "15m",
        "warning",
        "A replica has not been ready for a quarter of an hour.",
        "`kubectl describe pod` and its /readyz say why.",
    )
