"""Writes for the spec tests: objects from parts, judged by the whole engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict

GROUP = "skyhook.nvidia.com"
PLURALS = {
    "Skyhook": "skyhooks",
    "DeploymentPolicy": "deploymentpolicies",
    "NodeWright": "nodewrights",
}
PERSON = "alice"


def whole(part: dict[str, Any], kind: str, group: str) -> dict[str, Any]:
    """An object with the given spec and status."""
    return {
        "apiVersion": f"{group}/v1alpha1",
        "kind": kind,
        "metadata": {"name": "gpu", "generation": 2, **part.get("metadata", {})},
        **{key: value for key, value in part.items() if key != "metadata"},
    }


def review(
    new: dict[str, Any],
    old: dict[str, Any] | None = None,
    *,
    kind: str = "Skyhook",
    group: str = GROUP,
    user: str = PERSON,
    subresource: str = "",
) -> bytes:
    """The AdmissionReview that the API server sends for the write from old to new.

    A write to the object itself leaves the status as it was.
    """
    if old is not None and not subresource and "status" in old:
        new = {**new, "status": old["status"]}
    names = {"group": group, "version": "v1alpha1"}
    request = {
        "uid": "0a1b2c3d-0000-4000-8000-000000000001",
        "kind": {**names, "kind": kind},
        "resource": {**names, "resource": PLURALS[kind]},
        "requestKind": {**names, "kind": kind},
        "name": "gpu",
        "operation": "CREATE" if old is None else "UPDATE",
        "subResource": subresource,
        "userInfo": {"username": user, "groups": ["system:authenticated"]},
        "object": whole(new, kind, group),
        "oldObject": None if old is None else whole(old, kind, group),
    }
    body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return msgspec.json.encode(body)


def judge(engine: Engine, *args: Any, **kwargs: Any) -> Verdict:
    """The verdict on the write, as ``review`` makes it."""
    return engine.judge_request(request_of(decode_admission(review(*args, **kwargs))))


def lines(verdict: Verdict) -> list[tuple[str, str, str]]:
    """(rule, field, message) of each denial."""
    return [(f.rule, str(f.field), f.message) for f in verdict.denied]


def package(**more: Any) -> dict[str, Any]:
    """A legal package with some fields of its own."""
    return {"version": "1.2.3", "image": "registry.example/pkgs/tuning", **more}
