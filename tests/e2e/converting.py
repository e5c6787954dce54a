"""A control plane whose Skyhooks have both versions, with a real server behind /convert and /mutate."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.e2e.guarding import ADMIN, REGISTERED, Guard
from tests.kube.crds import install_crds
from webhook.conversions.crd import add_spoke, serve_spoke

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.kube.control_plane import ControlPlane

GROUP = "skyhook.nvidia.com"
CRD = "skyhooks.skyhook.nvidia.com"
CRD_PATH = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{CRD}"
KINDS = {(GROUP, "Skyhook")}
OPERATOR = "operator"
SINCE = "2026-05-01T10:00:00Z"
MERGE = "application/merge-patch+json"


def path(version: str, name: str = "", subresource: str = "") -> str:
    return "/".join(filter(None, (f"/apis/{GROUP}/{version}/skyhooks", name, subresource)))


def condition(
    kind: str, status: str = "True", reason: str = "Because", message: str = "m"
) -> dict[str, Any]:
    return {
        "lastTransitionTime": SINCE,
        "message": message,
        "reason": reason,
        "status": status,
        "type": kind,
    }


class Converting:
    """The cluster, the server, and writes and reads in either version."""

    def __init__(
        self, cluster: ControlPlane, folder: Path, settings: dict[str, Any] | None = None
    ) -> None:
        self.cluster = cluster
        self.guard = Guard(folder, {"mode": "audit", **(settings or {})})

    def install(self) -> None:
        """The CRDs, our overlay as a person would replace it, and the mutating webhook."""
        install_crds(self.cluster)
        url = {"url": f"https://127.0.0.1:{self.guard.port}/convert"}
        self.replace(add_spoke(self.crd(), url, KINDS))
        self.point_at(self.guard)
        self.replace(serve_spoke(self.crd()))
        self.until_served(served=True)
        self.create("first")
        self.until(lambda: self.mirrored("first"))

    @contextmanager
    def pointed_at(self, guard: Guard) -> Iterator[None]:
        """Another server converts and mutates for a while."""
        self.point_at(guard)
        try:
            yield
        finally:
            self.point_at(self.guard)

    def point_at(self, guard: Guard) -> None:
        """Where the API server finds /convert, and whom it trusts; the same for /mutate."""
        config = {"url": f"https://127.0.0.1:{guard.port}/convert", "caBundle": guard.ca_bundle}
        self.must(
            "PATCH",
            CRD_PATH,
            {"spec": {"conversion": {"webhook": {"clientConfig": config}}}},
            MERGE,
        )
        kind = "MutatingWebhookConfiguration"
        (body,) = (o for o in guard.configurations("Ignore") if o["kind"] == kind)
        where = f"{REGISTERED}/mutatingwebhookconfigurations"
        self.cluster.request(ADMIN, "DELETE", f"{where}/{body['metadata']['name']}")
        self.must("POST", where, body)

    def mirrored(self, name: str) -> bool:
        """Whether a new bare type has its mirror: the API server calls us."""
        kind = f"Probe{time.time_ns()}"
        self.set_conditions(name, [condition(kind)])
        return f"{GROUP}/{kind}" in self.types("v1alpha1", name)

    def crd(self) -> dict[str, Any]:
        return self.must("GET", CRD_PATH)

    def replace(self, crd: dict[str, Any]) -> None:
        self.cluster.kubectl(ADMIN, "replace", "-f", "-", input=json.dumps(crd))

    def until_served(self, *, served: bool) -> None:
        wanted = {200} if served else {404}
        self.until(lambda: self.cluster.call(ADMIN, "GET", path("v1beta1")).status in wanted)

    def until(self, holds: Callable[[], bool], seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, "it never came to be"
            time.sleep(0.1)

    def must(
        self,
        method: str,
        where: str,
        body: Any = None,
        content_type: str = "application/json",
        by: str = ADMIN,
    ) -> dict[str, Any]:
        status, answer = self.cluster.request(by, method, where, body, content_type)
        assert status in (200, 201), answer
        return answer

    def create(self, name: str, version: str = "v1alpha1") -> None:
        body = {
            "apiVersion": f"{GROUP}/{version}",
            "kind": "Skyhook",
            "metadata": {"name": name},
            "spec": {},
        }
        self.must("POST", path(version), body)

    def set_conditions(
        self, name: str, conditions: list[dict[str, Any]], version: str = "v1alpha1"
    ) -> None:
        """The operator's merge patch: the array as a whole."""
        body = {"status": {"conditions": conditions}}
        self.must("PATCH", path(version, name, "status"), body, MERGE, by=OPERATOR)

    def conditions(self, version: str, name: str) -> list[dict[str, Any]]:
        status = self.must("GET", path(version, name)).get("status") or {}
        found: list[dict[str, Any]] = status.get("conditions") or []
        return found

    def types(self, version: str, name: str) -> list[str]:
        return [c["type"] for c in self.conditions(version, name)]

    def apply_status(
        self, name: str, manager: str, status: dict[str, Any], version: str = "v1alpha1"
    ) -> None:
        """kubectl apply --server-side of the status, as one of several owners."""
        body = {
            "apiVersion": f"{GROUP}/{version}",
            "kind": "Skyhook",
            "metadata": {"name": name},
            "status": status,
        }
        self.cluster.kubectl(
            OPERATOR, "apply", "--server-side", "--subresource=status", f"--field-manager={manager}", "-f", "-",
            input=json.dumps(body),
        )  # fmt: skip

    def kubectl(self, *args: str, check: bool = True) -> Any:
        """With a discovery of its own: what is cached from before would not see a change of versions."""
        cache = self.guard.folder / f"cache-{time.time_ns()}"
        return self.cluster.kubectl(ADMIN, f"--cache-dir={cache}", *args, check=check)
