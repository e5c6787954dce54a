"""Audit logs made from recorded reviews: what a kube-apiserver would have logged of the same writes."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

START = 1_790_000_000.0
VERBS = {"CREATE": "create", "UPDATE": "update", "DELETE": "delete"}


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def event(
    review: dict[str, Any], number: int, level: str = "RequestResponse", **more: Any
) -> dict[str, Any]:
    """The event of a recorded write that went through, as the `number`-th of the store's writes."""
    request = copy.deepcopy(review["request"])
    new = request.get("object")
    resource = request["resource"]
    name = (new or request["oldObject"])["metadata"]["name"]
    reference = {"resource": resource["resource"], "name": name, "apiVersion": resource["version"],
                 "apiGroup": resource["group"], "subresource": request.get("subResource") or ""}  # fmt: skip
    if new is not None:
        new["metadata"]["resourceVersion"] = str(1000 + number)
    bodies: dict[str, Any] = {}
    if level in ("Request", "RequestResponse") and new is not None:
        bodies["requestObject"] = new
    if level == "RequestResponse":
        bodies["responseObject"] = new or {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Success",
        }
    code = 201 if request["operation"] == "CREATE" else 200
    return {
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": level, "auditID": request["uid"],
        "stage": "ResponseComplete", "requestURI": f"/x/{name}", "verb": VERBS[request["operation"]],
        "user": request["userInfo"], "objectRef": {k: v for k, v in reference.items() if v},
        "responseStatus": {"metadata": {}, "code": code}, "stageTimestamp": stamp(review["ts"]), **bodies, **more,
    }  # fmt: skip


def log(
    reviews: Iterable[dict[str, Any]], level: str = "RequestResponse"
) -> Iterator[tuple[dict[str, Any] | None, dict[str, Any]]]:
    """(review, event) of every recorded write that went through.

    Where recordings leave something out, somebody reads the object (None, event), as in a real log.
    """
    known: dict[tuple[str, str], Any] = {}
    versions: dict[tuple[str, str], str] = {}
    number = 0
    for review in reviews:
        request = review["request"]
        if request.get("dryRun") or review["outcome"] not in (200, 201):
            continue
        old, new = request.get("oldObject"), request.get("object")
        key = (request["kind"]["kind"], (new or old)["metadata"]["name"])
        if old is not None and known.get(key, old) != old:
            number += 1
            versions[key] = str(1000 + number)
            yield None, read(review, number)
        number += 1
        made = event(review, number, level)
        if "requestObject" in made:
            sent = made["requestObject"] = copy.deepcopy(made["requestObject"])
            sent["metadata"]["resourceVersion"] = versions.get(key, "")
            versions[key] = str(1000 + number)
        known[key] = copy.deepcopy(new)
        yield review, made


def read(review: dict[str, Any], number: int) -> dict[str, Any]:
    """Somebody gets the object as it was before the recorded write."""
    old = copy.deepcopy(review["request"]["oldObject"])
    old["metadata"]["resourceVersion"] = str(1000 + number)
    made = event(review, number)
    made.pop("requestObject", None)
    made["objectRef"].pop("subresource", None)
    return {**made, "verb": "get", "responseObject": old, "level": "RequestResponse"}
