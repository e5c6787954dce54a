"""What the emergency and removal pages promise, tried: their own commands, with nobody there to answer."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.test_manifests import apply, path_of
from tests.kube.client import MERGE_PATCH
from tests.kube.crds import install_crds
from tests.manifests.engine import OPTIONS
from webhook.catalog import Catalog
from webhook.manifests.render import render
from webhook.manifests.webhooks import configurations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.control_plane import ControlPlane

ROOT = Path(__file__).resolve().parents[2]
ADMIN, OPERATOR, KUBELET = "kubernetes-admin", "operator", "system:node:node-5"
SKYHOOKS = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks"
SECOND = "/apis/skyhook.nvidia.com/v1beta1/skyhooks"
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
SPEC = {
    "nodeSelectors": {"matchLabels": {"a": "b"}},
    "packages": {"tuning": {"image": "example.com/tuning", "version": "1.0.0"}},
}
TAKES_EFFECT = 5.0
FAILS = (429, 500)
"""429 while the watch cache of a version that was never read can't be filled."""


def skyhook(name: str) -> dict[str, Any]:
    about = {"name": name, "finalizers": ["skyhook.nvidia.com/skyhook"]}
    return {
        "apiVersion": "skyhook.nvidia.com/v1alpha1",
        "kind": "Skyhook",
        "metadata": about,
        "spec": SPEC,
    }


def page_command(page: str, start: str) -> str:
    """The command of a page that begins so, lines that go on joined."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    for block in blocks:
        if block.startswith(start):
            found: str = block
            return found
    raise AssertionError(f"{page} has no block that begins with {start!r}")


def shell(cluster: ControlPlane, command: str, actor: str = ADMIN) -> str:
    """Runs it as a person would, with our program and kubectl on the path."""
    env = cluster.client_env(actor)
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", f"set -o pipefail\n{command}"],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def until(works: Any, seconds: float = TAKES_EFFECT) -> None:
    deadline = time.monotonic() + seconds
    while not works():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def register(cluster: ControlPlane, *, fail_specs: bool) -> None:
    """Our configurations, calling a port on which nobody listens."""
    for body in configurations(Catalog.default(), replace(OPTIONS, fail_specs=fail_specs)):
        for webhook in body["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            webhook["clientConfig"] = {"url": f"https://127.0.0.1:9{path}"}
        status, answer = cluster.request(
            ADMIN, "POST", f"{REGISTRATION}/{body['kind'].lower()}s", body
        )
        assert status == 201, answer


def unregister(cluster: ControlPlane) -> None:
    for kind in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
        cluster.request(ADMIN, "DELETE", f"{REGISTRATION}/{kind}/skyhook-webhook")


@pytest.fixture(params=[False, True], ids=["ignore", "fail-specs"])
def nobody_answers(
    cluster: ControlPlane, request: pytest.FixtureRequest
) -> Iterator[tuple[ControlPlane, bool]]:
    """A Skyhook and a Node, and then all replicas are gone."""
    for name in ("kept", "leaving"):
        assert cluster.request(ADMIN, "POST", SKYHOOKS, skyhook(name))[0] == 201
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-5"}}
    assert cluster.request(KUBELET, "POST", "/api/v1/nodes", node)[0] == 201
    register(cluster, fail_specs=request.param)
    yield cluster, request.param
    unregister(cluster)
    for name in ("kept", "leaving", "new"):
        cluster.request(
            ADMIN, "PATCH", f"{SKYHOOKS}/{name}", {"metadata": {"finalizers": None}}, MERGE_PATCH
        )
        cluster.request(ADMIN, "DELETE", f"{SKYHOOKS}/{name}")
    cluster.request(ADMIN, "DELETE", "/api/v1/nodes/node-5")


def patch(
    cluster: ControlPlane, path: str, body: dict[str, Any], actor: str = OPERATOR
) -> tuple[int, str]:
    status, answer = cluster.request(actor, "PATCH", path, body, MERGE_PATCH)
    return status, answer.get("message", "")


def test_with_nobody_there_only_specs_wait_and_only_where_that_was_chosen(
    nobody_answers: tuple[ControlPlane, bool],
):
    cluster, fail_specs = nobody_answers
    kept, node = f"{SKYHOOKS}/kept", "/api/v1/nodes/node-5"
    spec = {"spec": {"priority": 3}}
    refused = [403, 500]
    until(lambda: not fail_specs or patch(cluster, kept, spec)[0] != 200)
    status, message = patch(cluster, kept, spec)
    if fail_specs:
        assert status in refused
        assert 'failed calling webhook "validate-spec.guard.skyhook.nvidia.com"' in message
        assert cluster.request(ADMIN, "POST", SKYHOOKS, skyhook("new"))[0] in refused
    else:
        assert status == 200
        assert cluster.request(ADMIN, "POST", SKYHOOKS, skyhook("new"))[0] == 201
    assert patch(cluster, f"{kept}/status", {"status": {"status": "in_progress"}})[0] == 200
    state = {"metadata": {"annotations": {"skyhook.nvidia.com/nodeState_kept": "{}"}}}
    assert patch(cluster, node, state)[0] == 200
    beat = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    assert patch(cluster, f"{node}/status", beat, KUBELET)[0] == 200
    # Deletion, and finalizers taken away.
    leaving = f"{SKYHOOKS}/leaving"
    assert cluster.request(ADMIN, "DELETE", leaving)[0] == 200
    assert patch(cluster, leaving, {"metadata": {"finalizers": []}})[0] == 200
    assert cluster.request(ADMIN, "GET", leaving)[0] == 404


@pytest.mark.parametrize("nobody_answers", [True], indirect=True)
def test_the_command_of_the_page_switches_us_off(nobody_answers: tuple[ControlPlane, bool]):
    cluster, _ = nobody_answers
    spec = {"spec": {"priority": 4}}
    until(lambda: patch(cluster, f"{SKYHOOKS}/kept", spec)[0] != 200)
    command = page_command("emergency.md", "kubectl delete validatingwebhookconfigurations")
    assert command.strip() in (ROOT / "docs" / "removal.md").read_text()
    assert "deleted" in shell(cluster, command)
    until(lambda: patch(cluster, f"{SKYHOOKS}/kept", spec)[0] == 200)


@pytest.fixture
def served(cluster: ControlPlane) -> Iterator[ControlPlane]:
    """v1beta1 is served, and nobody converts: made with the commands of the install page."""
    assert cluster.request(ADMIN, "POST", SKYHOOKS, skyhook("kept"))[0] == 201
    shell(cluster, "skyhook-webhook manifests crd --from cluster | kubectl replace -f -")
    yield cluster
    shell(cluster, "skyhook-webhook manifests crd --from cluster --remove | kubectl replace -f -")
    until(lambda: cluster.request(ADMIN, "GET", SKYHOOKS)[0] == 200)
    cluster.request(
        ADMIN, "PATCH", f"{SKYHOOKS}/kept", {"metadata": {"finalizers": None}}, MERGE_PATCH
    )
    cluster.request(ADMIN, "DELETE", f"{SKYHOOKS}/kept")
    install_crds(cluster)


def test_serving_is_refused_until_a_replica_has_written_the_ca_bundle(served: ControlPlane):
    done = subprocess.run(
        [sys.executable, "-m", "webhook", "manifests", "crd", "--from", "cluster", "--serve"],
        env=served.client_env(ADMIN), capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert "has no caBundle yet" in done.stderr


def test_what_fails_without_a_converter_and_the_command_that_mends_it(served: ControlPlane):
    name = "crd/skyhooks.skyhook.nvidia.com"
    on = '[{"op": "replace", "path": "/spec/versions/1/served", "value": true}]'
    served.kubectl(ADMIN, "patch", name, "--type=json", "-p", on)
    until(lambda: served.request(ADMIN, "GET", f"{SECOND}/kept")[0] == 500)

    def plain_get() -> str:
        """kubectl asks for the newest version once discovery tells of it, which it keeps for hours."""
        shell(served, "rm -rf ~/.kube/cache/discovery")
        return served.kubectl(ADMIN, "get", "skyhook", "kept", check=False).stderr

    until(lambda: "conversion webhook" in plain_get(), seconds=20)
    status, answer = served.request(ADMIN, "GET", SECOND)
    assert status in FAILS, answer
    if status == 429:
        assert "storage is (re)initializing" in answer["message"]
    assert "kept" in served.kubectl(ADMIN, "get", "skyhooks.v1alpha1.skyhook.nvidia.com").stdout
    assert patch(served, f"{SKYHOOKS}/kept/status", {"status": {"status": "waiting"}})[0] == 200
    assert metadata_list(served, SKYHOOKS) == 200
    assert metadata_list(served, SECOND) in FAILS

    shell(served, page_command("emergency.md", "kubectl patch crd"))
    until(lambda: served.request(ADMIN, "GET", SECOND)[0] == 404)
    shell(served, "rm -rf ~/.kube/cache/discovery")
    assert "kept" in served.kubectl(ADMIN, "get", "skyhook", "kept").stdout


def metadata_list(cluster: ControlPlane, path: str) -> int:
    """As garbage collector and namespace controller list."""
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    headers = [("Accept", accept), *cluster._credentials.headers(ADMIN)]
    return cluster._client.call(ADMIN, headers, "GET", path, None).status


def test_removal_leaves_the_crd_as_it_was(cluster: ControlPlane):
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/skyhooks.skyhook.nvidia.com"
    before = cluster.request(ADMIN, "GET", path)[1]["spec"]
    shell(cluster, "skyhook-webhook manifests crd --from cluster | kubectl replace -f -")
    assert len(cluster.request(ADMIN, "GET", path)[1]["spec"]["versions"]) == 2
    shell(cluster, page_command("removal.md", "skyhook-webhook manifests crd"))
    assert cluster.request(ADMIN, "GET", path)[1]["spec"] == before


def test_the_softer_command_of_the_page_lets_everything_through(cluster: ControlPlane):
    """Nobody runs Pods here: the Deployment's template is what it changes."""
    objects = {obj["kind"]: obj for obj in render(OPTIONS)}
    for kind in ("Namespace", "Deployment"):
        status, answer = apply(cluster, objects[kind])
        assert status in (200, 201), answer
    shell(cluster, page_command("emergency.md", "kubectl -n skyhook-webhook-system set env"))
    path = path_of(objects["Deployment"])
    (container,) = cluster.request(ADMIN, "GET", path)[1]["spec"]["template"]["spec"]["containers"]
    assert {"name": "SKYHOOK_WEBHOOK_MODE", "value": "audit"} in container["env"]
    cluster.request(ADMIN, "DELETE", path)
