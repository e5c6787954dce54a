"""The values of the Helm chart: their defaults, what they mean, and the schema that refuses others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from webhook.documents import dump_yaml
from webhook.manifests.options import NAME, Tls
from webhook.manifests.workload import RESOURCES, deployment

if TYPE_CHECKING:
    from webhook.manifests.options import Options

_TYPES: Final = (
    (bool, "boolean"),
    (int, "integer"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
_MODES: Final = ("self-signed", "cert-manager", "mounted")
_PORTS: Final = frozenset({"port", "metricsPort", "healthPort"})


@dataclass(frozen=True, slots=True)
class Value:
    """One top-level value of the chart."""

    name: str
    default: Any
    about: str


def values(options: Options) -> tuple[Value, ...]:
    """All of them, in the order of the file."""
    pod = deployment(options)["spec"]["template"]["spec"]
    image = {"repository": NAME, "tag": "", "digest": "", "pullPolicy": "IfNotPresent"}
    return (
        Value("image", image, "Without tag: the chart's appVersion. A digest wins over a tag."),
        Value("imagePullSecrets", [], "Of the form [{name: …}]."),
        Value("replicas", options.replicas, "With one there is no disruption budget; v1beta1 needs two."),
        Value("tls", Tls.SELF_SIGNED.value, "self-signed; cert-manager; or mounted: you fill the Secret skyhook-webhook-tls and the caBundles."),
        Value("settings", options.document, "The document of `serve --config`; the README lists all settings. `mode: audit` denies nothing."),
        Value("failSpecs", options.fail_specs, "Refuse spec writes while no replica answers. Status, Node and condition writes never are."),
        Value("timeoutSeconds", options.timeout_seconds, "How long the API server waits for a verdict."),
        Value("conversion", options.conversion, "We may keep the caBundles of the operator's CRDs (docs/install.md, the second version)."),
        Value("monitoring", options.monitoring, "ServiceMonitor, PrometheusRule and Grafana dashboard; needs the Prometheus operator's CRDs."),
        Value("crossCheck", options.cross_check, "With tls mounted or cert-manager: we may get Nodes and Skyhooks (docs/cross-check.md). self-signed always may."),
        Value("networkPolicy", default=True, about="Who may call us and what may leave."),
        Value("quota", default=True, about="A ResourceQuota that admits the priority class, as some clusters demand."),
        Value("port", options.port, "Of the HTTPS listener. A private cluster's firewall has to let the control plane reach it."),
        Value("metricsPort", options.metrics_port, "Of /metrics."),
        Value("healthPort", options.health_port, "Of /healthz and /readyz."),
        Value("hostNetwork", options.host_network, "For control planes that can't reach Pods. Label the namespace pod-security.kubernetes.io/enforce=privileged."),
        Value("ipv6Only", options.ipv6_only, "Listen on IPv6 addresses."),
        Value("priorityClassName", options.priority_class, "We should be evicted after what we guard."),
        Value("resources", RESOURCES, "No CPU limit: a throttled verdict is a late one."),
        Value("podAnnotations", {}, "Further annotations of the Pods."),
        Value("nodeSelector", {}, "Quiet Nodes: Skyhook cordons and drains those that it works on."),
        Value("tolerations", pod["tolerations"], "Nodes that wait for their packages."),
        Value("topologySpreadConstraints", pod["topologySpreadConstraints"], "Replicas apart."),
        Value("affinity", pod["affinity"], "The same, stronger."),
    )  # fmt: skip


def values_text(options: Options) -> str:
    """`values.yaml`, each value under a line that says what it means."""
    return "\n".join(
        f"# {value.about}\n{dump_yaml({value.name: value.default})}" for value in values(options)
    )


def schema_text(options: Options) -> str:
    """`values.schema.json`: a misspelt value is an error, not a default."""
    properties = {value.name: _schema(value) for value in values(options)}
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "additionalProperties": False,
        "properties": {**properties, "global": {"type": "object"}},
    }
    return json.dumps(schema, indent=2) + "\n"


def _schema(value: Value) -> dict[str, Any]:
    kind = next(name for known, name in _TYPES if isinstance(value.default, known))
    schema: dict[str, Any] = {"type": kind, "description": value.about}
    if value.name == "tls":
        schema["enum"] = list(_MODES)
    if value.name in _PORTS:
        schema |= {"minimum": 1, "maximum": 65535}
    if value.name == "replicas":
        schema["minimum"] = 1
    if value.name == "timeoutSeconds":
        schema |= {"minimum": 1, "maximum": 30}
    if value.name == "image":
        schema |= {
            "additionalProperties": False,
            "properties": {key: {"type": "string"} for key in value.default},
        }
    return schema
