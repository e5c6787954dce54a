"""How calls reach us and what leaves us: Services and the NetworkPolicy."""

from __future__ import annotations

from typing import Any, Final

from webhook.manifests.options import (
    METRICS_SERVICE,
    NAME,
    Object,
    Options,
    metadata,
    selector,
)

HTTPS, METRICS, HEALTH = "https", "metrics", "health"
"""Names of the container's ports: everything but the container goes by them."""
_API_SERVER_PORTS: Final = (443, 6443, 8443, 16443)
_DNS_PORTS: Final = (("UDP", 53), ("TCP", 53))


def services(options: Options) -> list[Object]:
    """One for the API server and one for Prometheus.

    The first has one port alone: replicas look for each other by it.
    """
    return [
        _service(options, NAME, HTTPS, 443),
        _service(options, METRICS_SERVICE, METRICS, options.metrics_port),
    ]


def _service(options: Options, name: str, port: str, number: int) -> Object:
    about = metadata(options, name)
    if port == METRICS:
        about["labels"]["app.kubernetes.io/component"] = "metrics"
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": about,
        "spec": {
            "selector": selector(),
            "ports": [{"name": port, "port": number, "protocol": "TCP", "targetPort": port}],
        },
    }


def policy(options: Options) -> Object:
    """Calls from anywhere, since API servers and kubelets are no Pods; metrics from Pods alone.

    Out: to the API server, whose address no selector can name, and to our other replicas.
    """
    spec: dict[str, Any] = {
        "podSelector": {"matchLabels": selector()},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [
            {"ports": [_port(HTTPS), _port(HEALTH)]},
            {"from": [{"namespaceSelector": {}}], "ports": [_port(METRICS)]},
        ],
        "egress": egress(options),
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(options),
        "spec": spec,
    }


def egress(options: Options) -> list[Object]:
    """What may leave: nothing with mounted certificates and without cross-checks."""
    if not options.asks:
        return []
    ours = {"podSelector": {"matchLabels": selector()}}
    return [
        {"ports": [_port(number) for number in _API_SERVER_PORTS]},
        {"ports": [_port(number, protocol) for protocol, number in _DNS_PORTS]},
        {"to": [ours], "ports": [_port(HTTPS)]},
    ]


def _port(port: str | int, protocol: str = "TCP") -> Object:
    return {"port": port, "protocol": protocol}
