"""The webhook configurations: which writes come to us, and what happens when nobody answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from webhook.catalog import PROFILES
from webhook.conversions.converter import HUB
from webhook.manifests.expressions import changed, has_conditions, node_touched, on_nodes
from webhook.manifests.options import NAME, Object, Options, Tls, metadata

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.catalog import Catalog
    from webhook.lifecycle.model import Match, Profile

DOMAIN: Final = "guard.skyhook.nvidia.com"
API_VERSION: Final = "admissionregistration.k8s.io/v1"
VALIDATE, MUTATE = "/validate", "/mutate"
_UPDATE: Final = ("UPDATE",)
_WRITE: Final = ("CREATE", "UPDATE")
_DELETE: Final = ("DELETE",)


class ManifestError(ValueError):
    """What was asked for can't be rendered; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Objects that the API server has to send us.

    Attributes:
        versions: of the API group, never a converted one alone: with the converter down a rule on
            v1beta1 breaks v1alpha1 writes even under `Ignore` (measured).
        scope: `Cluster` for the profiles that come with us, else `*`: a profile does not say.
        subresources: "" for the object itself.
        prefix: of the profile's keys on Nodes; empty for a profile without.
        mirrored: old and new condition names are kept in step.
        deletions: a rule is about deletions.
    """

    group: str
    versions: tuple[str, ...]
    plural: str
    scope: str
    subresources: tuple[str, ...]
    prefix: str = ""
    mirrored: bool = False
    deletions: bool = False

    @property
    def is_node(self) -> bool:
        """Nodes have a webhook of their own."""
        return (self.group, self.plural) == ("", "nodes")


def kinds(catalog: Catalog) -> tuple[Kind, ...]:
    """Everything that the catalog judges, in its order. Raises ManifestError."""
    found = {
        _kind(profile, guard.match, deletions=guard.sees_deletions): None
        for profile in catalog.profiles
        for guard in profile.guards
    }
    return tuple(found)


def _kind(profile: Profile, match: Match, *, deletions: bool) -> Kind:
    if not match.plural:
        raise ManifestError(
            f"profile {profile.profile} does not name the plural of {match.kind}; add `plural` to its match"
        )
    identity = profile.identity
    converted = identity is not None and match.group == identity.group and HUB in match.versions
    return Kind(
        group=match.group,
        versions=(HUB,) if converted else tuple(match.versions),
        plural=match.plural,
        scope="Cluster" if profile.profile in PROFILES else "*",
        subresources=tuple(match.subresources),
        prefix=identity.prefix if identity else "",
        mirrored=(
            identity is not None
            and profile.conditions is not None
            and (match.group, match.plural) == (identity.group, identity.plural)
        ),
        deletions=deletions,
    )


def configurations(catalog: Catalog, options: Options) -> list[Object]:
    """Both configurations, without one that would be empty. Raises ManifestError."""
    found = kinds(catalog)
    objects = []
    for kind, webhooks in (
        ("ValidatingWebhookConfiguration", _validating(found, options)),
        ("MutatingWebhookConfiguration", _mutating(found, options)),
    ):
        if webhooks:
            objects.append(_configuration(kind, webhooks, options))
    return objects


def _configuration(kind: str, webhooks: list[Object], options: Options) -> Object:
    about = metadata(options, namespaced=False)
    about["annotations"] = configuration_annotations(options)
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": about, "webhooks": webhooks}


def configuration_annotations(options: Options) -> dict[str, str]:
    """For Argo CD: after everything else, when somebody answers. For cert-manager: whose CA."""
    annotations = {"argocd.argoproj.io/sync-wave": "1"}
    if options.tls is Tls.CERT_MANAGER:
        annotations["cert-manager.io/inject-ca-from"] = f"{options.namespace}/{NAME}"
    return annotations


def _validating(found: Iterable[Kind], options: Options) -> list[Object]:
    custom = [kind for kind in found if not kind.is_node]
    nodes = [kind for kind in found if kind.is_node]
    specs = _rules((k for k in custom if "" in k.subresources), "", _WRITE)
    statuses = _rules((k for k in custom if "status" in k.subresources), "/status", _UPDATE)
    entries = []
    if specs:
        entries.append(_webhook("validate-spec", VALIDATE, specs, ("changed", changed()), options))
        entries[-1]["failurePolicy"] = "Fail" if options.fail_specs else "Ignore"
    if statuses:
        entries.append(
            _webhook("validate-status", VALIDATE, statuses, ("changed", changed()), options)
        )
    deletions = _rules((k for k in custom if k.deletions), "", _DELETE)
    if deletions:  # an entry of its own: it never fails closed, whatever is chosen for specs
        there = ("on-nodes", on_nodes())
        entries.append(_webhook("validate-delete", VALIDATE, deletions, there, options))
    if nodes:
        if not all(kind.prefix for kind in nodes):
            raise ManifestError(
                "a profile judges Nodes, but has no identity with a prefix for its keys"
            )
        touched = ("touches-our-keys", node_touched(dict.fromkeys(k.prefix for k in nodes)))
        entries.append(_webhook("validate-node", VALIDATE, [_node_rule()], touched, options))
    return entries


def _mutating(found: Iterable[Kind], options: Options) -> list[Object]:
    rules = _rules((kind for kind in found if kind.mirrored), "/status", _UPDATE)
    if not rules:
        return []
    condition = ("has-conditions", has_conditions())
    entry = _webhook("mutate-conditions", MUTATE, rules, condition, options)
    return [{**entry, "reinvocationPolicy": "Never"}]


def _webhook(
    role: str, path: str, rules: list[Object], condition: tuple[str, str], options: Options
) -> Object:
    name, expression = condition
    return {
        "name": f"{role}.{DOMAIN}",
        "clientConfig": {
            "service": {"name": NAME, "namespace": options.namespace, "path": path, "port": 443}
        },
        "rules": rules,
        "matchConditions": [{"name": name, "expression": expression}],
        "matchPolicy": "Equivalent",
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "timeoutSeconds": options.timeout_seconds,
        "admissionReviewVersions": ["v1"],
    }


def _rules(found: Iterable[Kind], suffix: str, operations: tuple[str, ...]) -> list[Object]:
    """A rule for each group, version set and scope: one rule multiplies all that it names."""
    grouped: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for kind in found:
        plurals = grouped.setdefault((kind.group, kind.versions, kind.scope), [])
        plurals.append(f"{kind.plural}{suffix}")
    return [_rule(*key, plurals, operations) for key, plurals in grouped.items()]


def _rule(
    group: str,
    versions: tuple[str, ...],
    scope: str,
    resources: list[str],
    operations: tuple[str, ...],
) -> dict[str, Any]:
    return {
        "apiGroups": [group],
        "apiVersions": list(versions),
        "resources": resources,
        "operations": list(operations),
        "scope": scope,
    }


def _node_rule() -> dict[str, Any]:
    return _rule("", ("v1",), "Cluster", ["nodes", "nodes/status"], _UPDATE)
