"""Our CRDs against the real API server: nothing that was recorded is refused or pruned, and wrong things are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.kube.client import MERGE_PATCH
from tests.kube.crds import crds, list_path
from tests.kube.shapes import lost, one_of_each_shape, recorded_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.kube.control_plane import ControlPlane

ADMIN = "platform-admin"
OPERATOR = "operator"
BARE_SPEC = {"DeploymentPolicy": {"default": {"strategy": {"fixed": {}}}}}
PACKAGE = {"image": "example.com/tuning", "version": "1.0.0"}
ENTRY = {**PACKAGE, "name": "tuning", "stage": "apply", "state": "in_progress"}
CONDITION = {
    "type": "Ready",
    "status": "False",
    "reason": "Waiting",
    "message": "",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


class Home:
    """One object of a kind, to be written to again and again without effect (`dryRun=All`)."""

    def __init__(self, cluster: ControlPlane, crd: dict[str, Any]) -> None:
        spec = crd["spec"]
        self.kind: str = spec["names"]["kind"]
        self.api_version = f"{spec['group']}/v1alpha1"
        self.path = list_path(crd)
        self._cluster = cluster
        self._live = self._ask(ADMIN, "POST", "?", BARE_SPEC.get(self.kind, {}))[1]

    def write(self, part: str, value: Any) -> tuple[int, dict[str, Any]]:
        """A spec is written by creating an object, a status by an update of the one that is there."""
        options = "dryRun=All&fieldValidation=Strict"
        if part == "spec":
            return self._ask(ADMIN, "POST", f"?{options}", value, name="other")
        body = {**self._live, "status": value}
        return self._cluster.request(OPERATOR, "PUT", f"{self.path}/home/status?{options}", body)

    def refused(self, parts: Iterable[tuple[str, Any]]) -> tuple[int, list[str]]:
        """How many were written, and what went wrong: refusals and lost paths."""
        count, wrong = 0, []
        for part, value in parts:
            count += 1
            status, answer = self.write(part, value)
            if status not in {200, 201}:
                wrong.append(f"{part}: {status} {answer.get('message')}")
            else:
                wrong += [f"{part}{path} is lost" for path in lost(value, answer[part])]
        return count, wrong

    def remove(self) -> None:
        self._cluster.request(ADMIN, "DELETE", f"{self.path}/home")

    def _ask(
        self, actor: str, method: str, query: str, spec: Any, name: str = "home"
    ) -> tuple[int, dict[str, Any]]:
        metadata = {"name": name}
        body = {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata}
        return self._cluster.request(actor, method, self.path + query, {**body, "spec": spec})


NAMES = {crd["metadata"]["name"]: crd for crd in crds()}


@pytest.fixture(params=NAMES)
def home(cluster: ControlPlane, request: pytest.FixtureRequest) -> Iterator[Home]:
    home = Home(cluster, NAMES[request.param])
    yield home
    home.remove()


@pytest.fixture
def skyhook_home(cluster: ControlPlane) -> Iterator[Home]:
    home = Home(cluster, NAMES["skyhooks.skyhook.nvidia.com"])
    yield home
    home.remove()


@pytest.fixture
def policy_home(cluster: ControlPlane) -> Iterator[Home]:
    home = Home(cluster, NAMES["deploymentpolicies.skyhook.nvidia.com"])
    yield home
    home.remove()


def recorded_kind(home: Home) -> str:
    """NodeWright is not recorded; whatever a Skyhook held must fit it too."""
    return "Skyhook" if home.kind == "NodeWright" else home.kind


def test_every_recorded_shape_is_accepted_whole(home: Home):
    count, wrong = home.refused(one_of_each_shape(reading.best_folder(), recorded_kind(home)))
    assert wrong == []
    assert count > 10


@pytest.mark.nightly
def test_every_recorded_value_is_accepted_whole(home: Home):
    count, wrong = home.refused(recorded_parts(reading.best_folder(), recorded_kind(home)))
    assert wrong == []
    assert count > 20


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"packages": {"tuning": {"image": "x"}}}, "spec.packages.tuning.version"),
        ({"packages": {"tuning": {"version": "1"}}}, "spec.packages.tuning.image"),
        ({"packages": {"tuning": {**PACKAGE, "name": "Tuning"}}}, "spec.packages.tuning.name"),
        (
            {"packages": {"tuning": {**PACKAGE, "interrupt": {"type": "restart"}}}},
            "spec.packages.tuning.interrupt.type",
        ),
        (
            {"packages": {"tuning": {**PACKAGE, "resources": {"cpuLimit": "much"}}}},
            "spec.packages.tuning.resources.cpuLimit",
        ),
        ({"priority": 0}, "spec.priority"),
        ({"sequencing": "none"}, "spec.sequencing"),
        ({"interruptionBudget": {"percent": 101}}, "spec.interruptionBudget.percent"),
        ({"interruptionBudget": {"count": -1}}, "spec.interruptionBudget.count"),
        ({"serial": "yes"}, "spec.serial"),
    ],
)
def test_a_wrong_skyhook_spec_is_refused_at_its_field(skyhook_home: Home, spec: Any, field: str):
    status, answer = skyhook_home.write("spec", spec)
    assert status == 422
    assert field in [cause["field"] for cause in answer["details"]["causes"]]


@pytest.mark.parametrize(
    ("status", "field"),
    [
        ({"status": "done"}, "status.status"),
        ({"status": ""}, "status.status"),
        ({"observedGeneration": -1}, "status.observedGeneration"),
        ({"nodeState": {"n": {"k": {**ENTRY, "stage": "apply-check"}}}}, "status.nodeState.n.k.stage"),
        ({"nodeState": {"n": {"k": {**ENTRY, "state": "done"}}}}, "status.nodeState.n.k.state"),
        ({"nodeState": {"n": {"k": {"name": "tuning"}}}}, "status.nodeState.n.k.stage"),
        ({"nodePriority": {"n": "yesterday"}}, "status.nodePriority.n"),
        ({"conditions": [{**CONDITION, "status": "Maybe"}]}, "status.conditions[0].status"),
        ({"conditions": [{**CONDITION, "reason": ""}]}, "status.conditions[0].reason"),
        ({"conditions": [CONDITION, CONDITION]}, "status.conditions[1]"),
        ({"compartmentStatuses": {"c": {"matched": 1}}}, "status.compartmentStatuses.c.ceiling"),
    ],
)  # fmt: skip
def test_a_wrong_skyhook_status_is_refused_at_its_field(
    skyhook_home: Home, status: Any, field: str
):
    code, answer = skyhook_home.write("status", status)
    assert code == 422
    assert field in [cause["field"] for cause in answer["details"]["causes"]]


@pytest.mark.parametrize(
    "status",
    [
        {"nodeStatus": {"n": "done"}},
        {"nodeState": {"n": {"no-version": {**ENTRY, "restarts": -1}}}},
        {"nodesInProgress": -1, "nodeOrderOffset": -1},
        {"completeNodes": "all"},
        {"configUpdates": {"tuning": []}},
    ],
)
def test_what_upstreams_schema_leaves_open_is_left_to_the_webhook(skyhook_home: Home, status: Any):
    assert skyhook_home.refused([("status", status)]) == (1, [])


def test_unknown_fields_are_told_and_pruned(skyhook_home: Home):
    status, answer = skyhook_home.write("spec", {"package": {}})
    assert status == 400
    assert 'unknown field "spec.package"' in answer["message"]


def test_a_skyhook_is_filled_with_upstreams_defaults(skyhook_home: Home):
    spec = {
        "packages": {"tuning": {**PACKAGE, "uninstall": {}}},
        "deploymentPolicyOptions": {},
        "interruptionBudget": {"count": None},
    }
    written = skyhook_home.write("spec", spec)[1]["spec"]
    assert written == {
        "packages": {"tuning": {**PACKAGE, "uninstall": {"apply": False, "enabled": False}}},
        "deploymentPolicyOptions": {"resetBatchStateOnCompletion": True},
        "interruptionBudget": {"count": None},
        "autoTaintNewNodes": False,
        "priority": 200,
        "runtimeRequired": False,
        "sequencing": "node",
        "serial": False,
    }
    counted = skyhook_home.write("status", {})[1]["status"]
    assert counted == {"completeNodes": "0/0", "nodesInProgress": 0, "packageList": ""}


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({}, "spec.default"),
        ({"default": {}}, "spec.default.strategy"),
        ({"default": {"strategy": {"fixed": {"initialBatch": 0}}}}, "spec.default.strategy.fixed.initialBatch"),
        ({"default": {"strategy": {"linear": {"delta": 0}}}}, "spec.default.strategy.linear.delta"),
        ({"default": {"strategy": {"exponential": {"growthFactor": 1}}}}, "spec.default.strategy.exponential.growthFactor"),
        ({"default": {"strategy": {}, "budget": {"percent": 0}}}, "spec.default.budget.percent"),
        ({"default": {"strategy": {}}, "compartments": [{"name": "a"}]}, "spec.compartments[0].selector"),
    ],
)  # fmt: skip
def test_a_wrong_deployment_policy_is_refused_at_its_field(
    policy_home: Home, spec: Any, field: str
):
    status, answer = policy_home.write("spec", spec)
    assert status == 422
    assert field in [cause["field"] for cause in answer["details"]["causes"]]


def test_a_status_is_not_written_through_the_main_resource(
    cluster: ControlPlane, skyhook_home: Home
):
    path = f"{skyhook_home.path}/home"
    body = {"status": {"status": "complete"}}
    status, answer = cluster.request(ADMIN, "PATCH", path, body, MERGE_PATCH)
    assert status == 200
    assert "status" not in answer


@pytest.mark.parametrize("name", NAMES)
def test_a_crd_has_no_conversion_and_one_version(name: str):
    spec = NAMES[name]["spec"]
    assert "conversion" not in spec
    assert [version["name"] for version in spec["versions"]] == ["v1alpha1"]
    assert spec["scope"] == "Cluster"


NODEWRIGHT_ONLY = {
    ".spec.properties.drainConfig",
    ".spec.properties.packages.additionalProperties.properties.stageTimeout",
    ".spec.properties.packages.additionalProperties.properties.image.pattern",
    ".spec.properties.packages.additionalProperties.properties.containerSHA.pattern",
}
WORDS = {
    ".spec.properties.autoTaintNewNodes.description",
    ".spec.properties.deploymentPolicyOptions.description",
}


def test_the_two_groups_differ_only_where_upstream_does():
    def schema(name: str) -> Any:
        version = NAMES[name]["spec"]["versions"][0]
        return version["schema"]["openAPIV3Schema"]["properties"]

    skyhook, nodewright = (
        schema("skyhooks.skyhook.nvidia.com"),
        schema("nodewrights.nodewright.nvidia.com"),
    )
    assert set(lost(skyhook, nodewright)) == WORDS
    assert set(lost(nodewright, skyhook)) == WORDS | NODEWRIGHT_ONLY
    assert schema("deploymentpolicies.skyhook.nvidia.com") == schema(
        "deploymentpolicies.nodewright.nvidia.com"
    )
