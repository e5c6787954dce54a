"""What runs: namespace, Deployment, disruption budget, settings."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from webhook.documents import dump_yaml
from webhook.manifests.network import HEALTH, HTTPS, METRICS
from webhook.manifests.options import (
    MOUNTED_SECRET,
    NAME,
    SETTINGS,
    SETTINGS_FILE,
    SETTINGS_FOLDER,
    USER_ID,
    Object,
    Options,
    Tls,
    labels,
    metadata,
    selector,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

CERT_FOLDER: Final = f"/var/run/{NAME}/certs"
TAINTS: Final = ("skyhook.nvidia.com", "nodewright.nvidia.com")
"""Keys of the taint that keeps Pods off a Node until its packages are there (RUNTIME_REQUIRED_TAINT)."""
SETTINGS_DIGEST: Final = "checksum/settings"
RESOURCES: Final = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}
_USES: Final = ("enforce", "audit", "warn")


def namespace(options: Options) -> Object:
    """A namespace of our own: not the operator's, whose quotas, policies and Secrets are the operator's."""
    about = metadata(options, options.namespace, namespaced=False)
    # Host networking is refused by `restricted` and by `baseline`.
    level = "privileged" if options.host_network else "restricted"
    for use in _USES:
        about["labels"][f"pod-security.kubernetes.io/{use}"] = level
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": about}


def quota(options: Options) -> Object:
    """Some clusters admit a system priority class only where a quota names it."""
    match = {
        "operator": "In",
        "scopeName": "PriorityClass",
        "values": [options.priority_class],
    }
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": metadata(options),
        "spec": {"hard": {"pods": "100"}, "scopeSelector": {"matchExpressions": [match]}},
    }


def settings(options: Options) -> Object:
    """The document of `serve --config`, and beside it the profiles that it names by their files."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(options, SETTINGS),
        "data": {SETTINGS_FILE: dump_yaml(options.document), **options.profile_files},
    }


def settings_digest(document: Mapping[str, Any]) -> str:
    """SHA-256 as Helm's `toJson | sha256sum` makes it: other settings, other Pods."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for sign in "<>&\u2028\u2029":  # as Go's encoder does
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return hashlib.sha256(text.encode()).hexdigest()


def budget(options: Options) -> Object | None:
    """One replica at a time; none for a single one, which would hold up every drain of its Node."""
    if options.replicas < 2:
        return None
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(options),
        "spec": {
            "maxUnavailable": 1,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": selector()},
        },
    }


def deployment(options: Options) -> Object:
    """Replicas that replace each other without a gap."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(options),
        "spec": {
            "replicas": options.replicas,
            "revisionHistoryLimit": 3,
            "selector": {"matchLabels": selector()},
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
            },
            "template": {
                "metadata": {
                    "labels": labels(options),
                    "annotations": {SETTINGS_DIGEST: settings_digest(options.document)},
                },
                "spec": _pod(options),
            },
        },
    }


def _pod(options: Options) -> Object:
    network: Object = {"dnsPolicy": "ClusterFirst"}
    if options.host_network:
        network = {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    return {
        "serviceAccountName": NAME,
        "automountServiceAccountToken": options.asks,
        # A Service called skyhook-webhook gives every Pod SKYHOOK_WEBHOOK_PORT=tcp://…: our own setting.
        "enableServiceLinks": False,
        "priorityClassName": options.priority_class,
        **network,
        "terminationGracePeriodSeconds": options.termination_seconds,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER_ID,
            "runAsGroup": USER_ID,
            "fsGroup": USER_ID,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(options)],
        "volumes": _volumes(options),
        "tolerations": [_toleration(key) for key in TAINTS],
        "topologySpreadConstraints": [
            _spread("kubernetes.io/hostname"),
            _spread("topology.kubernetes.io/zone"),
        ],
        "affinity": {"podAntiAffinity": _apart()},
    }


def _container(options: Options) -> Object:
    host = "[::]" if options.ipv6_only else ""
    arguments = [
        "serve",
        f"--config={SETTINGS_FOLDER}/{SETTINGS_FILE}",
        f"--bind-address={'::' if options.ipv6_only else '0.0.0.0'}",  # noqa: S104 - a Pod's own
        f"--port={options.port}",
        f"--metrics-bind-address={host}:{options.metrics_port}",
        f"--health-probe-bind-address={host}:{options.health_port}",
    ]
    ports = ((HTTPS, options.port), (METRICS, options.metrics_port), (HEALTH, options.health_port))
    return {
        "name": "webhook",
        "image": options.reference,
        "imagePullPolicy": "IfNotPresent",
        "args": arguments,
        "env": _environment(options),
        "ports": [{"name": n, "containerPort": p, "protocol": "TCP"} for n, p in ports],
        "resources": RESOURCES,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        # At first a certificate may have to come: up to a minute, and nothing answers before.
        "startupProbe": _probe("/healthz", every=2, failures=45),
        "livenessProbe": _probe("/healthz", every=10, failures=6),
        "readinessProbe": _probe("/readyz", every=3, failures=2),
        "volumeMounts": [
            {"name": volume["name"], "mountPath": folder, "readOnly": folder != "/tmp"}  # noqa: S108
            for volume, folder in zip(_volumes(options), _FOLDERS, strict=False)
        ],
    }


_FOLDERS: Final = ("/tmp", SETTINGS_FOLDER, CERT_FOLDER)  # noqa: S108 - a memory of the Pod's own


def _volumes(options: Options) -> list[Object]:
    volumes: list[Object] = [
        {"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "16Mi"}},
        {"name": "settings", "configMap": {"name": SETTINGS}},
    ]
    if options.tls is not Tls.SELF_SIGNED:
        secret = {"secretName": MOUNTED_SECRET, "defaultMode": 0o440}
        volumes.append({"name": "certs", "secret": secret})
    return volumes


def _environment(options: Options) -> list[Object]:
    own = {"fieldRef": {"fieldPath": "metadata.namespace"}}
    overrides = {
        f"SKYHOOK_WEBHOOK_{key.upper()}": value if isinstance(value, str) else json.dumps(value)
        for key, value in options.overrides.items()
    }
    given = {"SKYHOOK_WEBHOOK_SERVICE": NAME, **_tls_environment(options), **overrides}
    return [
        {"name": "SKYHOOK_WEBHOOK_NAMESPACE", "valueFrom": own},
        *({"name": name, "value": value} for name, value in given.items()),
    ]


def _tls_environment(options: Options) -> dict[str, str]:
    """What tells `serve` where its certificate comes from."""
    if options.tls is Tls.SELF_SIGNED:
        return {"SKYHOOK_WEBHOOK_TLS": "self-signed"}
    return {"SKYHOOK_WEBHOOK_TLS": "folder", "SKYHOOK_WEBHOOK_CERT_DIR": CERT_FOLDER}


def _probe(path: str, *, every: int, failures: int) -> Object:
    """/readyz makes a TLS call of its own, with five seconds to succeed."""
    return {
        "httpGet": {"path": path, "port": HEALTH},
        "periodSeconds": every,
        "timeoutSeconds": 6,
        "failureThreshold": failures,
    }


def _toleration(key: str) -> Object:
    return {
        "key": key,
        "operator": "Equal",
        "value": "runtime-required",
        "effect": "NoSchedule",
    }


def _spread(key: str) -> Object:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": selector()},
    }


def _apart() -> dict[str, Any]:
    """Skyhook drains Nodes: two replicas on one would go together."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": selector()}}
    return {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 100, "podAffinityTerm": term}
        ]
    }
