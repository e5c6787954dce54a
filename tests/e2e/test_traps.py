"""Traps on a real API server: the write goes through, and the person reads one warning that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.e2e.guarding import Guard
    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane

SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"
ADMIN, PERSON, OPERATOR = "kubernetes-admin", "platform-admin", "operator"
MERGE = "application/merge-patch+json"


def package(**more: Any) -> dict[str, Any]:
    return {"version": "1.2.3", "image": "registry.example/tuning", **more}


def create(cluster: ControlPlane, actor: str, name: str, **packages: Any) -> Response:
    spec = {"nodeSelectors": {"matchLabels": {"pool": "gpu"}}, "packages": packages}
    body = {
        "apiVersion": "skyhook.nvidia.com/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": name},
    }
    cluster.request(ADMIN, "DELETE", f"{SKYHOOKS}/{name}")
    answer = cluster.call(actor, "POST", SKYHOOKS, {**body, "spec": spec})
    assert answer.status == 201, answer.body
    return answer


def erring(cluster: ControlPlane, name: str, **uninstall: bool) -> None:
    """A Skyhook whose package errs on a Node at its first stage."""
    create(cluster, ADMIN, name, tuning=package(uninstall=uninstall))
    entry = {"name": "tuning", "version": "1.2.3", "image": "registry.example/tuning"}
    entry |= {"stage": "apply", "state": "erroring"}
    status = {"status": {"nodeState": {"node-a": {"tuning|1.2.3": entry}}}}
    answer = cluster.call(ADMIN, "PATCH", f"{SKYHOOKS}/{name}/status", status, MERGE)
    assert answer.status == 200, answer.body


def test_a_mistake_in_a_spec_is_told_once_and_goes_through(
    cluster: ControlPlane, guard: Guard
) -> None:
    del guard
    image = "registry.example:5000/tuning"
    [warning] = create(cluster, PERSON, "with-port", tuning=package(image=image)).warnings
    assert 'pulls "registry.example:1.2.3"' in warning
    env = {"spec": {"packages": {"tuning": {"env": [{"name": "A", "value": "b"}]}}}}
    again = cluster.call(PERSON, "PATCH", f"{SKYHOOKS}/with-port", env, MERGE)
    assert (again.status, list(again.warnings)) == (200, [])
    assert not create(cluster, OPERATOR, "with-port", tuning=package(image=image)).warnings


def test_a_deletion_that_will_hang_is_told_and_goes_through(
    cluster: ControlPlane, guard: Guard
) -> None:
    del guard
    erring(cluster, "erring", enabled=True, apply=False)
    answer = cluster.call(PERSON, "DELETE", f"{SKYHOOKS}/erring")
    assert answer.status == 200
    [warning] = answer.warnings
    assert 'package "tuning" is apply/erroring on 1 Node (node-a)' in warning
    assert "kubectl skyhook node reset" in warning


def test_a_deletion_that_waits_for_nothing_is_silent(cluster: ControlPlane, guard: Guard) -> None:
    before = guard.reviews()
    erring(cluster, "erring", enabled=False, apply=False)
    asked = guard.reviews() - before
    assert not cluster.call(PERSON, "DELETE", f"{SKYHOOKS}/erring").warnings
    create(cluster, ADMIN, "nothing-yet", tuning=package())
    seen = guard.reviews()
    assert seen - before > asked
    assert not cluster.call(PERSON, "DELETE", f"{SKYHOOKS}/nothing-yet").warnings
    assert guard.reviews() == seen  # nothing on Nodes: we are not even asked
