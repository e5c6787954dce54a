"""Checks of what runs: is it there, does it answer, and whom does it meet in its namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.certs.cluster import Kind
from webhook.certs.operators import OPERATORS
from webhook.doctor.diagnosis import Diagnosis, Level
from webhook.doctor.snapshot import matching, named, namespace_of
from webhook.manifests.options import NAME, NAMESPACE, selector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.doctor.snapshot import Object, Snapshot

_OPERATOR_LABELS: Final = {
    "control-plane": ("controller-manager",),
    "app.kubernetes.io/name": OPERATORS,
    "nodewright.nvidia.com/webhook-config": None,
}
"""Labels by which the operator's own Services, policies and cleanup select; None for any value."""


def installed(found: Snapshot) -> Iterator[Diagnosis]:
    """Everything that belongs to an installation is there."""
    parts = [kind for kind in (Kind.VALIDATING, Kind.MUTATING) if found.ours(kind)]
    missing = [kind for kind in ("Deployment", "Service") if found.ours(kind) is None]
    if not parts and len(missing) == 2:
        message = f"nothing of ours is here, or not in namespace {found.namespace}"
        yield _error(
            "installed", f"Namespace {found.namespace}", message, "docs/install.md; -n says where"
        )
        return
    for kind in missing:
        yield _error(
            "installed",
            f"{kind} {found.namespace}/{NAME}",
            "is not there, so nobody answers; what can't be judged is let through",
            "apply the manifests, or remove the webhook configurations too (docs/removal.md)",
        )
    for kind in (Kind.VALIDATING, Kind.MUTATING):
        if kind not in parts:
            guarded = (
                "no write is judged" if kind is Kind.VALIDATING else "no condition is kept in step"
            )
            yield _error(
                "installed", f"{kind} {NAME}", f"is not there: {guarded}", "apply the manifests"
            )


def replicas(found: Snapshot) -> Iterator[Diagnosis]:
    """Enough replicas answer, and a budget never holds up a drain."""
    deployment = found.ours("Deployment")
    if deployment is None:
        return
    wanted = (deployment.get("spec") or {}).get("replicas", 1)
    available = (deployment.get("status") or {}).get("availableReplicas", 0)
    if available == 0:
        message = f"none of {wanted} replicas is available: nothing is judged"
        yield _error(
            "replicas", named(deployment), message, "kubectl describe its Pods; docs/emergency.md"
        )
    elif available < wanted:
        message = f"{available} of {wanted} replicas are available"
        yield Diagnosis(
            "replicas", Level.WARNING, named(deployment), message, "kubectl describe its Pods"
        )
    for budget in found.inside("PodDisruptionBudget"):
        spec = budget.get("spec") or {}
        if matching(selector(), (spec.get("selector") or {}).get("matchLabels") or {}):
            least = spec.get("minAvailable")
            if isinstance(least, int) and least >= wanted:
                message = f"wants {least} of {wanted} replicas available: it holds up every drain of their Nodes"
                yield Diagnosis(
                    "replicas", Level.WARNING, named(budget), message, "maxUnavailable: 1 does not"
                )


def service_links(found: Snapshot) -> Iterator[Diagnosis]:
    """The Service's own variables do not become settings."""
    deployment = found.ours("Deployment")
    if deployment is None:
        return
    spec = deployment["spec"]["template"]["spec"]
    if spec.get("enableServiceLinks", True):
        message = f"a Service called {NAME} gives its Pods SKYHOOK_WEBHOOK_PORT=tcp://…, which is a setting of ours"
        yield Diagnosis(
            "service-links", Level.WARNING, named(deployment), message, "enableServiceLinks: false"
        )


def namespace_clash(found: Snapshot) -> Iterator[Diagnosis]:
    """The namespace is ours alone."""
    for operator in found.operators():
        if namespace_of(operator) == found.namespace:
            yield Diagnosis(
                "namespace-clash",
                Level.WARNING,
                named(operator),
                "the operator lives in our namespace: its limits and policies reach us, it may write our"
                " Secrets, and its upgrade counts our Service as its own",
                f"install into a namespace of its own, such as {NAMESPACE}",
            )


def label_clash(found: Snapshot) -> Iterator[Diagnosis]:
    """No label of the operator is on us, and no selector picks what is not its own."""
    for obj in (
        found.ours(kind) for kind in ("Deployment", "Service", Kind.VALIDATING, Kind.MUTATING)
    ):
        if obj is not None:
            yield from _worn(obj)
    ours = found.ours("Deployment")
    labels = _pod_labels(ours) if ours else {}
    for service in found.inside("Service"):
        wanted = (service.get("spec") or {}).get("selector") or {}
        if not service["metadata"]["name"].startswith(NAME) and matching(labels, wanted):
            message = "selects our Pods: what it is called for reaches us"
            yield Diagnosis(
                "label-clash", Level.WARNING, named(service), message, "change its selector"
            )
    called = found.ours("Service")
    wanted = ((called or {}).get("spec") or {}).get("selector") or {}
    for other in found.inside("Deployment"):
        if other is not ours and matching(_pod_labels(other), wanted):
            message = f"has Pods that Service {NAME} selects: calls meant for us reach them"
            yield _error("label-clash", named(other), message, "change its labels")


def _worn(obj: Object) -> Iterator[Diagnosis]:
    labels = {**(obj["metadata"].get("labels") or {})}
    if obj["kind"] == "Deployment":
        labels |= _pod_labels(obj)
    for label, values in _OPERATOR_LABELS.items():
        if label in labels and (values is None or labels[label] in values):
            message = (
                f"carries {label}={labels[label]}, by which the operator finds what is its own"
            )
            yield _error("label-clash", named(obj), message, "take the label away")


def _pod_labels(deployment: Object) -> dict[str, str]:
    template = (deployment.get("spec") or {}).get("template") or {}
    labels: dict[str, str] = (template.get("metadata") or {}).get("labels") or {}
    return labels


def _error(check: str, about: str, message: str, remedy: str) -> Diagnosis:
    return Diagnosis(check, Level.ERROR, about, message, remedy)
