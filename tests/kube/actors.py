"""Who writes: one identity per real actor, named and grouped as in the recordings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

NODES = "system:nodes"
_ACCOUNT = "system:serviceaccount:"
_NODE = "system:node:"


@dataclass(frozen=True, slots=True)
class Actor:
    """A user name and its groups; the API server itself adds `system:authenticated`."""

    user: str
    groups: tuple[str, ...] = ()

    @classmethod
    def of_user(cls, user: str) -> Self:
        """A user with the groups that the form of its name implies; none for a person."""
        if user.startswith(_NODE):
            return cls(user, (NODES,))
        if user.startswith(_ACCOUNT):
            namespace = user.removeprefix(_ACCOUNT).partition(":")[0]
            return cls(user, ("system:serviceaccounts", f"system:serviceaccounts:{namespace}"))
        return cls(user)


ACTORS = {
    "kubernetes-admin": Actor("kubernetes-admin", ("system:masters",)),
    "platform-admin": Actor("platform-admin", ("platform-team",)),
    "sre-oncall": Actor("sre-oncall", ("sre-team",)),
    "argocd-application-controller": Actor("argocd-application-controller", ("gitops",)),
    "operator": Actor.of_user(f"{_ACCOUNT}skyhook:skyhook-operator-controller-manager"),
    "nodewright-operator": Actor.of_user(f"{_ACCOUNT}nodewright:nodewright-controller-manager"),
    "node-controller": Actor.of_user(f"{_ACCOUNT}kube-system:node-controller"),
    "garbage-collector": Actor.of_user(f"{_ACCOUNT}kube-system:generic-garbage-collector"),
    "bystander": Actor.of_user(f"{_ACCOUNT}fleet:rollouts"),  # another service account
    "webhook": Actor.of_user(f"{_ACCOUNT}skyhook-webhook:skyhook-webhook"),
    **{f"{_NODE}node-{number}": Actor.of_user(f"{_NODE}node-{number}") for number in range(6)},
}
