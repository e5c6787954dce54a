"""Values of the chart, and the options that have to give the same objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.manifests.engine import NAMESPACE, OPTIONS
from webhook.manifests.options import Options, Tls

PLAIN = replace(OPTIONS, namespace=NAMESPACE)


def choice(values: dict[str, Any], **options: Any) -> tuple[dict[str, Any], Options]:
    return values, replace(PLAIN, **options)


CHOICES: list[tuple[dict[str, Any], Options]] = [
    choice({}),
    choice({"replicas": 1}, replicas=1),
    choice({"replicas": 3}, replicas=3),
    choice({"tls": "cert-manager"}, tls=Tls.CERT_MANAGER),
    choice({"tls": "mounted"}, tls=Tls.MOUNTED),
    choice(
        {"port": 10250, "metricsPort": 18080, "healthPort": 18081},
        port=10250, metrics_port=18080, health_port=18081,
    ),
    choice({"hostNetwork": True, "port": 9444}, host_network=True, port=9444),
    choice({"ipv6Only": True}, ipv6_only=True),
    choice({"failSpecs": True, "timeoutSeconds": 9}, fail_specs=True, timeout_seconds=9),
    choice({"monitoring": True, "timeoutSeconds": 6}, monitoring=True, timeout_seconds=6),
    choice({"conversion": True}, conversion=True),
    choice({"crossCheck": True}, cross_check=True),
    choice({"tls": "mounted", "crossCheck": True}, tls=Tls.MOUNTED, cross_check=True),
    choice({"tls": "cert-manager", "crossCheck": True}, tls=Tls.CERT_MANAGER, cross_check=True),
    choice({"image": {"repository": "example.com/hook", "tag": "1"}}, image="example.com/hook:1"),
    choice({"image": {"digest": "sha256:" + 64 * "a"}}, image=f"skyhook-webhook@sha256:{64 * 'a'}"),
    choice({"priorityClassName": "ours"}, priority_class="ours"),
    choice({"settings": {"mode": "audit"}}, settings={**OPTIONS.settings, "mode": "audit"}),
    choice(
        {"settings": {"shutdown_delay": 0, "shutdown_grace": 7.5}},
        settings={**OPTIONS.settings, "shutdown_delay": 0, "shutdown_grace": 7.5},
    ),
    choice(
        {"settings": {"modes": [{"mode": "off", "writers": ["<a> & b"]}]}},
        settings={**OPTIONS.settings, "modes": [{"mode": "off", "writers": ["<a> & b"]}]},
    ),
]  # fmt: skip
