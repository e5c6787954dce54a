"""A healthy cluster as a list of objects, and what an API server makes of what we render."""

from __future__ import annotations

import base64
import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.manifests.engine import OPTIONS
from webhook.certs.authority import Authority, service_names
from webhook.certs.keyring import Keyring, Lives
from webhook.certs.secret import secret_of
from webhook.conversions.crd import add_spoke, serve_spoke, service_config
from webhook.doctor.snapshot import Snapshot
from webhook.manifests.options import MOUNTED_SECRET, NAME, NAMESPACE, SHARED_SECRET, Tls
from webhook.manifests.render import render

Object = dict[str, Any]

NOW = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
NAMES = service_names(NAME, NAMESPACE)
KEYRING = Keyring.fresh(NAMES, now=NOW - timedelta(days=3), lives=Lives())
CRDS = Path(__file__).resolve().parents[2] / "manifests" / "crds"
KINDS = {("skyhook.nvidia.com", "Skyhook"), ("nodewright.nvidia.com", "NodeWright")}


def base64_of(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


def stored(obj: Object, ca_pem: bytes) -> Object:
    """With what the API server and the owner of caBundles add."""
    obj = copy.deepcopy(obj)
    obj["metadata"] |= {"uid": f"uid-{obj['kind']}", "resourceVersion": "7"}
    for webhook in obj.get("webhooks", ()):
        webhook["clientConfig"]["caBundle"] = base64_of(ca_pem)
        webhook |= {"namespaceSelector": {}, "objectSelector": {}}
    if obj["kind"] == "Deployment":
        obj["status"] = {"availableReplicas": obj["spec"]["replicas"], "replicas": 2}
    return obj


@cache
def read(name: str) -> Object:
    found: Object = yaml.safe_load((CRDS / f"{name}.yaml").read_text())
    return found


def crd(name: str, *, added: bool = False, served: bool = False, ca_pem: bytes = b"") -> Object:
    """A CRD of the operator's, with our version or without."""
    found = copy.deepcopy(read(name))
    if added:
        found = add_spoke(found, service_config(NAME, NAMESPACE), KINDS)
    if served:
        found = serve_spoke(found)
        found["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = base64_of(ca_pem)
    found["metadata"] |= {"uid": f"uid-{name}", "resourceVersion": "9"}
    found["status"] = {"storedVersions": ["v1alpha1"]}
    return found


def operator(
    namespace: str = "skyhook", image: str = "example.com/skyhook/operator:v0.16.2"
) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "skyhook-skyhook-operator-controller-manager",
            "namespace": namespace,
            "labels": {
                "app.kubernetes.io/name": "skyhook-operator",
                "control-plane": "controller-manager",
            },
        },
        "spec": {
            "replicas": 1,
            "template": {
                "metadata": {"labels": {"control-plane": "controller-manager"}},
                "spec": {
                    "serviceAccountName": "skyhook-skyhook-operator-controller-manager",
                    "containers": [{"name": "manager", "image": image}],
                },
            },
        },
    }


def operator_configuration(kind: str = "ValidatingWebhookConfiguration") -> Object:
    """As chart 0.15 has it, with the operator's own CA in it."""
    role = "validate" if kind.startswith("V") else "mutate"
    ca = Authority.make("operator", now=NOW).cert_pem
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {
            "name": f"skyhook-operator-{'validating' if role == 'validate' else 'mutating'}-webhook"
        },
        "webhooks": [
            {
                "name": f"{role}-skyhook.nvidia.com",
                "clientConfig": {
                    "caBundle": base64_of(ca),
                    "service": {
                        "name": "skyhook-operator-webhook-service",
                        "namespace": "skyhook",
                        "path": "/x",
                    },
                },
                "rules": [
                    {
                        "apiGroups": ["skyhook.nvidia.com"],
                        "apiVersions": ["v1alpha1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["skyhooks"],
                        "scope": "*",
                    }
                ],
                "failurePolicy": "Fail",
                "matchPolicy": "Equivalent",
                "sideEffects": "None",
                "timeoutSeconds": 10,
                "admissionReviewVersions": ["v1"],
            }
        ],
    }


def secret(tls: Tls, keyring: Keyring = KEYRING) -> Object:
    if tls is Tls.SELF_SIGNED:
        found = secret_of(SHARED_SECRET, keyring)
    else:
        found = secret_of(MOUNTED_SECRET, keyring)
        kept = ("tls.crt", "tls.key", "ca.crt")
        found["data"] = {name: found["data"][name] for name in kept}
        found["metadata"]["annotations"] = {"cert-manager.io/certificate-name": NAME}
    found["metadata"] |= {"namespace": NAMESPACE, "resourceVersion": "3"}
    return found


def objects(tls: Tls = Tls.SELF_SIGNED, *, served: bool = False, **chosen: Any) -> list[Object]:
    """Everything that `fetch` would bring from a healthy cluster."""
    rendered = render(replace(OPTIONS, tls=tls, **chosen))
    ca = KEYRING.trust
    return [
        *(stored(obj, ca) for obj in rendered),
        secret(tls),
        operator(),
        operator_configuration(),
        operator_configuration("MutatingWebhookConfiguration"),
        crd("skyhooks", added=served, served=served, ca_pem=ca),
        crd("nodewrights"),
    ]


def snapshot(found: list[Object], **more: Any) -> Snapshot:
    return Snapshot(tuple(found), NAMESPACE, NOW, "0.1.0", **more)


def find(found: list[Object], kind: str, name: str = NAME) -> Object:
    return next(o for o in found if o["kind"] == kind and o["metadata"]["name"] == name)
