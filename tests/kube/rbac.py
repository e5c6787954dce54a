"""What each actor may do: close to what its real counterpart may."""

from __future__ import annotations

from typing import Any

from tests.kube.actors import ACTORS, NODES

RBAC = "rbac.authorization.k8s.io"
WRITE = ["create", "get", "list", "watch", "update", "patch", "delete"]
OPERATOR_RULES = [
    {
        "apiGroups": ["skyhook.nvidia.com", "nodewright.nvidia.com"],
        "resources": ["*"],
        "verbs": WRITE,
    },
    {"apiGroups": [""], "resources": ["nodes", "nodes/status"], "verbs": WRITE},
    {
        "apiGroups": [""],
        "resources": ["pods", "pods/eviction", "configmaps", "secrets", "events"],
        "verbs": WRITE,
    },
    {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": WRITE},
]
ROLES: dict[str, list[dict[str, list[str]]]] = {
    "actor-operator": OPERATOR_RULES,
    "actor-kubelet": [
        {"apiGroups": [""], "resources": ["nodes", "nodes/status"], "verbs": WRITE},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": WRITE},
    ],
    "actor-node-controller": [
        {"apiGroups": [""], "resources": ["nodes", "nodes/status", "pods"], "verbs": WRITE},
    ],
    "actor-garbage-collector": [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch", "patch", "update", "delete"]},
    ],
}  # fmt: skip
USERS = {
    "operator": "actor-operator",
    "nodewright-operator": "actor-operator",
    "bystander": "actor-operator",  # a release under another name: the same rights, another user name
    "node-controller": "actor-node-controller",
    "garbage-collector": "actor-garbage-collector",
}
GROUPS = {
    "platform-team": "cluster-admin",
    "sre-team": "cluster-admin",
    "gitops": "cluster-admin",
    NODES: "actor-kubelet",
}


def objects() -> list[dict[str, Any]]:
    """ClusterRoles and bindings. The webhook's own account gets none: the product's manifests must do."""
    roles = [
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": "ClusterRole",
            "metadata": {"name": name},
            "rules": rules,
        }
        for name, rules in ROLES.items()
    ]
    users = [_binding("User", ACTORS[name].user, role) for name, role in USERS.items()]
    return [*roles, *users, *(_binding("Group", group, role) for group, role in GROUPS.items())]


def _binding(kind: str, subject: str, role: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"actor:{subject}"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": RBAC, "kind": kind, "name": subject}],
    }
