"""A real API server that asks us about Machines, OperatorConditions and a stranger's Database."""

from __future__ import annotations

import json
import time
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.e2e.guarding import Guard
from tests.kube.client import MERGE_PATCH
from tests.profiles.cluster.crds import ADMIN, crd, install
from tests.profiles.cluster.policies import ADMISSION, SETUP, WRITER, grant
from tests.profiles.cluster.replay import Store, states
from tests.profiles.simulators.apiserver import Tally, decode
from tests.profiles.simulators.cluster_api import MachineWorld
from tests.profiles.simulators.planted import CLUSTER_API
from tests.profiles.test_tutorial import blocks
from webhook.building import profile_of
from webhook.catalog import Catalog
from webhook.cli.relying import explain_locked, explain_stale
from webhook.manifests.options import Options
from webhook.manifests.webhooks import configurations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane

CONDITIONS = "/apis/operators.coreos.com/v2/namespaces/default/operatorconditions"
SHIPPED = ["cluster-api-machine", "olm-operatorcondition"]
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
OPERATOR, OLM = "system:serviceaccount:default:op", "system:serviceaccount:olm:olm-operator"


@pytest.fixture(scope="module")
def plane(
    start_cluster: Callable[..., ControlPlane], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    """An API server with CRDs of our own writing, which asks a real server of ours about each."""
    control_plane = start_cluster()
    folder = tmp_path_factory.mktemp("guard")
    names = [*SHIPPED, str(tutorial_profile(folder))]
    grant(control_plane)
    for user in (OPERATOR, OLM):
        grant_all(control_plane, user)
    machine, operator, database = (profile_of(name).guards[0].match for name in names)
    install(control_plane, crd(machine))
    install(control_plane, with_old_version(crd(operator)))
    install(control_plane, crd(database))
    guard = Guard(folder / "server", {"profiles": names})
    try:
        register(control_plane, guard, names)
        yield control_plane
    finally:
        guard.stop()


def tutorial_profile(folder: Path) -> Path:
    [text] = [text for _, file, text in blocks() if file == "database.yaml"]
    file = folder / "database.yaml"
    file.write_text(text)
    return file


def with_old_version(document: dict[str, Any]) -> dict[str, Any]:
    """V1 has no spec.conditions, so that the API server prunes it: as operator-framework/api has it."""
    spec = {"type": "object", "properties": {"overrides": {"type": "array", "items": _OPEN}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": _OPEN}}}
    old = {"name": "v1", "served": True, "storage": False, "subresources": {"status": {}}}
    document["spec"]["versions"].append({**old, "schema": schema})
    return document


def grant_all(control_plane: ControlPlane, user: str) -> None:
    _, _, namespace, name = user.split(":")
    body = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"everything-{name}"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "cluster-admin",
        },
        "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
    }
    path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    assert control_plane.request(ADMIN, "POST", path, body)[0] == 201


def register(control_plane: ControlPlane, guard: Guard, names: list[str]) -> None:
    """What we ship for these profiles, by URL; in force when a word that is none is refused."""
    catalog = Catalog.of(profile_of(name) for name in names)
    for body in configurations(catalog, Options(version="test")):
        for webhook in body["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            url = f"https://127.0.0.1:{guard.port}{path}"
            webhook["clientConfig"] = {"url": url, "caBundle": guard.ca_bundle}
            webhook["failurePolicy"] = "Fail"
        status, answer = control_plane.request(
            ADMIN, "POST", f"{ADMISSION}/{body['kind'].lower()}s", body
        )
        assert status == 201, answer
    probe = operator_condition(control_plane, "probe", [])
    deadline = time.monotonic() + 30
    bad = [{"type": "Upgradeable", "status": "?", "observedGeneration": 1}]
    while write_status(control_plane, OLM, probe, bad, "?dryRun=All").status == 200:
        assert time.monotonic() < deadline, "the API server never asks us"
        time.sleep(0.2)


def operator_condition(control_plane: ControlPlane, name: str, conditions: list[Any]) -> str:
    body = {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": name},
        "spec": {"serviceAccounts": ["op"], "deployments": ["op"], "conditions": conditions},
    }
    status, answer = control_plane.request(OPERATOR, "POST", CONDITIONS, body)
    assert status == 201, answer
    return name


def write_status(
    control_plane: ControlPlane, who: str, name: str, conditions: list[Any], query: str = ""
) -> Response:
    body = {"status": {"conditions": conditions}}
    path = f"{CONDITIONS}/{name}/status{query}"
    return control_plane.call(who, "PATCH", path, body, MERGE_PATCH)


def edit_spec(control_plane: ControlPlane, who: str, name: str, **fields: Any) -> Response:
    body = {"spec": fields}
    return control_plane.call(who, "PATCH", f"{CONDITIONS}/{name}", body, MERGE_PATCH)


def stored(control_plane: ControlPlane, name: str, folder: Path) -> str:
    """The object as kubectl shows it, in a file."""
    file = folder / f"{name}.yaml"
    shown = control_plane.kubectl(
        ADMIN, "get", "operatorconditions.v2.operators.coreos.com", name, "-o", "yaml"
    )
    file.write_text(shown.stdout)
    return str(file)


def test_a_machine_walks_its_phases_and_no_other_way(plane: ControlPlane) -> None:
    match = profile_of("cluster-api-machine").guards[0].match
    store = Store(plane, match, SETUP, WRITER)
    phases, refused = set(), 0
    for life in range(6):
        world = MachineWorld(Random(f"live {life}"), Tally())
        world.live()
        history = [decode(raw) for raw in world.api.history]
        name = store.create(history[0])
        for old, new in states(history):
            phases.add(new["status"].get("phase"))
            for planting in CLUSTER_API:
                it = json.loads(json.dumps(old))
                if planting.plant(it):
                    answer = store.attempt(name, old, it)
                    assert answer.status == 422, (planting.rule, answer.body)
                    assert f"(cluster-api-machine.{planting.rule})" in str(answer.body["details"])
                    refused += 1
            store.walk(name, old, new)
        store.release(name)
    assert phases >= {"Pending", "Provisioned", "Running", "Deleting"}
    assert refused > 100


def test_a_lock_is_asked_for_acknowledged_and_kept(
    plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"type": "Upgradeable", "status": "False", "reason": "Migration", "message": "moving"}
    name = operator_condition(plane, "locked", [asked])
    copied = {**asked, "observedGeneration": 1}
    assert write_status(plane, OLM, name, [copied]).status == 200
    granted = {
        "type": "Acknowledged",
        "status": "True",
        "reason": "Locked",
        "observedGeneration": 1,
    }
    assert write_status(plane, OLM, name, [copied, granted]).status == 200

    explain_locked([stored(plane, name, tmp_path)])
    said = capsys.readouterr().out
    assert "is the lock held? yes: the operator holds it (Migration: moving)" in said
    assert 'may OLM upgrade now? no: the operator says "False" for generation 1' in said

    for conditions, rule in (
        ([copied], "ack-lock"),
        ([copied, {**granted, "status": "False"}], "acknowledged.edge"),
        ([copied, granted, {**granted, "status": "False"}], "status-conditions-unique"),
        ([copied, {**granted, "observedGeneration": 5}], "status-generation.over"),
        ([{**copied, "status": "True"}, granted], "mirror"),
    ):
        answer = write_status(plane, OLM, name, conditions)
        assert answer.status == 422, rule
        assert f"(olm-operatorcondition.{rule})" in str(answer.body["details"])

    answer = edit_spec(plane, ADMIN, name, deployments=["op", "more"])
    assert answer.status == 200
    assert any("makes the acknowledged lock stale" in text for text in answer.warnings)
    assert explain_stale([stored(plane, name, tmp_path)]) == 1
    said = capsys.readouterr().out
    assert (
        'status.conditions[Upgradeable] says "False" (Migration): stale, do not rely on it' in said
    )
    explain_locked([stored(plane, name, tmp_path)])
    assert "is the lock held? no longer" in capsys.readouterr().out


def test_an_operator_cannot_acknowledge_its_own_lock(plane: ControlPlane) -> None:
    name = operator_condition(plane, "self", [])
    answer = edit_spec(
        plane, OPERATOR, name, conditions=[{"type": "Acknowledged", "status": "True"}]
    )
    assert answer.status == 422
    assert "(olm-operatorcondition.self-acknowledged)" in str(answer.body["details"])


def test_a_write_through_v1_would_erase_what_v2_holds(plane: ControlPlane) -> None:
    """Object and oldObject look alike to us; managedFields tell (measured, and shown here)."""
    name = operator_condition(plane, "erased", [{"type": "Upgradeable", "status": "False"}])
    path = f"{CONDITIONS.replace('/v2/', '/v1/')}/{name}"
    label = {"metadata": {"labels": {"a": "b"}}}
    answer = plane.call(ADMIN, "PATCH", path, label, MERGE_PATCH)
    assert answer.status == 422, answer.body
    assert "(olm-operatorcondition.v1-erases)" in str(answer.body["details"])
    assert (
        plane.call(ADMIN, "PATCH", path.replace("/v1/", "/v2/"), label, MERGE_PATCH).status == 200
    )
    kept = plane.request(ADMIN, "GET", f"{CONDITIONS}/{name}")[1]
    assert kept["spec"]["conditions"][0]["status"] == "False"


def test_the_tutorial_s_profile_guards_a_stranger_s_database(plane: ControlPlane) -> None:
    path = "/apis/example.com/v1/namespaces/default/databases"
    body = {"apiVersion": "example.com/v1", "kind": "Database", "metadata": {"name": "shop"}}
    assert plane.request(ADMIN, "POST", path, {**body, "spec": {"size": 1}})[0] == 201

    def move(phase: str) -> Response:
        patch = {"status": {"phase": phase}}
        return plane.call(WRITER, "PATCH", f"{path}/shop/status", patch, MERGE_PATCH)

    for phase, status in (("Ready", 422), ("Pending", 200), ("Creating", 200), ("Pending", 422)):
        assert move(phase).status == status, phase
    answer = move("Deleting")
    assert "delete the Database instead" in answer.body["message"]


def test_the_crd_of_the_tutorial_is_one_that_the_api_server_takes(plane: ControlPlane) -> None:
    document = yaml.safe_load((ROOT / "docs" / "your-own-crd" / "crd.yaml").read_text())
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All"
    document["metadata"]["name"] = "twins.example.com"
    document["spec"]["names"] = {"kind": "Twin", "plural": "twins"}
    assert plane.request(ADMIN, "POST", path, document)[0] == 201
