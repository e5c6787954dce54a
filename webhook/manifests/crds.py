"""The operator's CRDs with our second version, within a stream of anything: a post-renderer for Helm."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from webhook.conversions.converter import SPOKE
from webhook.conversions.crd import CrdError, add_spoke, remove_spoke, serve_spoke, service_config
from webhook.manifests.options import NAME

if TYPE_CHECKING:
    from collections.abc import Container

    from webhook.catalog import Catalog

Crd = dict[str, Any]
INJECT: Final = "cert-manager.io/inject-ca-from"


class Step(StrEnum):
    """What is done to a CRD."""

    ADD = "add"
    SERVE = "serve"
    UNSERVE = "unserve"
    REMOVE = "remove"


def converted_kinds(catalog: Catalog) -> frozenset[tuple[str, str]]:
    """(group, kind) of what /convert knows."""
    return frozenset(
        (profile.identity.group, profile.identity.kind)
        for profile in catalog.profiles
        if profile.identity is not None and profile.conditions is not None
    )


def is_ours(obj: Any, kinds: Container[tuple[str, str]]) -> bool:
    """Whether it is a CRD of a kind that /convert knows."""
    if not isinstance(obj, Mapping) or obj.get("kind") != "CustomResourceDefinition":
        return False
    spec = obj.get("spec") or {}
    return (spec.get("group"), (spec.get("names") or {}).get("kind")) in kinds


def stepped(
    crd: Mapping[str, Any],
    step: Step,
    *,
    namespace: str,
    kinds: Container[tuple[str, str]],
    inject: bool = False,
) -> Crd:
    """The CRD after a step; one to be served is prepared for it first, so that a chart's CRD may come.

    Args:
        crd: as the chart or the cluster has it.
        step: what to do.
        namespace: of our Service.
        kinds: what /convert knows.
        inject: let cert-manager write the caBundle.

    Raises:
        CrdError: see `webhook.conversions.crd`.
    """
    if step is Step.REMOVE:
        return _marked(remove_spoke(crd), None)
    if step is Step.UNSERVE:
        return serve_spoke(crd, served=False)
    ours = _with_bundle(add_spoke(crd, service_config(NAME, namespace), kinds), crd)
    if step is Step.SERVE:
        ours = serve_spoke(ours)
    return _marked(ours, f"{namespace}/{NAME}" if inject else None)


def client_config(crd: Mapping[str, Any]) -> Mapping[str, Any]:
    """Whom the API server asks to convert, as it is stored; {} for nobody."""
    conversion = (crd.get("spec") or {}).get("conversion") or {}
    if conversion.get("strategy") != "Webhook":
        return {}
    return (conversion.get("webhook") or {}).get("clientConfig") or {}


def require_bundle(crd: Mapping[str, Any]) -> None:
    """Refuses a stored CRD that nothing can be verified with yet.

    Raises:
        CrdError: it has no caBundle, or not our stanza; served now, every plain read would fail.
    """
    name = (crd.get("metadata") or {}).get("name")
    if not any(v.get("name") == SPOKE for v in (crd.get("spec") or {}).get("versions") or ()):
        raise CrdError(
            f"{name} has no {SPOKE} yet; add it first, and serve it when it has a caBundle"
        )
    if not client_config(crd).get("caBundle"):
        raise CrdError(
            f"{name} has no caBundle yet: our /convert has not answered through it. Wait, or ask `doctor`"
        )


def _with_bundle(ours: Crd, stored: Mapping[str, Any]) -> Crd:
    """A replace must not take away the caBundle that is there, if it is one for us."""
    config, before = client_config(ours), client_config(stored)
    if before.get("caBundle") and before.get("service") == config.get("service"):
        ours["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = before["caBundle"]
    return ours


def _marked(crd: Crd, source: str | None) -> Crd:
    """With cert-manager's annotation, or without."""
    annotations = crd["metadata"].setdefault("annotations", {})
    annotations.pop(INJECT, None)
    if source is not None:
        annotations[INJECT] = source
    if not annotations:
        del crd["metadata"]["annotations"]
    return crd
