"""Who we are to the API server and what we may do: nothing, but for the self-signed mode."""

from __future__ import annotations

from typing import Any, Final

from webhook.manifests.options import NAME, SHARED_SECRET, Object, Options, Tls, metadata

RBAC: Final = "rbac.authorization.k8s.io"
EVIDENCE: Final = f"{NAME}-nodes"
CRDS: Final = ("nodewrights.nodewright.nvidia.com", "skyhooks.skyhook.nvidia.com")
_SEE: Final = ("get", "list", "watch")


def account(options: Options) -> Object:
    """Our ServiceAccount; its token is mounted only where something is allowed to it."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata(options),
        "automountServiceAccountToken": False,
    }


def grants(options: Options) -> list[Object]:
    """Roles and bindings. With mounted certificates nobody has to ask the API server for anything."""
    if options.tls is not Tls.SELF_SIGNED:
        return evidence(options) if options.cross_check else []
    return [
        _role(options, "ClusterRole", _cluster_rules(options)),
        _binding(options, "ClusterRole"),
        _role(options, "Role", _namespace_rules()),
        _binding(options, "Role"),
    ]


def _cluster_rules(options: Options) -> list[Object]:
    """CaBundles, by name, and for the cross-check a Node or a Skyhook, by whatever name.

    A list or watch of one name is allowed by that name too.
    """
    ours = _rule(
        "admissionregistration.k8s.io",
        ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"),
        (*_SEE, "patch"),
        (NAME,),
    )
    verbs = (*_SEE, "patch") if options.conversion else _SEE
    crds = _rule("apiextensions.k8s.io", ("customresourcedefinitions",), verbs, CRDS)
    return [ours, crds, *_evidence_rules()]


def _evidence_rules() -> list[Object]:
    """Nodes, and those whose records they keep."""
    kinds = [
        ("", "nodes"),
        *((group, plural) for plural, _, group in (c.partition(".") for c in CRDS)),
    ]
    return [_rule(group, (plural,), ("get",)) for group, plural in kinds]


def evidence(options: Options) -> list[Object]:
    """What a cross-check needs where our account may do nothing else."""
    return [
        _role(options, "ClusterRole", _evidence_rules(), EVIDENCE),
        _binding(options, "ClusterRole", EVIDENCE),
    ]


def _namespace_rules() -> list[Object]:
    """The shared Secret (a creation has no name that could be allowed alone), and who we are."""
    return [
        _rule("", ("secrets",), ("create",)),
        _rule("", ("secrets",), ("get", "update"), (SHARED_SECRET,)),
        _rule("discovery.k8s.io", ("endpointslices",), _SEE),
    ]


def _rule(
    group: str, resources: tuple[str, ...], verbs: tuple[str, ...], names: tuple[str, ...] = ()
) -> Object:
    rule: dict[str, Any] = {"apiGroups": [group], "resources": list(resources)}
    if names:
        rule["resourceNames"] = list(names)
    return {**rule, "verbs": list(verbs)}


def _role(options: Options, kind: str, rules: list[Object], name: str = NAME) -> Object:
    about = metadata(options, name, namespaced=kind == "Role")
    return {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": about, "rules": rules}


def _binding(options: Options, kind: str, name: str = NAME) -> Object:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata(options, name, namespaced=kind == "Role"),
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": options.namespace}],
    }
