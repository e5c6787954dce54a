"""A CRD with our second version beside upstream's, and back again: manifests in, manifests out.

Pure. What comes out has no caBundle of our writing: that field has one owner, and a server-side
apply leaves it alone. Removal has to replace the whole object (``kubectl replace``): an apply would
leave the owner's caBundle behind in a stanza that must not have one.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from webhook.conversions.converter import HUB, SPOKE

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

Crd = dict[str, Any]
"""An apiextensions.k8s.io/v1 CustomResourceDefinition as plain values."""

PREVIOUS: Final = "skyhook-webhook/previous-conversion"
"""Annotation: the conversion stanza that ours took the place of, as JSON; null for none."""
REVIEW_VERSIONS: Final = ("v1",)
PATH: Final = "/convert"

_API_VERSION: Final = "apiextensions.k8s.io/v1"
_KIND: Final = "CustomResourceDefinition"
_SERVERS: Final = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid")
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


class CrdError(ValueError):
    """A CRD that cannot be changed as asked; the message says why and what to do."""


def service_config(name: str, namespace: str, port: int = 443) -> dict[str, Any]:
    """A clientConfig that leads to our Service; its caBundle is written by its one owner."""
    return {"service": {"name": name, "namespace": namespace, "path": PATH, "port": port}}


def add_spoke(
    crd: Mapping[str, Any],
    client_config: Mapping[str, Any],
    kinds: Container[tuple[str, str]],
) -> Crd:
    """The CRD with v1beta1, not served yet, and our conversion stanza.

    The new version has the schema of v1alpha1, which stays the stored one. Where v1beta1 is there
    already, as after an upgrade of the chart with ours kept, its schema is renewed and it is
    served as before.

    Args:
        crd: as the chart or the cluster has it.
        client_config: how the API server reaches /convert, without caBundle.
        kinds: (group, kind) of what /convert knows.

    Raises:
        CrdError: another object, or one whose stored version is not v1alpha1.
    """
    ours = _manifest(crd)
    spec = ours["spec"]
    named = (spec.get("group"), (spec.get("names") or {}).get("kind"))
    if named not in kinds:
        raise CrdError(f"{named[1]} of {named[0]} is no kind that /convert knows")
    hub = _version(ours, HUB)
    if hub is None or not hub.get("storage"):
        raise CrdError(f"{_name(ours)}: {HUB} is not the stored version; {_MIGRATE}")
    there = _version(ours, SPOKE)
    spoke = {
        **deepcopy(hub),
        "name": SPOKE,
        "served": bool(there and there.get("served")),
        "storage": False,
    }
    spec["versions"] = [v for v in spec["versions"] if v.get("name") != SPOKE] + [spoke]
    if there is None:  # also after an upgrade of the chart, which brings its own stanza back
        annotations = ours["metadata"].setdefault("annotations", {})
        annotations[PREVIOUS] = json.dumps(spec.get("conversion"), sort_keys=True)
    spec["conversion"] = _stanza(client_config)
    return ours


def serve_spoke(crd: Mapping[str, Any], *, served: bool = True) -> Crd:
    """The CRD with v1beta1 switched on, or off: then nothing calls /convert any more.

    Switch it on only after /convert has answered through the CRD's caBundle: from then on every
    plain read depends on it. A caBundle that the CRD has is kept.

    Raises:
        CrdError: no v1beta1 there, or no conversion webhook.
    """
    ours = _manifest(crd)
    spoke = _version(ours, SPOKE)
    if spoke is None:
        raise CrdError(f"{_name(ours)} has no {SPOKE}; add it first")
    if served and (ours["spec"].get("conversion") or {}).get("strategy") != "Webhook":
        raise CrdError(f"{_name(ours)} has no conversion webhook; add it first")
    spoke["served"] = served
    return ours


def remove_spoke(crd: Mapping[str, Any]) -> Crd:
    """The CRD as it was before ``add_spoke``: one version, and the conversion it had.

    Raises:
        CrdError: v1beta1 is or was stored, so that objects may need it.
    """
    ours = _manifest(crd)
    spec = ours["spec"]
    spoke = _version(ours, SPOKE)
    stored = ((crd.get("status") or {}).get("storedVersions")) or ()
    if SPOKE in stored or (spoke is not None and spoke.get("storage")):
        raise CrdError(f"{_name(ours)}: objects may be stored as {SPOKE}; {_MIGRATE}")
    spec["versions"] = [v for v in spec["versions"] if v is not spoke]
    annotations = ours["metadata"].get("annotations") or {}
    previous = _previous(annotations.pop(PREVIOUS, ""))
    if not annotations:
        ours["metadata"].pop("annotations", None)
    if previous is None:
        spec.pop("conversion", None)
    else:
        spec["conversion"] = previous
    return ours


_MIGRATE: Final = f"make {HUB} the stored version, rewrite every object, then set status.storedVersions to [{HUB}]"


def _manifest(crd: Mapping[str, Any]) -> Crd:
    """A copy without what only the API server writes."""
    if crd.get("apiVersion") != _API_VERSION or crd.get("kind") != _KIND:
        raise CrdError(f"not a {_KIND} of {_API_VERSION}")
    ours: Crd = {key: deepcopy(value) for key, value in crd.items() if key != "status"}
    metadata, spec = ours.get("metadata"), ours.get("spec")
    if not isinstance(metadata, dict) or not isinstance(spec, dict):
        raise CrdError(f"a {_KIND} without metadata or spec")
    versions = spec.get("versions")
    if not isinstance(versions, list) or not all(isinstance(v, dict) for v in versions):
        raise CrdError(f"{_name(ours)} has no list of versions")
    for key in _SERVERS:
        metadata.pop(key, None)
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict) and annotations.pop(_APPLIED, None) and not annotations:
        del metadata["annotations"]
    return ours


def _stanza(client_config: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": deepcopy(dict(client_config)),
            "conversionReviewVersions": list(REVIEW_VERSIONS),
        },
    }


def _previous(text: str) -> Any:
    """The stanza that was there before; None for none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {"strategy": "None"}
    return found if found is None or isinstance(found, dict) else {"strategy": "None"}


def _version(crd: Crd, name: str) -> dict[str, Any] | None:
    return next((v for v in crd["spec"]["versions"] if v.get("name") == name), None)


def _name(crd: Crd) -> str:
    return str((crd.get("metadata") or {}).get("name", "the CRD"))
