"""Policies on a real API server, and two users who may do everything: one whom they judge, one not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.profiles.cluster.crds import ADMIN

if TYPE_CHECKING:
    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane
    from webhook.manifests.policy import PolicySet

SETUP, WRITER = "setup", "writer"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
POLICY = "ValidatingAdmissionPolicy"
PLURALS = {
    POLICY: "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
}
TAKES_EFFECT = 30.0
FORGOTTEN_AFTER = 2.0  # nothing shows when the API server has let go of a policy


def grant(control_plane: ControlPlane) -> None:
    """Lets both users do everything."""
    for user in (SETUP, WRITER):
        body = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": f"everything-{user}"},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "cluster-admin",
            },
            "subjects": [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}],
        }
        status, answer = control_plane.request(ADMIN, "POST", f"{RBAC}/clusterrolebindings", body)
        assert status in (201, 409), answer


def apply(control_plane: ControlPlane, made: PolicySet) -> None:
    """Creates policies and bindings, each of which has to compile; others for the group go.

    The API server shows a policy what is written in any version of its resource, converted.
    """
    _remove_others(control_plane, made)
    for item in made.objects:
        path = f"{ADMISSION}/{PLURALS[item['kind']]}"
        status, answer = control_plane.request(ADMIN, "POST", path, item)
        assert status in (201, 409), answer


def until_denied(control_plane: ControlPlane, method: str, path: str, body: Any) -> None:
    """Waits until the policies are in force: this write, not to be stored, must be denied."""
    deadline = time.monotonic() + TAKES_EFFECT
    while not denied(control_plane.call(WRITER, method, f"{path}?dryRun=All", body)):
        assert time.monotonic() < deadline, "the policies do not take effect"
        time.sleep(0.2)


def denied(answer: Response) -> bool:
    """Whether a policy denied the write; anything but that and success is a fault of the test."""
    by_policy = answer.status == 422 and "ValidatingAdmissionPolicy" in str(answer.body)
    assert by_policy or answer.status in (200, 201), (answer.status, answer.body)
    return by_policy


def _remove_others(control_plane: ControlPlane, made: PolicySet) -> None:
    names = {item["metadata"]["name"] for item in made.objects}
    groups = {_group(item) for item in made.objects if item["kind"] == POLICY}
    _, there = control_plane.request(ADMIN, "GET", f"{ADMISSION}/{PLURALS[POLICY]}")
    for item in there["items"]:
        name = item["metadata"]["name"]
        if name not in names and _group(item) in groups:
            for plural in PLURALS.values():
                control_plane.request(ADMIN, "DELETE", f"{ADMISSION}/{plural}/{name}")
            time.sleep(FORGOTTEN_AFTER)


def _group(item: dict[str, Any]) -> str | None:
    rules = item["spec"].get("matchConstraints", {}).get("resourceRules") or [{"apiGroups": [None]}]
    group: str | None = rules[0]["apiGroups"][0]
    return group
