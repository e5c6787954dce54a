"""CRDs of our own writing for the kinds that the profiles guard: open schemas with a status subresource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane
    from webhook.lifecycle.model import Match

ADMIN = "kubernetes-admin"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
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
    """Creates a CRD, or adds its versions to the one that is there, and waits until it is served."""
    name = document["metadata"]["name"]
    status, there = control_plane.request(ADMIN, "GET", f"{CRDS}/{name}")
    if status == 404:
        status, answer = control_plane.request(ADMIN, "POST", CRDS, document)
        assert status == 201, answer
    else:
        known = {version["name"] for version in there["spec"]["versions"]}
        more = [v for v in document["spec"]["versions"] if v["name"] not in known]
        there["spec"]["versions"] += [{**version, "storage": False} for version in more]
        status, answer = control_plane.request(ADMIN, "PUT", f"{CRDS}/{name}", there)
        assert status == 200, answer
    wait = ("wait", "--for=condition=Established", "--timeout=30s", f"crd/{name}")
    control_plane.kubectl(ADMIN, *wait)
