"""CRDs of our own writing for the kinds that the profiles guard: open schemas with a status subresource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane
    from webhook.lifecycle.model import Match

ADMIN = "kubernetes-admin"
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def crd(match: Match) -> dict[str, Any]:
    """A CRD in which the API server checks nothing but metadata."""
    properties = {"spec": _OPEN, "status": _OPEN}
    schema = {"openAPIV3Schema": {"type": "object", "properties": properties}}
    names = {"kind": match.kind, "plural": match.plural, "singular": match.kind.lower()}
    versions = [
        {
            "name": version,
            "served": True,
            "storage": version == match.versions[0],
            "subresources": {"status": {}},
            "schema": schema,
        }
        for version in match.versions
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{match.plural}.{match.group}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, a test"},
        },
        "spec": {
            "group": match.group,
            "names": names,
            "scope": "Namespaced",
            "versions": versions,
        },
    }


def install(control_plane: ControlPlane, document: dict[str, Any]) -> None:
    """Creates a CRD, if it is not there, and waits until it is served."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    status, answer = control_plane.request(ADMIN, "POST", path, document)
    assert status in (201, 409), answer
    name = document["metadata"]["name"]
    wait = ("wait", "--for=condition=Established", "--timeout=30s", f"crd/{name}")
    control_plane.kubectl(ADMIN, *wait)
