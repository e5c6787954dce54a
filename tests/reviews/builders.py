"""AdmissionReviews for the tests of engine, server and command line."""

from __future__ import annotations

import json
from typing import Any

from tests.lifecycle.skyhook import PREFIX

OPERATOR = "system:serviceaccount:skyhook:skyhook-operator-controller-manager"
ACCOUNT = "system:serviceaccount:gpu:custom-operator"
PERSON = "sre-oncall"
UID = "5f3c0e6e-52ab-4c0e-9a3c-0f2d7c7c2a11"


def review(
    old: Any,
    new: Any,
    user: str | None = OPERATOR,
    *,
    groups: list[str] | None = None,
    subresource: str | None = None,
    operation: str | None = None,
    **request: Any,
) -> dict[str, Any]:
    """An AdmissionReview of the write from ``old`` to ``new``, as the API server words it."""
    kind = (new or old or {}).get("kind", "Skyhook")
    group, version, plural = (
        ("", "v1", "nodes") if kind == "Node" else (PREFIX, "v1alpha1", "skyhooks")
    )
    if subresource is None:
        subresource = "" if kind == "Node" else "status"
    fields = {
        "uid": UID,
        "kind": {"group": group, "version": version, "kind": kind},
        "resource": {"group": group, "version": version, "resource": plural},
        "subResource": subresource,
        "name": ((new or old or {}).get("metadata") or {}).get("name"),
        "operation": ("CREATE" if old is None else "UPDATE") if operation is None else operation,
        "userInfo": None
        if user is None
        else {"username": user, "groups": groups or ["system:authenticated"]},
        "object": new,
        "oldObject": old,
        "dryRun": False,
        **request,
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": fields}


def body(*args: Any, **kwargs: Any) -> bytes:
    """The same as bytes: compact, as Go writes it."""
    return json.dumps(review(*args, **kwargs), separators=(",", ":"), ensure_ascii=False).encode()
