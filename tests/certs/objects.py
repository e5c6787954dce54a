"""Objects with caBundles, as manifests render them: without one."""

from __future__ import annotations

import base64
from typing import Any

from tests.certs.fake_cluster import NAMESPACE, SERVICE
from webhook.certs.cluster import Kind

VALIDATING, MUTATING, CRD = "skyhook-webhook", "skyhook-webhook", "skyhooks.skyhook.nvidia.com"


def client_config(path: str, service: str = SERVICE, namespace: str = NAMESPACE) -> dict[str, Any]:
    return {"service": {"name": service, "namespace": namespace, "path": path, "port": 443}}


def webhook(name: str, path: str, **config: str) -> dict[str, Any]:
    return {
        "name": name,
        "clientConfig": client_config(path, **config),
        "rules": [
            {
                "apiGroups": ["skyhook.example.com"],  # nothing that another test writes
                "apiVersions": ["*"],
                "operations": ["UPDATE"],
                "resources": ["skyhooks/status"],
                "scope": "*",
            }
        ],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "failurePolicy": "Ignore",
    }


def configuration(kind: Kind, name: str, *webhooks: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": kind.api_version,
        "kind": str(kind),
        "metadata": {"name": name},
        "webhooks": list(webhooks),
    }


def validating(name: str = VALIDATING) -> dict[str, Any]:
    """Ours between two of other people in one list: a place in it must not matter."""
    return configuration(
        Kind.VALIDATING,
        name,
        webhook("a.foreign.example.com", "/a", service="other"),
        webhook("validate-node.guard.skyhook.nvidia.com", "/validate"),
        webhook("same-name.other.example.com", "/b", namespace="elsewhere"),
        webhook("validate-status.guard.skyhook.nvidia.com", "/validate"),
    )


def mutating(name: str = MUTATING) -> dict[str, Any]:
    return configuration(
        Kind.MUTATING, name, webhook("mutate-conditions.guard.skyhook.nvidia.com", "/mutate")
    )


def crd(name: str = CRD) -> dict[str, Any]:
    plural, _, group = name.partition(".")
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": Kind.CRD.api_version,
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": group,
            "names": {"plural": plural, "kind": plural[:-1].title(), "singular": plural[:-1]},
            "scope": "Cluster",
            "versions": [
                {"name": "v1alpha1", "served": True, "storage": True, "schema": schema},
                {"name": "v1beta1", "served": True, "storage": False, "schema": schema},
            ],
            "conversion": {
                "strategy": "Webhook",
                "webhook": {
                    "clientConfig": client_config("/convert"),
                    "conversionReviewVersions": ["v1"],
                },
            },
        },
    }


def bundles(obj: dict[str, Any]) -> dict[str, bytes]:
    """The caBundles that an object holds: by webhook name, or under "" for a CRD."""
    if "webhooks" in obj:
        configs = {each["name"]: each["clientConfig"] for each in obj["webhooks"]}
    else:
        configs = {"": obj["spec"]["conversion"].get("webhook", {}).get("clientConfig", {})}
    return {
        name: base64.b64decode(config["caBundle"])
        for name, config in configs.items()
        if config.get("caBundle")
    }


def with_bundle(obj: dict[str, Any], pem: bytes | None) -> dict[str, Any]:
    """Every clientConfig of ours with another bundle, or with none."""
    configs = (
        [each["clientConfig"] for each in obj["webhooks"]]
        if "webhooks" in obj
        else [obj["spec"]["conversion"]["webhook"]["clientConfig"]]
    )
    for config in configs:
        if (config["service"]["name"], config["service"]["namespace"]) == (SERVICE, NAMESPACE):
            config.pop("caBundle", None)
            if pem is not None:
                config["caBundle"] = base64.b64encode(pem).decode()
    return obj
